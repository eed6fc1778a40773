"""The zip as Gradescope uses it: unpacked, set up offline in what is nearly a container, and run there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.course import load_course
from autograder.faults import CallerFault
from autograder.platforms.gradescope.autograder_zip import make_autograder_zip
from tests.platforms.gradescope import DATA, read_results
from tests.redteam.container import run_inside, why_not
from tests.toy import HALF, RIGHT, write_toy

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NETWORK = "import socket; socket.create_connection(('203.0.113.1', 80), 1)"
READ_TESTS = """
import glob
found = []
for path in ('{root}/source/course/**', '/autograder/**', '/proc/1/environ', '{root}/submission_metadata.json'):
    for one in glob.glob(path, recursive=True):
        try:
            with open(one) as file:
                found.append(file.read())
        except Exception:
            pass
def double(x):
    return x + x if found else 6
"""


def unpacked(course: Path, root: Path, *, wheels: bool) -> Path:
    """``/autograder`` with the zip in ``source``, as the platform lays it out."""
    (assignment,) = load_course(course).assignments
    try:
        packed = make_autograder_zip(assignment, include_wheels=wheels, python_version=PYTHON)
    except CallerFault as fault:
        pytest.skip(f"pip cannot download here: {fault}")
    (root / "results").mkdir(parents=True)
    (root / "submission").mkdir()
    shutil.copy(DATA / "submission_metadata.json", root)
    (root / "toy.zip").write_bytes(packed)
    with zipfile.ZipFile(root / "toy.zip") as archive:
        archive.extractall(root / "source")
        for info in archive.infolist():
            (root / "source" / info.filename).chmod(info.external_attr >> 16)
    shutil.copy(root / "source" / "run_autograder", root)
    return root


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """``/autograder`` after ``setup.sh``, which had no network."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    python = shutil.which(f"python{PYTHON}", path=PATH)
    if not python or subprocess.run([python, "-c", "import ensurepip, venv"], check=False).returncode:
        pytest.skip(f"there is no python{PYTHON} in {PATH} that can make a virtual environment")
    folder = tmp_path_factory.mktemp("gradescope")
    root = unpacked(write_toy(folder / "course"), folder / "autograder", wheels=True)
    done = inside(root, "bash", root / "source" / "setup.sh")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "the reference solution passes all 2 tests here" in done.stdout
    yield root
    shutil.rmtree(root)


def inside(root: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """Run a command as the container's root, without a network and without this machine's settings."""
    settings = {"PATH": PATH, "HOME": "/root", "GRADESCOPE_ROOT": str(root), "PIP_CONFIG_FILE": os.devnull}
    return run_inside(command, network=False, env=settings, cwd=root, timeout=300)


def read_image_score(root: Path, source: str) -> float:
    """The score of a submission."""
    (root / "submission" / "value.py").write_text(source, encoding="utf-8")
    (root / "results" / "results.json").unlink(missing_ok=True)
    done = inside(root, root / "run_autograder")
    assert done.returncode == 0, done.stderr[-2000:]
    score = read_results((root / "results" / "results.json").read_bytes())["score"]
    assert isinstance(score, int | float)
    return score


@pytest.mark.thorough
def test_there_is_no_network_in_it(home: Path) -> None:
    assert "unreachable" in inside(home, sys.executable, "-c", NETWORK).stderr


@pytest.mark.thorough
def test_submissions_are_graded_there(home: Path) -> None:
    assert read_image_score(home, RIGHT) == 10
    assert read_image_score(home, HALF) == 5


@pytest.mark.thorough
def test_the_hidden_tests_are_out_of_reach_there(home: Path) -> None:
    spy: dict[str, Any] = {}
    exec(READ_TESTS.format(root=home), spy)
    assert spy["double"](5) == 10
    assert any("def test_double" in text for text in spy["found"])  # outside, it does find them
    assert read_image_score(home, READ_TESTS.format(root=home)) == 5
    assert not (home / "source" / "course").stat().st_mode & 0o077


@pytest.mark.thorough
def test_what_lies_in_the_submission_is_never_the_kit(home: Path) -> None:
    for folder in ("", "autograder"):
        (home / "submission" / folder).mkdir(exist_ok=True)
        for name in ("sitecustomize.py", "__init__.py", "autograder.py", "click.py"):
            (home / "submission" / folder / name).write_text("raise SystemExit(0)\n", encoding="utf-8")
    assert read_image_score(home, HALF) == 5


@pytest.mark.thorough
def test_without_metadata_nothing_is_scored(home: Path) -> None:
    (home / "submission_metadata.json").rename(home / "kept.json")
    (home / "results" / "results.json").write_text('{"score": 10}', encoding="utf-8")
    done = inside(home, home / "run_autograder")
    (home / "kept.json").rename(home / "submission_metadata.json")
    assert done.returncode == 1
    assert "submission_metadata.json: cannot read this file" in done.stderr
    assert not (home / "results" / "results.json").exists()


def test_without_a_python_setup_says_which_ones_would_do(tmp_path: Path) -> None:
    root = unpacked(write_toy(tmp_path / "course"), tmp_path / "autograder", wheels=False)
    settings = root / "source" / "settings.sh"
    settings.write_text(settings.read_text(encoding="utf-8").replace("3.14 3.13 3.12 3.11", "3.98 3.97"), "utf-8")
    asked = fake(tmp_path, "apt-get", 'echo "$*" >> "$HOME/asked"; [ "$1" = update ]')
    done = subprocess.run(
        ["bash", root / "source" / "setup.sh"], env=asked, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "there is no Python 3.98 3.97 here" in done.stderr
    installs = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()[1:]
    assert [line.split()[-2:] for line in installs] == [
        ["python3.98", "python3.98-venv"],
        ["python3.97", "python3.97-venv"],
    ]


@pytest.mark.thorough
def test_an_image_that_cannot_grade_is_not_built(home: Path) -> None:
    solution = home / "source" / "course" / "solutions" / "toy" / "value.py"
    solution.write_text("def double(x):\n    return 6\n", encoding="utf-8")
    done = inside(home, "bash", home / "source" / "setup.sh")
    solution.write_text(RIGHT, encoding="utf-8")
    assert done.returncode == 1
    assert "the reference solution fails 1 of 2 tests here" in done.stderr
    assert "this image cannot grade" in done.stderr


def fake(folder: Path, name: str, script: str) -> dict[str, str]:
    """An environment in which a program is replaced."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (programs / name).chmod(0o755)
    return {"PATH": f"{programs}:{PATH}", "HOME": str(folder)}
