"""Every command that a page for students, assistants or administrators shows does what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COURSE = ("grading.yml", "assignments", "solutions", "student_template", "examples")
STARTS = {"students.md": "student_template/autograd-engine", "teaching-assistants.md": ".", "administrators.md": "."}
"""Where a page's reader stands, in a copy of the course."""
LONGEST = 240
BLOCK = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
NUMBER = r"\d+(?:\.\d+)?"
VARIES = re.compile(rf"{NUMBER} s\b|{NUMBER} a second|isolation: \w+")
"""What differs from one run and machine to the next: times, and the tier."""


@dataclass(frozen=True)
class Shown:
    """One command of a page."""

    line: int
    command: str
    prints: str
    """With ``...`` for what is left out."""


def commands(page: Path) -> Iterator[Shown]:
    """Every line of a console block that begins with ``$``, with what stands below it."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1)) + 1
        lines = block[1].splitlines()
        starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            command = lines[start][2:].partition("   #")[0]
            yield Shown(first + start, command.strip(), "\n".join(lines[start + 1 : end]).strip("\n"))


def prints(shown: str, printed: str) -> bool:
    """Whether a command printed what the page shows; nothing shown, nothing promised."""
    parts = [part.strip() for part in re.split(r"(?m)^\s*\.\.\.$|\.\.\.", shown)]
    place, plain = 0, _plain(printed)
    for part in parts:
        found = plain.find(_plain(part), place)
        if found < 0:
            return False
        place = found + len(_plain(part))
    return True


def _plain(text: str) -> str:
    return " ".join(VARIES.sub("#", text).split())


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("course")
    for name in COURSE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
        else:
            shutil.copy(source, place / name)
    return place


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "students.md" else pytest.mark.thorough) for name in STARTS],
)
def test_a_pages_commands_print_what_it_shows(course: Path, tmp_path: Path, name: str) -> None:
    place = shutil.copytree(course, tmp_path / "course") / STARTS[name]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "FORCE_COLOR"))}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    failures = []
    found = [*commands(ROOT / "docs" / name)]
    assert found, "a page begins with its commands"
    for one in found:
        done = subprocess.run(
            one.command,
            shell=True,
            cwd=place,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
        printed = done.stdout + done.stderr
        told = "error: " in one.prints or "pytest" in one.command
        if not prints(one.prints, printed) or (done.returncode and not told) or "Traceback" in printed:
            failures.append(f"{name}:{one.line}: $ {one.command}\n(exit {done.returncode})\n{printed[:3000]}")
    assert not failures, "\n\n".join(failures)


@pytest.mark.parametrize("name", STARTS)
def test_a_page_begins_with_its_commands(name: str) -> None:
    lines = (ROOT / "docs" / name).read_text(encoding="utf-8").splitlines()
    before = lines[: lines.index("```console")]
    assert len([line for line in before if line and not line.startswith("#")]) <= 3


@pytest.mark.parametrize(
    ("shown", "printed", "holds"),
    [
        ("a\n...\nc", "a\nb\nc\n", True),
        ("a\n...\nc", "a\nb\n", False),
        ("graded in 1.5 s, 3.1 a second", "graded in 0.9 s, 7 a second", True),
        ("graded 2", "graded 3", False),
        ("", "anything", True),
    ],
)
def test_what_is_shown_is_compared_but_for_times(shown: str, printed: str, holds: bool) -> None:
    assert prints(shown, printed) == holds
