"""One run on Gradescope: what lies in ``/autograder`` goes in, ``results.json`` comes out, or nothing does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from autograder.cli import gradescope_run as run
from autograder.course import load_course
from autograder.faults import CallerFault, KitFault
from autograder.platforms.gradescope.results_json import (
    GradescopeStudent,
    GradescopeSubmissionMetadata,
    compute_submission_lateness_or_none,
    read_gradescope_metadata,
)
from autograder.sandbox import choose_strongest_sandbox
from tests.platforms.gradescope import DATA, read_results
from tests.toy import HALF, RIGHT, SYNTAX, write_toy

DUE = """    deadline: 2018-07-01T12:00-07:00
    late: {percent_per_day: 10}
    extensions: {"Ada@Uni.example": 1}
"""


@dataclass(frozen=True)
class Home:
    """``/autograder``, somewhere else."""

    root: Path

    @property
    def submission(self) -> Path:
        return self.root / "submission"

    @property
    def results(self) -> Path:
        return self.root / "results" / "results.json"

    def metadata(self, **fields: Any) -> None:
        """Write the documented sample with some fields in another way."""
        data = json.loads((DATA / "submission_metadata.json").read_text(encoding="utf-8"))
        (self.root / "submission_metadata.json").write_text(json.dumps(data | fields), encoding="utf-8")

    def run(self, *options: str) -> Result:
        return CliRunner().invoke(
            run.main,
            [
                *("--course", str(self.root / "source" / "course"), "--submission", str(self.submission)),
                *("--metadata", str(self.root / "submission_metadata.json"), "--out", str(self.results), *options),
            ],
        )

    def graded(self) -> dict[str, Any]:
        done = self.run()
        assert done.exit_code == 0, done.output
        return read_results(self.results.read_bytes())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """The toy course, its metadata, and a right submission."""
    try:
        choose_strongest_sandbox("restricted")
    except CallerFault as fault:
        pytest.skip(str(fault))
    write_toy(tmp_path / "source" / "course")
    made = Home(tmp_path)
    made.submission.mkdir()
    (tmp_path / "results").mkdir()
    (made.submission / "value.py").write_text(RIGHT, encoding="utf-8")
    made.metadata()
    return made


def test_a_submission_is_graded_and_called_as_in_the_export(home: Home) -> None:
    data = home.graded()
    assert data["score"] == 10
    assert "submission\\_123456" in data["output"]


def test_the_staff_reads_the_whole_report_on_standard_output(home: Home) -> None:
    (home.submission / "value.py").write_text(HALF, encoding="utf-8")
    done = home.run()
    assert "double gave 6" in done.stdout
    assert "5 of 10" in done.stdout


def test_what_a_student_prints_is_nowhere(home: Home) -> None:
    forged = 'print(\'{"score": 100}\' + "printed by me" * 20_000)\n' + RIGHT
    (home.submission / "value.py").write_text(forged, encoding="utf-8")
    data = home.graded()
    assert data["score"] == 10
    assert "printed" not in json.dumps(data)
    assert home.results.stat().st_size < 20_000


def test_a_results_file_in_the_submission_is_nobodys_result(home: Home) -> None:
    (home.submission / "value.py").write_text(HALF, encoding="utf-8")
    for folder in (home.submission, home.submission / "results"):
        folder.mkdir(exist_ok=True)
        (folder / "results.json").write_text('{"score": 100}', encoding="utf-8")
    assert home.graded()["score"] == 5


def test_a_link_is_not_followed(home: Home) -> None:
    (home.submission / "value.py").unlink()
    (home.submission / "value.py").symlink_to(home.root / "source/course/solutions/toy/value.py")
    (home.submission / "all").symlink_to(home.root / "source/course/solutions")
    data = home.graded()
    assert data["score"] == 0
    assert "no Python file" in data["output"]


def test_modules_of_a_students_never_stand_in_for_the_kits(home: Home) -> None:
    for name in ("autograder.py", "pytest.py", "json.py", "conftest.py", "sitecustomize.py"):
        (home.submission / name).write_text("raise SystemExit('mine')", encoding="utf-8")
    (home.submission / "value.py").write_text(HALF, encoding="utf-8")
    assert home.graded()["score"] == 5


@pytest.mark.parametrize("name", ["=cmd|'x'!A0.py", "<img src=x>.py", "a\nb.py", "`**`.py"])
def test_a_file_name_is_text(home: Home, name: str) -> None:
    (home.submission / "value.py").rename(home.submission / name)
    (home.submission / ("2" + name)).write_text(RIGHT, encoding="utf-8")
    output = home.graded()["output"]
    assert "<img" not in output
    assert "a\nb" not in output
    assert "several" in output or "files define" in output


def test_what_cannot_be_read_gets_no_points_and_a_reason(home: Home) -> None:
    (home.submission / "value.py").write_text(SYNTAX, encoding="utf-8")
    data = home.graded()
    assert data["score"] == 0
    assert "Fix this line" in data["output"]


def test_an_empty_submission_is_a_result(home: Home) -> None:
    (home.submission / "value.py").unlink()
    assert home.graded()["score"] == 0


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"users": 3}', "\udcff"])
def test_broken_metadata_is_a_fault_and_nothing_is_scored(home: Home, broken: str) -> None:
    content = broken.encode("utf-8", "surrogateescape")
    (home.root / "submission_metadata.json").write_bytes(content)
    done = home.run()
    assert done.exit_code == 1
    assert "submission_metadata.json" in done.stderr
    assert not home.results.exists()


@pytest.mark.parametrize("missing", ["source/course/grading.yml", "submission_metadata.json", "submission"])
def test_what_is_missing_leaves_no_result_not_even_an_old_one(home: Home, missing: str) -> None:
    home.results.write_text('{"score": 99}', encoding="utf-8")
    (home.root / missing).rename(home.root / "elsewhere")
    done = home.run()
    assert done.exit_code != 0
    assert done.stderr.startswith(("error: ", "internal error: "))
    assert not home.results.exists()


def test_a_suite_that_the_solution_fails_scores_nobody(home: Home) -> None:
    (home.root / "source/course/solutions/toy/value.py").write_text(
        "def double(x):\n    return 0\n", encoding="utf-8"
    )
    done = home.run()
    assert done.exit_code == 2
    assert "hidden tests" in done.stderr
    assert not home.results.exists()
    assert home.run("--trial").exit_code != 0


def test_a_test_that_does_not_work_there_costs_no_points(home: Home) -> None:
    (home.root / "source/course/solutions/toy/value.py").write_text(
        "def double(x):\n    return 6\n", encoding="utf-8"
    )
    (home.submission / "value.py").write_text("def double(x):\n    return 7 if x == 5 else x + x\n", encoding="utf-8")
    assert home.graded()["score"] == 10


def test_the_unforeseen_is_a_fault_and_nothing_is_scored(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise ZeroDivisionError("a secret of the kit's")

    monkeypatch.setattr(run, "encode_results_json", fail)
    done = home.run()
    assert done.exit_code == 1
    assert "no score was written" in done.stderr
    assert not home.results.exists()


def test_the_trial_grades_the_solution_and_writes_nothing(home: Home) -> None:
    done = home.run("--trial")
    assert done.exit_code == 0, done.output
    assert "passes all 2 tests" in done.output
    assert not home.results.exists()


def test_lateness_of_the_course_counts(home: Home) -> None:
    (home.root / "source" / "course" / "grading.yml").unlink()
    config = "assignments:\n  toy:\n    defines: [double]\n    concepts: {doubling: 10}\n" + DUE
    (home.root / "source" / "course" / "grading.yml").write_text(config, encoding="utf-8")
    assert home.graded()["score"] == 9
    home.metadata(users=[{"email": "ada@uni.EXAMPLE", "id": 1, "name": "Ada"}])
    assert home.graded()["score"] == 10


def metadata(
    *emails: str | None, created_at: str | None = "2018-07-01T14:22:32.365935-07:00"
) -> GradescopeSubmissionMetadata:
    return GradescopeSubmissionMetadata(
        id=1, created_at=created_at, users=tuple(GradescopeStudent(email=email) for email in emails)
    )


def test_a_group_has_the_deadline_of_its_kindest_extension(tmp_path: Path) -> None:
    due = load_course(write_toy(tmp_path, DUE)).assignments[0].deadline_rules
    alone, group = (
        compute_submission_lateness_or_none(metadata("bob@uni.example"), due),
        compute_submission_lateness_or_none(metadata("bob@x", "ADA@uni.example"), due),
    )
    assert alone is not None
    assert group is not None
    assert alone.percent_off == 10
    assert alone.seconds_late == 2 * 3600 + 22 * 60 + 32
    assert group.percent_off == 0
    assert group.has_extension
    nobody = compute_submission_lateness_or_none(metadata(), due)
    assert nobody is not None
    assert nobody.percent_off == 10


def test_names_and_missing_addresses_get_no_extension(tmp_path: Path) -> None:
    due = load_course(write_toy(tmp_path, DUE)).assignments[0].deadline_rules
    spoof = GradescopeSubmissionMetadata(
        id=1,
        created_at=metadata().created_at,
        users=(GradescopeStudent(name="ada@uni.example"), GradescopeStudent(email=None)),
    )
    found = compute_submission_lateness_or_none(spoof, due)
    assert found is not None
    assert not found.has_extension


@pytest.mark.parametrize(
    "written", [None, "", "yesterday", "2018-07-01", "2018-99-01T00:00:00Z", "2018-07-01T12:00:00"]
)
def test_without_a_time_a_deadline_cannot_be_held_against_anybody(tmp_path: Path, written: str | None) -> None:
    config = write_toy(tmp_path, DUE) / "grading.yml"
    config.write_text(config.read_text(encoding="utf-8").replace("timezone: Europe/Berlin\n", ""), encoding="utf-8")
    due = load_course(tmp_path).assignments[0].deadline_rules
    with pytest.raises(KitFault, match="created_at"):
        compute_submission_lateness_or_none(metadata("bob@uni.example", created_at=written), due)


def test_without_a_deadline_no_time_is_asked_for(tmp_path: Path) -> None:
    due = load_course(write_toy(tmp_path)).assignments[0].deadline_rules
    assert compute_submission_lateness_or_none(metadata(created_at=None), due) is None


def test_the_documented_sample_is_read() -> None:
    found = read_gradescope_metadata(DATA / "submission_metadata.json")
    assert found.submission_name_from_id == "submission_123456"
    assert [user.email for user in found.users] == ["student@example.com"]
    assert found.created_at is not None
    assert datetime.fromisoformat(found.created_at).astimezone(UTC).hour == 21
