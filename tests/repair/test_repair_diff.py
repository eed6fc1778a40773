"""A repair as a unified diff: tools can apply it, and it holds nothing of the reference's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from autograder.repair.model import Edit, diff_edit, format_unified_diff
from tests.reports.sample import an_edit


def edit(line: int, before: str, after: str) -> Edit:
    return an_edit(line=line, end_line=line + before.count("\n"), before=before, after=after)


EDITS = (edit(1, "a = 1", "a = 1\naa = 1"), edit(2, "b = 2\n\tc = 3", "\tc = 3"), edit(4, "d = 4", "d = 5"))


def test_lines_that_stay_are_told_apart_from_those_that_go_and_come() -> None:
    diff = diff_edit(edit(7, "a\nb\nc", "a\nx\nc"))
    assert [(line.sign, line.number, line.text) for line in diff.lines] == [
        (" ", 7, "a"), ("-", 8, "b"), ("+", 0, "x"), (" ", 9, "c"),
    ]  # fmt: skip


@pytest.mark.skipif(not shutil.which("patch"), reason="there is no patch here")
def test_patch_applies_it(tmp_path: Path) -> None:
    (tmp_path / "value.py").write_text("a = 1\nb = 2\n\tc = 3\nd = 4\n")
    subprocess.run(["patch", "-p0"], cwd=tmp_path, input=format_unified_diff(EDITS), text=True, check=True)
    assert (tmp_path / "value.py").read_text() == "a = 1\naa = 1\n\tc = 3\nd = 5\n"


def test_of_another_method_the_lines_are_named_and_not_its_text() -> None:
    text = format_unified_diff([an_edit(kind="method", line=40, end_line=52, after="secret")])
    assert "lines 40 to 52" in text
    assert "secret" not in text


def test_no_line_of_a_students_steers_a_terminal() -> None:
    assert "\x1b" not in format_unified_diff([edit(1, "a\x1b[31m", "b")])
