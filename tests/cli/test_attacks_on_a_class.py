"""Names that are no text, with the commands that staff type: the class is graded, and its results are exported."""

from __future__ import annotations

from pathlib import Path

from tests.cli.commands import run, succeeded
from tests.platforms.classes import laid_out
from tests.toy import RIGHT, write_toy


def test_a_login_that_is_no_text_and_a_time_that_is_none_stop_no_class(tmp_path: Path) -> None:
    place = write_toy(tmp_path, "    deadline: 2026-11-20 12:00\n")
    when = "2026-11-20 11:00:00 UTC"
    for student, stamp in (("ada", when), ("mal\udcff", when), ("zoe", "0001-01-01 00:00:00 +14:00")):
        laid_out(
            place / "hw" / "submitted", {f"{student}/ps1/value.py": RIGHT, f"{student}/ps1/timestamp.txt": stamp}
        )
    said = succeeded(run("batch", "toy", "hw", "--out", "out", cwd=place))
    assert "downloaded from nbgrader: 3 submissions" in said
    for platform in ("nbgrader", "otter"):
        made = succeeded(run("export", platform, "--batch", "out", "--out", f"new-{platform}", cwd=place))
        assert "wrote new-" in made, "in text that a terminal shows"
    assert (place / "new-nbgrader" / "grades.csv").read_bytes().count(b",10.0,10.0") == 3
