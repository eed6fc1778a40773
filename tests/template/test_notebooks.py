"""The notebooks that students get run from top to bottom, before and after their work, and can be handed in."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.course import Assignment, Course
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.template.running import unpack_template

Executed = Callable[[str, bool], Path]

SECONDS = 300
each_assignment = pytest.mark.parametrize(
    "name", ["autograd-engine", pytest.param("topological-sort", marks=pytest.mark.thorough)]
)
each_state = pytest.mark.parametrize("solved", [False, True], ids=["untouched", "solved"])


@pytest.fixture(scope="module")
def executed(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executed]:
    """The notebook of an assignment, run in a kernel and saved; each is run once."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
            patch.setenv(variable, str(tmp_path_factory.mktemp(variable)))

        @cache
        def run(name: str, solved: bool) -> Path:
            folder = unpack_template(find(course, name), tmp_path_factory.mktemp(name))
            notebook = nbformat.read(folder / "value.ipynb", as_version=4)
            if solved:
                code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
                (cell,) = (cell for cell in code if "raise NotImplementedError(" in cell["source"])
                cell["source"] = find(course, name).solution_file.read_text(encoding="utf-8")
            resources = {"metadata": {"path": str(folder)}}
            NotebookClient(
                notebook, timeout=SECONDS, kernel_name="python3", allow_errors=True, resources=resources
            ).execute()
            nbformat.write(notebook, folder / "value.ipynb")
            return folder / "value.ipynb"

        yield run


def find(course: Course, name: str) -> Assignment:
    return next(one for one in course.assignments if one.name == name)


def outputs(path: Path) -> list[Any]:
    cells = nbformat.read(path, as_version=4)["cells"]
    return [output for cell in cells if cell["cell_type"] == "code" for output in cell["outputs"]]


def printed(path: Path) -> str:
    return "".join(output["text"] for output in outputs(path) if output["output_type"] == "stream")


@each_assignment
def test_the_notebook_has_one_cell_to_fill_in_and_it_is_the_stub_of_the_file(course: Course, name: str) -> None:
    folder = find(course, name).template_folder
    stub = ast.parse((folder / "value.py").read_text(encoding="utf-8"))
    stub.body = stub.body[1:]  # the docstring is the text around the cell
    code = [one["source"] for one in nbformat.read(folder / "value.ipynb", 4)["cells"] if one["cell_type"] == "code"]
    (cell,) = (text for text in code if "raise NotImplementedError(" in text)
    assert ast.dump(ast.parse(cell)) == ast.dump(stub)
    assert (folder / "value.py").read_text(encoding="utf-8").endswith(f"\n{cell}\n")


@pytest.mark.thorough
def test_a_check_names_the_cell_as_jupyter_does(engine: Assignment, executed: Executed, tmp_path: Path) -> None:
    folder = executed(engine.name, False).parent
    shutil.copytree(folder, tmp_path / "mine")
    notebook = nbformat.read(tmp_path / "mine" / "value.ipynb", as_version=4)
    first, stub, *_ = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    stub["source"] = "class Value:\n    def __init__(self, data):\n        self.data = data.nothing"
    check = nbformat.v4.new_code_cell('run_tests("test_1_forward")')
    notebook["cells"] = [first, stub, check]
    resources = {"metadata": {"path": str(tmp_path / "mine")}}
    NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=resources).execute()
    told = "".join(output.get("text", "") for output in check["outputs"])
    words = " ".join(told.split())  # long lines are broken between words
    assert "AttributeError: 'float' object has no attribute 'nothing' (cell In[2], line 3)" in words


NASTY = (
    "'<script>alert(1)</script>'",
    "type('Odd', (), {'__str__': lambda self: 1 / 0, '__format__': None})()",
    "None",
)
EDITS = {
    "the solution": ("", ""),
    "overwrites": ("self.grad += out.grad\n            other.grad += out.grad", "self.grad = other.grad = out.grad"),
    **{nasty: ("self.grad = 1.0", f"self.grad = {nasty}") for nasty in NASTY},
}
"""Pieces of the solution that are replaced, one after the other in one notebook: a kernel takes a second to start."""


@pytest.fixture(scope="module")
def shown(engine: Assignment, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What a check cell shows below each class that is the solution with a piece replaced."""
    folder = unpack_template(engine, tmp_path_factory.mktemp("checks"))
    source = engine.solution_file.read_text(encoding="utf-8")
    assert all(old in source for old, _ in EDITS.values())
    new_cell: Callable[[str], Any] = nbformat.v4.new_code_cell
    new_notebook: Callable[..., Any] = nbformat.v4.new_notebook
    checks = {what: new_cell('run_tests("test_2_backward")') for what in EDITS}
    cells = [new_cell("from notebook_check import run_tests")]
    for what, (old, new) in EDITS.items():
        cells += [new_cell(source.replace(old, new) if old else source), checks[what]]
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(new_notebook(cells=cells), timeout=SECONDS, kernel_name="python3", resources=resources).execute()
    return {what: list(check["outputs"]) for what, check in checks.items()}


def test_a_check_shows_the_graph_of_the_first_test_that_is_wrong(shown: dict[str, list[Any]]) -> None:
    (picture,) = [output["data"] for output in shown["overwrites"] if output["output_type"] == "display_data"]
    assert "In b = a + a the Value a is used twice" in picture["text/html"]
    svg = fromstring(picture["text/html"].partition("</p>")[2])
    texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["b (+)", "data 6", "grad 1", "a", "data 3", "grad 1 ✗", "should be 2"]
    assert (svg.get("role"), svg[0].text) == ("img", "The graph of the test")
    assert svg[1].text == "b (+): data 6, grad 1; a: data 3, grad 1 ✗, should be 2"
    assert picture["text/plain"].endswith(svg[1].text)


def test_a_check_that_holds_shows_no_graph(shown: dict[str, list[Any]]) -> None:
    assert {output["output_type"] for output in shown["the solution"]} == {"stream"}


def test_the_dots_of_a_check_stand_in_one_line(shown: dict[str, list[Any]]) -> None:
    first, *_ = shown["overwrites"]
    plain = re.sub(r"\x1b\[[\d;]*m", "", first["text"])
    assert re.match(r"[.F]{9} +\[100%\]\n", plain)


def test_lines_of_a_check_are_broken_between_words(shown: dict[str, list[Any]]) -> None:
    first, *_ = shown["overwrites"]
    plain = re.sub(r"\x1b\[[\d;]*m", "", first["text"])
    assert max(map(len, plain.splitlines())) <= 80
    assert "is the second one\n  added to the first" in plain


@pytest.mark.parametrize("nasty", NASTY)
def test_whatever_an_engine_holds_a_check_shows_no_more_than_text(shown: dict[str, list[Any]], nasty: str) -> None:
    assert shown[nasty]
    assert [output for output in shown[nasty] if output["output_type"] == "error"] == []
    for output in shown[nasty]:
        if output["output_type"] == "display_data":
            assert "<script" not in output["data"]["text/html"]


@pytest.mark.first_cases(1)
@each_assignment
@each_state
def test_a_notebook_runs_from_top_to_bottom(executed: Executed, name: str, solved: bool) -> None:
    path = executed(name, solved)
    assert [output for output in outputs(path) if output["output_type"] == "error"] == []
    code = [cell for cell in nbformat.read(path, as_version=4)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))


@each_assignment
@each_state
def test_a_notebook_prints_nothing_to_standard_error(executed: Executed, name: str, solved: bool) -> None:
    assert [output["text"] for output in outputs(executed(name, solved)) if output.get("name") == "stderr"] == []


@each_assignment
def test_an_untouched_notebook_says_what_is_not_written(executed: Executed, name: str) -> None:
    assert "is not written yet" in printed(executed(name, False))


@each_assignment
def test_an_untouched_notebook_calls_nothing_wrong(executed: Executed, name: str) -> None:
    told = printed(executed(name, False))
    assert "what is wrong" not in told
    assert "not there yet" not in told


@each_assignment
def test_every_check_of_a_solved_notebook_holds(executed: Executed, course: Course, name: str) -> None:
    checks = len(list(find(course, name).public_suite_folder.glob("test_*.py")))
    told = printed(executed(name, True))
    assert told.count("All of it holds.") == checks
    assert "not written" not in told


@each_assignment
def test_a_solved_notebook_prints_what_it_says_is_expected(executed: Executed, name: str) -> None:
    lines = [
        line.partition(" (expected: ") for line in printed(executed(name, True)).splitlines() if "(expected" in line
    ]
    assert lines
    for got, _, numbers in lines:
        for number in numbers.rstrip(")").replace(" and ", ", ").split(", "):
            assert any(choice in got for choice in number.split(" or ")), got


@each_assignment
def test_an_untouched_notebook_that_was_run_is_not_attempted(
    executed: Executed, course: Course, sandbox: SandboxConfig, name: str
) -> None:
    with Grader(find(course, name), sandbox) as grader:
        graded = grader.grade(executed(name, False))
    assert {result.outcome for result in graded.test_results} <= {"not attempted", "blocked"}
    assert sum(concept.score for concept in graded.concept_scores) == 0


@each_assignment
def test_the_folder_with_a_solved_notebook_that_was_run_gets_full_marks(
    executed: Executed, course: Course, sandbox: SandboxConfig, name: str
) -> None:
    with Grader(find(course, name), sandbox) as grader:
        graded = grader.grade(executed(name, True).parent)
    assert [concept.name for concept in graded.concept_scores if concept.score < concept.max_score] == []
    assert graded.status == "graded"
