"""What Otter makes of the master notebook is our notebook with Otter's checks; the kit grades it like any other."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.course import Course
from autograder.grading import Grader
from autograder.reports import make_score_report
from autograder.sandbox import SandboxConfig
from autograder.template import render_student_template_files
from autograder.template.student_files import remove_module_docstring
from tests.otter.conftest import SECONDS, Assigned, Otter, find, solved

each_assignment = pytest.mark.parametrize("name", ["autograd-engine", "topological-sort"])


def code_of(path: Path) -> list[str]:
    return [cell["source"] for cell in nbformat.read(path, as_version=4)["cells"] if cell["cell_type"] == "code"]


@each_assignment
def test_the_students_cell_is_the_stub(assigned: Assigned, course: Course, name: str) -> None:
    stub = remove_module_docstring(render_student_template_files(find(course, name))["value.py"])
    assert code_of(assigned(name) / "student" / "value.ipynb").count(stub) == 1


@each_assignment
def test_all_other_cells_are_those_of_our_notebook_with_otters_checks(
    assigned: Assigned, course: Course, name: str
) -> None:
    ours = nbformat.reads(render_student_template_files(find(course, name))["value.ipynb"], as_version=4)["cells"]
    others = [cell["source"] for cell in nbformat.read(assigned(name) / "student" / "value.ipynb", 4)["cells"]]
    checks = 0
    for cell in ours:
        if cell["source"].startswith("run_tests("):
            checks += 1
            assert others.count(f'grader.check("q{checks}")') == 1
        else:
            assert others.count(cell["source"].replace("import run_tests, ", "import ")) == 1
    assert checks == len(list(find(course, name).public_suite_folder.glob("test_*.py")))


@each_assignment
def test_the_students_notebook_does_not_have_the_solution(assigned: Assigned, course: Course, name: str) -> None:
    given = find(course, name).solution_file.read_text(encoding="utf-8")
    stub = render_student_template_files(find(course, name))["value.py"]
    secrets = {line.strip() for line in given.splitlines() if len(line.strip()) > 20} - {
        line.strip() for line in stub.splitlines()
    }
    assert len(secrets) > 5
    text = "\n".join(code_of(assigned(name) / "student" / "value.ipynb"))
    assert not [secret for secret in secrets if secret in text]
    assert "SOLUTION" not in text


@each_assignment
def test_the_solution_passes_every_check(assigned: Assigned, otter: Otter, name: str) -> None:
    student, autograder = assigned(name) / "student", assigned(name) / "autograder"
    assert "All tests passed!" in otter(student, "check", autograder / "value.ipynb")


def test_a_check_on_the_command_line_says_what_does_not_hold(assigned: Assigned, otter: Otter) -> None:
    told = otter(assigned("topological-sort") / "student", "check", "-q", "q2", "value.ipynb")
    assert "The order starts with the node that backward() would be called on." in told
    assert "NotImplementedError: backward_order is not written yet" in told


def test_a_check_of_what_is_not_defined_says_so(assigned: Assigned, otter: Otter, tmp_path: Path) -> None:
    broken = solved(assigned("topological-sort") / "student", "def build_topo(:", tmp_path / "value.ipynb")
    told = otter(assigned("topological-sort") / "student", "check", "-q", "q1", broken)
    assert "build_topo is not defined: run the cell that defines it, and see what it says." in told


def test_a_notebook_that_was_solved_and_run_with_its_checks_gets_full_marks(
    assigned: Assigned, course: Course, sandbox: SandboxConfig, tmp_path: Path
) -> None:
    engine = find(course, "autograd-engine")
    folder = tmp_path / "student"
    shutil.copytree(assigned(engine.name) / "student", folder)
    path = solved(folder, engine.solution_file.read_text(encoding="utf-8"), folder / "value.ipynb")
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=resources).execute()
    nbformat.write(notebook, path)
    shown = [str(output) for cell in notebook["cells"] for output in cell.get("outputs", ())]
    assert [number for number in range(1, 5) if any(f"q{number} results: All test" in text for text in shown)] == [
        1,
        2,
        3,
        4,
    ]
    (exported,) = folder.glob("*.zip")
    assert "value.ipynb" in zipfile.ZipFile(exported).namelist()
    with Grader(engine, sandbox) as grader:
        for handed_in in (path, folder, exported):
            report = make_score_report(grader.grade(handed_in), engine)
            assert (report.score, report.notes) == (report.max_score, []), handed_in
