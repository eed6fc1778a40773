"""What students get is generated from the solution, the public suite and the handout, and gives nothing away."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path

import nbformat
import pytest

from autograder.course import Assignment, Course, load_course
from autograder.course.given_code import load_solution_given_code_or_empty
from autograder.faults import CallerFault, CourseFault
from autograder.template import (
    describe_template_differences,
    render_student_template_files,
    synchronize_template_folder,
)
from autograder.template.notebook_builder import render_student_notebook
from autograder.template.solution_stub import BEGIN, BEGIN_ONLY, END, END_ONLY, make_stub_from_solution

HERE = "solutions/engine/value.py"

SCRIPT = """\
# %% [markdown]
# # An engine
#
# Write it.

# %%
import math

# %%
# <value.py>
"""

STUB = '"""An engine."""\n\nclass Value: ...\n'


@pytest.fixture(params=["autograd-engine", "topological-sort", "neural-network"])
def assignment(request: pytest.FixtureRequest, course: Course) -> Assignment:
    return next(one for one in course.assignments if one.name == request.param)


@pytest.fixture
def copied(course: Course, tmp_path: Path) -> Assignment:
    """An assignment in a course of its own, to be changed."""
    shutil.copy(course.folder / "grading.yml", tmp_path)
    for folder in ("assignments", "solutions", "student_template"):
        shutil.copytree(
            course.folder / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache")
        )
    return load_course(tmp_path).assignments[0]


def written_by_students(assignment: Assignment) -> set[str]:
    """Lines of the solution that stand between its markers and are long enough to be told from others."""
    lines: set[str] = set()
    taken: set[str] = set()
    inside = False
    for line in assignment.solution_file.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text in (BEGIN, BEGIN_ONLY, END, END_ONLY):
            inside = text in (BEGIN, BEGIN_ONLY)
        elif len(text) > 20:
            (lines if inside else taken).add(text)
    return lines - taken


def code_of(notebook: str) -> list[str]:
    return [cell["source"] for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]


# The stub


def test_what_students_write_becomes_an_error_that_names_it() -> None:
    source = f"def tanh(x):\n    {BEGIN}\n    return math.tanh(x)\n    {END}\n"
    assert (
        make_stub_from_solution(source, HERE)
        == 'def tanh(x):\n    raise NotImplementedError("tanh is not written yet")\n'
    )


def test_what_only_the_solution_has_goes_without_a_trace() -> None:
    source = f"{BEGIN}\n{END}\nx = 1\n{BEGIN_ONLY}\nsecret = 1\n{END_ONLY}\ny = 2\n"
    assert make_stub_from_solution(source, HERE).splitlines()[1:] == ["x = 1", "y = 2"]


def test_everything_else_of_a_solution_stays() -> None:
    source = f'"""Doc."""\n\nimport math\n\n\ndef f():\n    """Say it."""\n    {BEGIN}\n    {END}\n\n\n# end\n'
    assert make_stub_from_solution(source, HERE).replace(
        '    raise NotImplementedError("f is not written yet")\n', ""
    ) == source.replace(f"    {BEGIN}\n    {END}\n", "")


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        (f"x = 1\n{END}\n", ":2", "closes nothing"),
        (f"x = 1\n{END_ONLY}\n", ":2", "closes nothing"),
        (f"{BEGIN}\n{END}\n{END}\n", ":3", "closes nothing"),
        (f"{BEGIN}\n{END_ONLY}\n", ":2", "closes nothing"),
        (f"{BEGIN_ONLY}\n{END}\n", ":2", "closes nothing"),
        (f"{BEGIN}\nx = 1\n{BEGIN}\n{END}\n{END}\n", ":3", "inside"),
        (f"{BEGIN}\n{BEGIN_ONLY}\n{END_ONLY}\n{END}\n", ":2", "inside"),
        (f"{BEGIN_ONLY}\n{BEGIN}\n{END}\n{END_ONLY}\n", ":2", "inside"),
        (f"x = 1\n{BEGIN}\nx = 2\n", ":2", "never closed"),
        (f"{BEGIN_ONLY}\nx = 2\n", ":1", "never closed"),
        ("x = 1\n", "", f"has no {BEGIN}"),
        ("", "", f"has no {BEGIN}"),
    ],
)
def test_markers_that_do_not_match_are_a_fault_of_the_course(source: str, line: str, says: str) -> None:
    with pytest.raises(CourseFault) as caught:
        make_stub_from_solution(source, HERE)
    assert str(caught.value).startswith(f"{HERE}{line}: ")
    assert says in str(caught.value)


# The notebook


def test_a_script_becomes_its_cells_in_order() -> None:
    cells = json.loads(render_student_notebook(SCRIPT, STUB, HERE))["cells"]
    assert [(cell["cell_type"], "".join(cell["source"])) for cell in cells] == [
        ("markdown", "# An engine\n\nWrite it."),
        ("code", "import math"),
        ("code", "class Value: ..."),
    ]


def test_the_same_script_always_gives_the_same_notebook() -> None:
    assert render_student_notebook(SCRIPT, STUB, HERE) == render_student_notebook(SCRIPT, STUB, HERE)


def test_a_script_without_a_place_for_the_stub_is_a_fault_of_the_course() -> None:
    with pytest.raises(CourseFault, match=r"has no cell '# <value\.py>'"):
        render_student_notebook("# %%\nimport math\n", STUB, HERE)


def test_the_notebook_is_valid(assignment: Assignment) -> None:
    notebook = nbformat.reads(render_student_template_files(assignment)["value.ipynb"], as_version=4)
    nbformat.validate(notebook)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


def test_the_notebook_has_not_been_run(assignment: Assignment) -> None:
    for cell in json.loads(render_student_template_files(assignment)["value.ipynb"])["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_the_notebook_asks_for_any_python_3(assignment: Assignment) -> None:
    metadata = json.loads(render_student_template_files(assignment)["value.ipynb"])["metadata"]
    assert metadata["kernelspec"]["name"] == "python3"
    assert metadata["language_info"] == {"name": "python"}


def test_one_cell_of_the_notebook_is_the_stub(assignment: Assignment) -> None:
    template = render_student_template_files(assignment)
    stubs = ["".join(cell) for cell in code_of(template["value.ipynb"]) if "NotImplementedError(" in "".join(cell)]
    assert len(stubs) == 1
    assert template["value.py"].rstrip().endswith(stubs[0])


# The folder


def test_the_template_is_the_same_whenever_it_is_built(assignment: Assignment) -> None:
    assert render_student_template_files(assignment) == render_student_template_files(assignment)


def test_the_template_has_all_that_a_student_needs(assignment: Assignment) -> None:
    tests = {f"tests/{path.name}" for path in assignment.public_suite_folder.glob("test_*.py")}
    assert render_student_template_files(assignment).keys() == tests | {
        "README.md",
        "handout.md",
        "value.py",
        "value.ipynb",
        "notebook_check.py",
        "pytest.ini",
        "tests/conftest.py",
        "tests/graph_picture.py",
        "tests/load_error_messages.py",
        "tests/set_orders.py",
        "tests/slips.py",
    }


def test_no_line_that_students_write_is_in_the_template(assignment: Assignment) -> None:
    lines = written_by_students(assignment)
    assert lines
    for name, text in render_student_template_files(assignment).items():
        shown = "\n".join("".join(cell) for cell in code_of(text)) if name.endswith(".ipynb") else text
        if not name.startswith("tests/"):
            assert {line for line in lines if line in shown} == set(), name


def test_no_marker_is_left_in_the_template(assignment: Assignment) -> None:
    assert [name for name, text in render_student_template_files(assignment).items() if "SOLUTION" in text] == []


def test_nothing_hidden_is_in_the_template(assignment: Assignment) -> None:
    hidden = {
        line.strip()
        for path in assignment.hidden_suite_folder.glob("test_*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("def test_")
    }
    for name, text in render_student_template_files(assignment).items():
        assert {line for line in hidden if line in text} == set(), name


def test_every_stub_is_python_with_its_docstrings(assignment: Assignment) -> None:
    tree = ast.parse(render_student_template_files(assignment)["value.py"])
    given = load_solution_given_code_or_empty(assignment).line_numbers
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.lineno not in given]
    assert functions
    for function in functions:
        assert ast.get_docstring(function), function.name
        assert isinstance(function.body[-1], ast.Raise), function.name


def test_the_template_of_this_course_is_up_to_date(assignment: Assignment) -> None:
    assert describe_template_differences(assignment) == []


# Drift


def test_a_changed_file_is_out_of_date(copied: Assignment) -> None:
    path = copied.template_folder / "value.py"
    path.write_text(path.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    assert describe_template_differences(copied) == ["value.py is out of date"]


def test_changed_line_endings_are_out_of_date(copied: Assignment) -> None:
    path = copied.template_folder / "README.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert describe_template_differences(copied) == ["README.md is out of date"]


def test_a_missing_file_is_told(copied: Assignment) -> None:
    (copied.template_folder / "handout.md").unlink()
    assert describe_template_differences(copied) == ["handout.md is missing"]


def test_a_file_too_many_is_told(copied: Assignment) -> None:
    (copied.template_folder / "tests" / "test_mine.py").touch()
    assert describe_template_differences(copied) == ["tests/test_mine.py does not belong there"]


@pytest.mark.parametrize(
    "left", ["__pycache__/value.pyc", ".pytest_cache/v/nodeids", ".ipynb_checkpoints/value.ipynb"]
)
def test_what_a_run_leaves_behind_is_not_told(copied: Assignment, left: str) -> None:
    path = copied.template_folder / left
    path.parent.mkdir(parents=True)
    path.touch()
    assert describe_template_differences(copied) == []


@pytest.mark.parametrize(
    ("part", "file"),
    [
        ("handout.md", "handout.md"),
        ("template/README.md", "README.md"),
        ("public/test_4_tanh.py", "tests/test_4_tanh.py"),
    ],
)
def test_a_change_of_the_assignment_makes_its_template_out_of_date(copied: Assignment, part: str, file: str) -> None:
    path = copied.folder / part
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert describe_template_differences(copied) == [f"{file} is out of date"]


def test_a_change_of_the_solution_makes_file_and_notebook_out_of_date(copied: Assignment) -> None:
    text = copied.solution_file.read_text(encoding="utf-8").replace("tanh(self)", "tanh(self, /)")
    copied.solution_file.write_text(text, encoding="utf-8")
    assert describe_template_differences(copied) == ["value.ipynb is out of date", "value.py is out of date"]


def test_a_change_of_what_students_write_does_not(copied: Assignment) -> None:
    text = copied.solution_file.read_text(encoding="utf-8").replace(
        "math.tanh(self.data)", "math.tanh(float(self.data))"
    )
    copied.solution_file.write_text(text, encoding="utf-8")
    assert describe_template_differences(copied) == []


# Writing


def test_writing_brings_a_folder_up_to_date(copied: Assignment) -> None:
    (copied.template_folder / "value.py").write_text("x = 1\n", encoding="utf-8")
    (copied.template_folder / "handout.md").unlink()
    (copied.template_folder / "notes.txt").touch()
    assert sorted(synchronize_template_folder(copied)) == ["handout.md", "notes.txt", "value.py"]
    assert describe_template_differences(copied) == []


def test_writing_makes_a_folder_that_is_not_there(copied: Assignment) -> None:
    shutil.rmtree(copied.template_folder)
    assert sorted(synchronize_template_folder(copied)) == sorted(render_student_template_files(copied))
    assert describe_template_differences(copied) == []


def test_writing_leaves_alone_what_is_up_to_date(copied: Assignment) -> None:
    before = {path: path.stat().st_mtime_ns for path in copied.template_folder.rglob("*")}
    assert synchronize_template_folder(copied) == []
    assert {path: path.stat().st_mtime_ns for path in copied.template_folder.rglob("*")} == before


def test_a_place_that_cannot_be_written_is_the_callers_fault(copied: Assignment) -> None:
    shutil.rmtree(copied.template_folder)
    copied.template_folder.touch()
    with pytest.raises(CallerFault, match="this path is a file, not a folder"):
        synchronize_template_folder(copied)


@pytest.mark.parametrize("part", ["handout.md", "../../solutions/autograd-engine/value.py"])
def test_a_missing_part_of_an_assignment_is_a_fault_of_the_course(copied: Assignment, part: str) -> None:
    (copied.folder / part).unlink()
    with pytest.raises(CourseFault, match="cannot read this file: No such file") as caught:
        render_student_template_files(copied)
    assert Path(part).name in caught.value.where


def test_an_assignment_without_public_tests_is_a_fault_of_the_course(copied: Assignment) -> None:
    shutil.rmtree(copied.public_suite_folder)
    with pytest.raises(CourseFault, match=r"holds no test_\*\.py"):
        render_student_template_files(copied)


@pytest.mark.parametrize("part", ["handout.md", "public/test_4_tanh.py", "../../solutions/autograd-engine/value.py"])
def test_a_part_that_is_not_utf_8_is_a_fault_of_the_course(copied: Assignment, part: str) -> None:
    path = copied.folder / part
    path.write_bytes(path.read_bytes() + b"# caf\xe9\n")
    with pytest.raises(CourseFault) as caught:
        render_student_template_files(copied)
    assert path.name in caught.value.where


def test_a_solution_with_a_syntax_error_is_a_fault_of_the_course(copied: Assignment) -> None:
    copied.solution_file.write_text(copied.solution_file.read_text(encoding="utf-8") + "def (:\n", encoding="utf-8")
    with pytest.raises(CourseFault) as caught:
        render_student_template_files(copied)
    assert "value.py" in str(caught.value)
