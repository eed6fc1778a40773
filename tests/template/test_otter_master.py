"""The master notebook for Otter Assign has the same source as the student's. tests/otter tries it with Otter."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder.course import Assignment, Course, load_course
from autograder.faults import CallerFault, CourseFault
from autograder.template import render_otter_master_files, render_student_template_files, write_otter_master_files
from autograder.template.otter import convert_markers_to_otter, list_otter_test_sources
from autograder.template.student_files import (
    BEGIN,
    BEGIN_ONLY,
    END,
    END_ONLY,
    make_stub_from_solution,
    remove_module_docstring,
)

HERE = "solutions/engine/value.py"
SUITE = '''\
"""A suite."""

import math
from fractions import Fraction

from value import Value, zero as nothing

LIMIT = 3


def near(a, b):
    """Tell whether they agree."""
    return math.isclose(a, b) and a < LIMIT


def test_one():
    """It holds "one" \\\\ two."""
    assert near(Value(1).data, 1), "no"


def test_two():
    """Nothing
    is zero."""
    assert nothing == 0
'''


@pytest.fixture
def copied(engine: Assignment, tmp_path: Path) -> Callable[[], Assignment]:
    """The engine's folders, to be spoiled; load them when that is done."""
    for name in ("assignments", "solutions", "student_template"):
        shutil.copytree(engine.course_folder / name / engine.name, tmp_path / name / engine.name)
    (tmp_path / "grading.yml").write_text(
        (engine.course_folder / "grading.yml").read_text(encoding="utf-8").partition("  topological-sort:")[0],
        encoding="utf-8",
    )

    def load() -> Assignment:
        return next(one for one in load_course(tmp_path).assignments if one.name == engine.name)

    return load


def as_otter_leaves_it(marked: str) -> str:
    """Otter's rules for a student's cell, as its documentation has them."""
    kept: list[str] = []
    within = False
    for line in marked.splitlines():
        if line.endswith(("# BEGIN PROMPT", "# END PROMPT")):
            continue
        if line.strip() == "# BEGIN SOLUTION NO PROMPT":
            within = True
        elif line.strip() == "# END SOLUTION":
            within = False
        elif not within:
            kept.append(line)
    return "\n".join(kept)


def with_notebook(course: Course) -> list[Assignment]:
    """The assignments that have a notebook."""
    return [one for one in course.assignments if one.notebook_script_path.exists()]


# The solution


def test_what_otter_leaves_of_the_solution_is_the_stub_for_every_assignment(course: Course) -> None:
    for assignment in course.assignments:
        source = assignment.solution_file.read_text(encoding="utf-8")
        stub = remove_module_docstring(make_stub_from_solution(source, HERE))
        assert as_otter_leaves_it(convert_markers_to_otter(source, HERE)) == stub


def test_the_marked_solution_is_the_solution(course: Course) -> None:
    for assignment in course.assignments:
        names: list[dict[str, object]] = [{"__name__": "value"}, {"__name__": "value"}]
        source = assignment.solution_file.read_text(encoding="utf-8")
        for text, into in zip((source, convert_markers_to_otter(source, HERE)), names, strict=True):
            exec(text, into)
        assert names[0].keys() - {"__doc__"} == names[1].keys() - {"__doc__"}


def test_each_mark_becomes_otters() -> None:
    source = f"def tanh(x):\n    {BEGIN}\n    return 1\n    {END}\n{BEGIN_ONLY}\nx = 1\n{END_ONLY}\n"
    assert convert_markers_to_otter(source, HERE).splitlines() == [
        "def tanh(x):",
        "    # BEGIN SOLUTION NO PROMPT",
        "    return 1",
        "    # END SOLUTION",
        '    """  # BEGIN PROMPT',
        '    raise NotImplementedError("tanh is not written yet")',
        '    """  # END PROMPT',
        "# BEGIN SOLUTION NO PROMPT",
        "x = 1",
        "# END SOLUTION",
    ]


# The tests


def test_each_test_becomes_a_function_that_holds_what_it_needs() -> None:
    one, two = list_otter_test_sources(SUITE, HERE)
    assert one.startswith(
        '""" # BEGIN TEST CONFIG\nfailure_message: "It holds \'one\' / two."\n""" # END TEST CONFIG\n'
    )
    assert two.splitlines()[1] == 'failure_message: "Nothing is zero."'
    assert one.endswith("\n\ntest_one(Value)")
    assert two.endswith("\n\ntest_two(zero)")
    for cell in (one, two):
        assert [type(node) for node in ast.parse(cell).body] == [ast.Expr, ast.FunctionDef, ast.Expr]
    assert "import math" in one
    assert "LIMIT = 3" in one
    assert "Fraction" not in one
    assert "near" not in two


def test_a_test_that_became_a_function_runs_alone() -> None:
    one, two = (cell.rpartition("\n\n")[0] for cell in list_otter_test_sources(SUITE, HERE))
    names: dict[str, Callable[..., None]] = {}
    exec(one, names)
    exec(two, names)

    class Value:
        def __init__(self, data: float) -> None:
            self.data = data

    names["test_one"](Value)
    names["test_two"](0)
    with pytest.raises(AssertionError):
        names["test_two"](1)
    with pytest.raises(AssertionError, match="Value is not defined: run the cell"):
        names["test_one"](None)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("def test_one(tmp_path):\n    pass\n", "has a parameter or a decorator"),
        ("@mark\ndef test_one():\n    pass\n", "has a parameter or a decorator"),
        ("def check():\n    pass\n", "holds no test"),
    ],
)
def test_a_suite_that_otter_cannot_run_is_a_fault_of_the_course(source: str, what: str) -> None:
    with pytest.raises(CourseFault, match=what):
        list_otter_test_sources(source, HERE)


# The notebook


def test_the_master_has_a_question_for_each_public_suite(course: Course) -> None:
    for assignment in with_notebook(course):
        cells = nbformat.reads(render_otter_master_files(assignment)["value.ipynb"], as_version=4)["cells"]
        raw = [cell["source"].splitlines()[-1] for cell in cells if cell["cell_type"] == "raw"][1:]
        count = len(list(assignment.public_suite_folder.glob("test_*.py")))
        assert raw == [
            text
            for number in range(1, count + 1)
            for text in (f"name: q{number}", "# BEGIN TESTS", "# END TESTS", "# END QUESTION")
        ]


def test_the_master_holds_every_public_test(course: Course) -> None:
    for assignment in with_notebook(course):
        text = render_otter_master_files(assignment)["value.ipynb"]
        tests = [
            node.name
            for path in assignment.public_suite_folder.glob("test_*.py")
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        ]
        assert [name for name in tests if f"def {name}(" not in text] == []


def sentences(suite: Path) -> set[str]:
    """What the tests of a suite say that they hold a submission to."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in suite.glob("test_*.py")]
    functions = [node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {text.splitlines()[0] for node in functions if (text := ast.get_docstring(node))}


def test_the_master_holds_nothing_of_the_hidden_suite(course: Course) -> None:
    for assignment in with_notebook(course):
        hidden = sentences(assignment.hidden_suite_folder) - sentences(assignment.public_suite_folder)
        assert hidden
        assert not [
            line for text in render_otter_master_files(assignment).values() for line in hidden if line in text
        ]


def test_a_suite_that_the_notebook_never_checks_is_a_fault_of_the_course(copied: Callable[[], Assignment]) -> None:
    assignment = copied()
    shutil.copy(assignment.public_suite_folder / "test_4_tanh.py", assignment.public_suite_folder / "test_5_more.py")
    with pytest.raises(CourseFault, match="the script's checks and the public suites differ: test_5_more"):
        render_otter_master_files(copied())


def test_a_folder_that_cannot_be_written_is_told_in_a_line(engine: Assignment, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CallerFault, match="this path is a file, not a folder"):
        write_otter_master_files(engine, tmp_path / "file" / "below")


def test_the_command_writes_a_folder_an_assignment_and_leaves_the_template_alone(
    course: Course, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "autograder", "template", "--otter", str(tmp_path / "made")]
    done = subprocess.run(command, cwd=course.folder, capture_output=True, text=True, timeout=300, check=True)
    assert "now run `otter assign value.ipynb dist` there" in done.stdout
    for assignment in with_notebook(course):
        folder = tmp_path / "made" / assignment.name
        assert {path.name for path in folder.iterdir()} == {"value.ipynb", "handout.md", "notebook_check.py"}
        assert (folder / "handout.md").read_text(encoding="utf-8") == render_student_template_files(assignment)[
            "handout.md"
        ]
