"""``autograder repair``: the change in words, as JSON, as a diff, and applied."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from autograder.cli import repair as repair_command
from autograder.cli.main import main
from autograder.grading import GradedSubmission, Grader
from autograder.repair.model import NO_REPAIR, Edit, Repair
from tests.cli.commands import CALLERS_MISTAKE, DONE
from tests.toy import HALF, write_toy

LINE = 2
BEFORE = HALF.splitlines()[LINE - 1]
EDIT = Edit(
    file="value.py",
    line=LINE,
    end_line=LINE,
    before=BEFORE,
    after=f"{BEFORE}  # right",
    kind="constant",
    function="f",
    old="1",
    new="2",
)
FOUND = Repair(edits=(EDIT,), proven=True, complete=True, tried=3)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return write_toy(tmp_path / "course")


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    path = tmp_path / "value.py"
    path.write_text(HALF, encoding="utf-8")
    return path


def run(course: Path, submission: Path, *options: str | Path) -> Result:
    arguments = ["repair", "toy", submission, "--course", course, "--allow-unsafe", "--tier", "process", *options]
    return CliRunner().invoke(main, [str(one) for one in arguments])


def find(monkeypatch: pytest.MonkeyPatch, found: Repair) -> None:
    def find_repair(grader: Grader, graded: GradedSubmission) -> Repair:
        assert grader.assignment.name == "toy"
        assert graded.test_results
        return found

    monkeypatch.setattr(repair_command, "find_repair_of_graded", find_repair)


def test_the_change_is_said_and_shown(monkeypatch: pytest.MonkeyPatch, course: Path, submission: Path) -> None:
    find(monkeypatch, FOUND)
    result = run(course, submission)
    assert result.exit_code == DONE
    assert f"In line {LINE}, inside `f`, `1` stands where `2` is needed." in result.stdout
    assert f"+ {BEFORE.strip()}  # right" in result.stdout
    assert "With this, all that is asked for holds." in result.stdout


def test_where_none_is_found_that_is_work_done_too(
    monkeypatch: pytest.MonkeyPatch, course: Path, submission: Path, tmp_path: Path
) -> None:
    find(monkeypatch, NO_REPAIR)
    result = run(course, submission, "--apply", tmp_path / "out.py")
    assert result.exit_code == DONE
    assert "no small change makes it right (0 changes tried)" in result.stdout
    assert "out.py is not written" in result.stderr
    assert not (tmp_path / "out.py").exists()


def test_it_is_printed_as_json(monkeypatch: pytest.MonkeyPatch, course: Path, submission: Path) -> None:
    find(monkeypatch, FOUND)
    assert msgspec.json.decode(run(course, submission, "--json").stdout, type=Repair) == FOUND


def test_it_is_printed_as_a_diff(monkeypatch: pytest.MonkeyPatch, course: Path, submission: Path) -> None:
    find(monkeypatch, FOUND)
    assert run(course, submission, "--diff").stdout == (
        f"--- value.py\n+++ value.py\n@@ -{LINE},1 +{LINE},1 @@\n-{BEFORE}\n+{BEFORE}  # right\n"
    )


def test_it_is_applied_to_another_file(
    monkeypatch: pytest.MonkeyPatch, course: Path, submission: Path, tmp_path: Path
) -> None:
    find(monkeypatch, FOUND)
    assert run(course, submission, "--apply", tmp_path / "out.py").exit_code == DONE
    assert (tmp_path / "out.py").read_text(encoding="utf-8") == HALF.replace(BEFORE, f"{BEFORE}  # right", 1)
    assert submission.read_text(encoding="utf-8") == HALF


def test_the_submission_itself_is_never_overwritten(
    monkeypatch: pytest.MonkeyPatch, course: Path, submission: Path, tmp_path: Path
) -> None:
    find(monkeypatch, FOUND)
    (tmp_path / "link.py").symlink_to(submission)
    for out in (submission, tmp_path / "link.py"):
        result = run(course, submission, "--apply", out)
        assert result.exit_code == CALLERS_MISTAKE
        assert "this file is the submission itself" in result.stderr
    assert submission.read_text(encoding="utf-8") == HALF


def test_a_change_is_applied_to_a_single_file_only(course: Path, submission: Path, tmp_path: Path) -> None:
    result = run(course, submission.parent / "folder", "--apply", tmp_path / "out.py")
    assert result.exit_code == CALLERS_MISTAKE
    (tmp_path / "folder").mkdir()
    result = run(course, tmp_path / "folder", "--apply", tmp_path / "out.py")
    assert (result.exit_code, "single file" in result.stderr) == (CALLERS_MISTAKE, True)


def test_json_and_diff_at_once_are_refused(course: Path, submission: Path) -> None:
    assert run(course, submission, "--json", "--diff").exit_code == CALLERS_MISTAKE
