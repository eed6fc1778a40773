"""All marks come first; then wrong submissions get their repairs, and no mark changes."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import AUTOGRADER, DONE, Run, clean_environment, run
from tests.toy import HALF, RIGHT, write_toy

WRONG = "def double(x):\n    return x + x + 1\n"
COMMENTED = f'"""Twice."""\n\n{HALF.replace("    return", "    # a note of Cy" + chr(10) + "    return")}'
HANGING = "def double(x):\n    while x != 3:\n        pass\n    return 6\n"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return write_toy(tmp_path / "course")


@pytest.fixture
def batch(course: Path, tmp_path: Path) -> Any:
    """Grade some programs, by name."""

    def grade(programs: dict[str, str], *options: str) -> Run:
        submissions = tmp_path / "class"
        submissions.mkdir(exist_ok=True)
        for name, text in programs.items():
            (submissions / f"{name}.py").write_text(text, encoding="utf-8")
        done = run("batch", "toy", submissions, *list_options(tmp_path), *options, cwd=course)
        assert done.returncode == DONE, done.stderr
        return done

    return grade


def list_options(tmp_path: Path) -> tuple[str, ...]:
    return ("--out", str(tmp_path / "out"), "--allow-unsafe", "--tier", "process")


def read_reports(tmp_path: Path) -> dict[str, Any]:
    return {path.stem: json.loads(path.read_text()) for path in (tmp_path / "out" / "reports").glob("*.json")}


def read_diagnoses(tmp_path: Path) -> dict[str, Any]:
    return {name: report["diagnosis"] for name, report in read_reports(tmp_path).items()}


def test_a_wrong_submission_gets_its_repair_after_all_marks_and_a_right_one_none(batch: Any, tmp_path: Path) -> None:
    done = batch({"ada": WRONG, "bob": RIGHT})
    assert "all marks are written; explained 1 of 1 wrong submission" in done.stderr
    reports = read_reports(tmp_path)
    assert [reports[name]["score"] for name in ("ada", "bob")] == [0, 10]
    diagnosis = reports["ada"]["diagnosis"]
    assert diagnosis["repair_pending"] is False
    assert diagnosis["repair"]["proven"]
    assert [edit["line"] for edit in diagnosis["repair"]["edits"]] == [2]
    assert reports["bob"]["diagnosis"]["repair"] is None
    again = batch({})
    assert "0 graded" in again.stdout
    assert "explained" not in again.stderr


def test_a_batch_that_explains_nothing_is_explained_by_the_next_one_without_being_graded_again(
    batch: Any, tmp_path: Path
) -> None:
    batch({"ada": WRONG}, "--no-explain")
    diagnosis = read_diagnoses(tmp_path)["ada"]
    assert (diagnosis["repair"], diagnosis["repair_pending"]) == (None, False)
    done = batch({})
    assert "0 graded" in done.stdout
    assert read_diagnoses(tmp_path)["ada"]["repair"]["edits"]


def test_a_course_may_want_none(batch: Any, course: Path, tmp_path: Path) -> None:
    with (course / "grading.yml").open("a", encoding="utf-8") as config:
        config.write("    feedback: {repair_candidates: 0}\n")
    batch({"ada": WRONG})
    diagnosis = read_diagnoses(tmp_path)["ada"]
    assert (diagnosis["repair"], diagnosis["repair_pending"]) == (None, False)


def test_programs_with_the_same_code_come_first_and_share_what_is_found_but_no_word_of_their_own(
    batch: Any, tmp_path: Path
) -> None:
    done = batch({"ada": HALF, "bob": f"# a note of Bob\n{HALF}", "cy": COMMENTED, "zoe": WRONG}, "--json-lines")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds == ["start", *["done"] * 4, *["explained"] * 4, "end"]
    explained = [event["submission"] for event in events if event["event"] == "explained"]
    assert explained[1] == "zoe"
    found = read_diagnoses(tmp_path)
    repairs = {name: found[name]["repair"] for name in ("ada", "bob", "cy")}
    assert {name: [(edit["file"], edit["line"]) for edit in one["edits"]] for name, one in repairs.items()} == {
        "ada": [("ada.py", 2)],
        "bob": [("bob.py", 3)],
        "cy": [("cy.py", 5)],
    }
    assert len({json.dumps([edit["after"] for edit in one["edits"]]) for one in repairs.values()}) == 1
    assert "a note" not in json.dumps(found["ada"])
    assert "a note of Bob" not in json.dumps(found["cy"])
    assert "a note of Cy" not in json.dumps(found["bob"])


def test_equal_files_get_equal_repairs_from_one_search(batch: Any, tmp_path: Path) -> None:
    batch({"ada": WRONG, "bob": WRONG})
    found = read_diagnoses(tmp_path)
    (ada,), (bob,) = found["ada"]["repair"]["edits"], found["bob"]["repair"]["edits"]
    assert {**ada, "file": ""} == {**bob, "file": ""}


def test_a_batch_that_is_stopped_while_it_explains_has_written_all_marks_and_goes_on_with_that(
    batch: Any, course: Path, tmp_path: Path
) -> None:
    submissions = tmp_path / "class"
    submissions.mkdir()
    for name, text in {"ada": WRONG, "bob": HANGING, "cy": f"# once more\n{HANGING}x = 1\n"}.items():
        (submissions / f"{name}.py").write_text(text, encoding="utf-8")
    command: list[Any] = [AUTOGRADER, "batch", "toy", submissions, *list_options(tmp_path), "--json-lines"]
    with subprocess.Popen(
        command, cwd=course, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        for line in process.stdout:
            if json.loads(line)["event"] == "explained":
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
    assert process.returncode == 130
    assert {"ada", "bob", "cy"} <= {
        line.partition(",")[0] for line in (tmp_path / "out" / "gradebook.csv").read_text().splitlines()
    }
    assert any(one["repair_pending"] for one in read_diagnoses(tmp_path).values())
    done = batch({})
    assert "0 graded" in done.stdout
    assert not any(one["repair_pending"] for one in read_diagnoses(tmp_path).values())
