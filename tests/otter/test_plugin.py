"""Otter alone believes what a submission's kernel says; with the plugin, marks are those of an isolated run."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import nbformat
import pytest

from autograder.course import Assignment, Course
from autograder.template import write_otter_master_files
from tests.otter.conftest import PLUGIN, Assigned, Marks, Otter, find, solved, with_plugins

WRONG = "class Value:\n    def __init__(self, data, _prev=(), _op=''):\n        self.data = data\n"
CHEAT = """\
import otter.test_files.exception_test as judge
judge.test_case.call_func = lambda self, env: None
"""


@pytest.fixture(scope="module")
def student(assigned: Assigned) -> Path:
    return assigned("autograd-engine") / "student"


@pytest.fixture(scope="module")
def exercise(course: Course) -> Assignment:
    return find(course, "autograd-engine")


def points(results: dict[str, object]) -> dict[str, tuple[float, float]]:
    tests = results["tests"]
    assert isinstance(tests, list)
    return {test["name"]: (test["score"], test["max_score"]) for test in tests if "score" in test}


def test_without_the_plugin_a_notebook_can_give_itself_full_marks(
    marks: Marks, student: Path, tmp_path: Path
) -> None:
    cheating = solved(student, WRONG, tmp_path / "value.ipynb", CHEAT)
    assert points(marks(cheating, plugin=False)) == {f"q{number}": (1.0, 1.0) for number in range(1, 5)}


def test_with_the_plugin_marks_are_those_of_the_kit(
    marks: Marks, student: Path, exercise: Assignment, tmp_path: Path
) -> None:
    source = exercise.solution_file.read_text(encoding="utf-8").replace(".grad += ", ".grad = ")
    results = marks(solved(student, source, tmp_path / "value.ipynb"), plugin=True)
    earned = points(results)
    full = {one.name: 0.0 if one.bonus else one.points for one in exercise.concepts}
    assert {name: most for name, (_, most) in earned.items()} == full
    assert earned["accumulation"][0] == 0
    assert earned["forward"] == (full["forward"], full["forward"])
    assert f"/ {exercise.max_score:.3f}" in results["printed"]
    public = next(test for test in results["tests"] if test["name"] == "Public Tests")
    assert public["status"] == "failed"
    assert "accumulation results:" in public["output"]
    assert (
        "A sum adds to what its left operand has already. result:\n        ❌ Test case failed\n" in public["output"]
    )


def test_a_master_notebook_may_name_the_plugin_and_the_solution_gets_full_marks_of_the_kit(
    otter: Otter, exercise: Assignment, tmp_path: Path
) -> None:
    write_otter_master_files(exercise, tmp_path)
    path = tmp_path / "value.ipynb"
    master = nbformat.read(path, as_version=4)
    master["cells"][0]["source"] += (
        f"\nplugins:\n  - {PLUGIN}:\n      course: {exercise.course_folder}\n      assignment: {exercise.name}\n"
    )
    nbformat.write(master, path)
    otter(tmp_path, "assign", "value.ipynb", "dist")  # fails unless the solution gets all points and no more
    config = json.loads((tmp_path / "dist" / "autograder" / "otter_config.json").read_text(encoding="utf-8"))
    assert [*config["plugins"][0]] == [PLUGIN]


def test_with_the_plugin_nothing_of_a_submission_runs_or_is_unpickled_in_otter(
    marks: Marks, student: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    leave = f"open({str(marker)!r}, 'a').write('here')"
    log = b"c" + b"builtins\nexec\n(V" + leave.encode() + b"\ntR."
    cheating = solved(student, WRONG, tmp_path / "value.ipynb", CHEAT, leave)
    handed_in = tmp_path / "handed_in.zip"
    with zipfile.ZipFile(handed_in, "w") as archive:
        archive.write(cheating, "value.ipynb")
        archive.writestr(".OTTER_LOG", log)
        archive.writestr("tests/q1.py", f"{leave}\nOK_FORMAT = False\nname = 'q1'\n")
        archive.writestr("otter.py", leave)
        archive.writestr("ipykernel_launcher.py", leave)
        archive.writestr("grading.yml", "assignments: {}")
    results = marks(handed_in, plugin=True)
    earned = points(results)
    assert earned["accumulation"][0] == 0
    assert sum(score for score, _ in earned.values()) < 20
    assert "q1" not in earned
    assert not marker.exists()


def test_without_the_plugin_the_same_log_is_run_by_otter_itself(marks: Marks, student: Path, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    handed_in = tmp_path / "handed_in.zip"
    with zipfile.ZipFile(handed_in, "w") as archive:
        archive.write(student / "value.ipynb", "value.ipynb")
        archive.writestr(".OTTER_LOG", f"cbuiltins\nexec\n(Vopen({str(marker)!r}, 'a').write('here')\ntR.".encode())
    marks(handed_in, plugin=False)
    assert marker.exists()


def test_a_submission_that_cannot_be_graded_is_told_why(marks: Marks, student: Path, tmp_path: Path) -> None:
    broken = solved(student, "class Value:\n    def (", tmp_path / "value.ipynb")
    results = marks(broken, plugin=True)
    assert {score for score, _ in points(results).values()} == {0}
    assert "code cell 3, line 2" in json.dumps(results)


def test_where_the_kit_cannot_grade_otter_writes_no_marks(
    otter: Otter, assigned: Assigned, student: Path, tmp_path: Path
) -> None:
    (archive,) = (assigned("autograd-engine") / "autograder").glob("*.zip")
    missing = {"course": str(tmp_path / "nowhere"), "assignment": "autograd-engine"}
    used = with_plugins(archive, tmp_path / "autograder.zip", [{PLUGIN: missing}])
    with pytest.raises(AssertionError, match=r"the submission could not be graded: .*nowhere"):
        otter(tmp_path, "run", "-a", used, student / "value.ipynb")
    assert not (tmp_path / "results.json").exists()
