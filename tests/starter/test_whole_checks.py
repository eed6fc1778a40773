"""What ``init`` and ``new`` write passes the whole check at once, with nothing generated beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded
from tests.toy import write_toy


@pytest.mark.thorough
def test_a_minimal_course_passes_the_whole_check(tmp_path: Path) -> None:
    succeeded(run("init", "--minimal", "course", cwd=tmp_path))
    said = succeeded(run("check", cwd=tmp_path / "course"))
    assert "✗" not in said
    assert "the table of marks is not written yet" in said


@pytest.mark.thorough
def test_a_new_assignment_passes_the_whole_check(tmp_path: Path) -> None:
    write_toy(tmp_path)
    succeeded(run("new", "vectors", cwd=tmp_path))
    said = succeeded(run("check", "vectors", cwd=tmp_path))
    assert "✗" not in said
    assert "at least 95% of the misconceptions are named" in said


@pytest.mark.thorough
def test_a_new_assignment_passes_the_whole_check_after_an_update(tmp_path: Path) -> None:
    write_toy(tmp_path)
    succeeded(run("new", "vectors", cwd=tmp_path))
    assert "✗" not in succeeded(run("check", "vectors", "--update", cwd=tmp_path))
    assert (tmp_path / "solutions" / "vectors" / "observations.json").is_file()
    assert "## Vectors" in (tmp_path / "docs" / "report-card.md").read_text(encoding="utf-8")
    said = succeeded(run("check", "vectors", "--no-cache", cwd=tmp_path))
    assert "✗" not in said
    assert "the report card is up to date" in said
