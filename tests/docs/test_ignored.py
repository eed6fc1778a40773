"""Whatever the documentation's commands write in a checkout is ignored by git: it holds marks, or hidden tests."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from autograder.platforms.common.installed_platforms import load_platforms_by_name

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "Makefile", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN = re.compile(r"--(?P<option>out|report|page|otter) (?P<path>[\w./-]+)")
THIN = re.compile(r"^\| `(?P<platform>\w+)`[^|]*\| (?P<files>`[^|]*\.\w+`) \|", re.M)
"""A platform's row in the table of what one report's results are called."""


def outputs() -> Iterator[str]:
    """Every path that a page's commands write to, from the folder of the course; placeholders are in capitals."""
    for text in (page.read_text(encoding="utf-8") for page in PAGES):
        for found in WRITTEN.finditer(text):
            path = PurePosixPath(found["path"])
            if path.is_absolute() or str(path) == "." or path.name.isupper():
                continue
            yield str(path) if path.suffix else f"{path}/anything"
            if found["option"] == "report":
                yield str(path.with_suffix(".pytest.json"))
        for row in THIN.finditer(text):
            if row["platform"] in load_platforms_by_name():
                yield from re.findall(r"`([^`]+)`", row["files"])


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    shutil.copy(ROOT / ".gitignore", tmp_path)
    return tmp_path


def is_ignored(repository: Path, path: str) -> bool:
    done = subprocess.run(["git", "check-ignore", "--quiet", path], cwd=repository, check=False)
    assert done.returncode in (0, 1)
    return done.returncode == 0


def test_every_output_of_the_documentations_commands_is_ignored(repository: Path) -> None:
    found = {*outputs()}
    assert {"results/anything", "report.json", "gradescope.zip", "upload/anything", "feedback.json"} <= found
    missing = sorted(path for path in found if not is_ignored(repository, path))
    assert not missing, "add them to .gitignore"


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        *((path, True) for path in ("autograd-engine-gradescope.zip", "build/sbom.json")),
        *(
            (f"anywhere/{name}", True)
            for name in ("results.sqlite", "results.sqlite-wal", ".writing-0123456789abcdef")
        ),
        *(
            (path, False)
            for path in ("assignments/x/hidden/test_x.py", "solutions/x/value.py", "grading.yml", "docs/x.md")
        ),
    ],
)
def test_what_commands_write_is_ignored_and_what_a_course_is_made_of_is_not(
    repository: Path, path: str, *, ignored: bool
) -> None:
    assert is_ignored(repository, path) == ignored
