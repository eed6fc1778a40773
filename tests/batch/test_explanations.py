"""With `--explain`, all marks come first; then wrong submissions get their repairs, and no mark changes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
AUTOGRADER = Path(sys.executable).with_name("autograder")


def graded(out: Path, submissions: Path, *options: str) -> tuple[str, dict[str, Any]]:
    """Grade a class; return what was printed, and the reports by name."""
    paths = (str(submissions), "--out", str(out))
    command = [str(AUTOGRADER), "batch", "autograd-engine", *paths, "--allow-unsafe", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    reports = {path.stem: json.loads(path.read_text()) for path in (out / "reports").glob("*.json")}
    return done.stdout + done.stderr, reports


def test_a_wrong_submission_gets_its_repair_after_all_marks_and_a_right_one_none(tmp_path: Path) -> None:
    submissions = tmp_path / "class"
    submissions.mkdir()
    for name in ("forgot_reversed.py", "textbook.py"):
        shutil.copy(ROOT / "examples" / "submissions" / name, submissions)
    _, plain = graded(tmp_path / "plain", submissions)
    printed, explained = graded(tmp_path / "explained", submissions, "--explain")
    assert "all marks are there; explained 1 of 1 wrong submission" in printed
    assert {name: report["score"] for name, report in explained.items()} == {
        name: report["score"] for name, report in plain.items()
    }
    diagnosis = explained["forgot_reversed"]["diagnosis"]
    assert diagnosis["repair_pending"] is False
    assert [edit["kind"] for edit in diagnosis["repair"]["edits"]] == ["call"]
    assert explained["textbook"]["diagnosis"]["repair"] is None
    assert plain["forgot_reversed"]["diagnosis"]["repair"] is None
    again, _ = graded(tmp_path / "explained", submissions, "--explain")
    assert "0 graded" in again
    assert "2 unchanged" in again
