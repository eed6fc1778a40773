"""The copy of the library has what programs import, leaves no trace of who read it, and goes with the grader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.course.model import TierName
from autograder.sandbox import SandboxConfig, installed_files
from autograder.sandbox.installed_files import (
    NOT_COPIED,
    PackagePath,
    PythonCopyPaths,
    try_copy_interpreter_and_packages,
)
from tests.sandbox.conftest import Run, offered

MODULES = sorted(
    name
    for name in sys.stdlib_module_names - NOT_COPIED
    if not name.startswith("_") and name not in {"antigravity", "this", "idlelib", "turtle", "tkinter"}
)
IMPORT_ALL = f"""
import warnings
def attack():
    warnings.simplefilter("ignore")
    missing = []
    for name in {MODULES!r}:
        try: __import__(name)
        except ImportError: missing.append(name)
    return missing
"""


@pytest.fixture(scope="module")
def copy() -> PythonCopyPaths:
    """A copy of this interpreter's library."""
    made = try_copy_interpreter_and_packages()
    assert made is not None
    return made


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("tier", ["namespaces", "restricted"])
def test_every_module_can_be_imported_that_can_be_without_isolation(run_in: Run, tier: TierName) -> None:
    assert run_in(offered(tier), IMPORT_ALL) == run_in(offered("process"), IMPORT_ALL)


def test_reading_a_file_of_the_copy_moves_no_time(copy: PythonCopyPaths) -> None:
    if os.statvfs(copy.root).f_flag & os.ST_NOATIME:
        pytest.skip("there are no times of reading here")
    places = [Path(copy.stdlib), *Path(copy.stdlib).glob("j*.py"), *Path(copy.shared_libraries).iterdir()]
    before = [place.stat().st_atime_ns for place in places]
    for place in places:
        [*place.iterdir()] if place.is_dir() else place.read_bytes()
    assert [place.stat().st_atime_ns for place in places] == before


def test_no_installed_package_and_no_test_is_copied(copy: PythonCopyPaths) -> None:
    assert not {*os.listdir(copy.stdlib)} & NOT_COPIED


def test_packages_that_are_too_large_are_not_copied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "large.py").write_bytes(bytes(1001))
    monkeypatch.setattr(installed_files, "MOST_BYTES", 1000)
    assert try_copy_interpreter_and_packages((PackagePath(str(tmp_path / "large.py"), "large"),)) is None


def test_without_room_for_a_copy_the_machines_library_is_used(monkeypatch: pytest.MonkeyPatch, run_in: Run) -> None:
    monkeypatch.setattr(
        "autograder.sandbox.tiers.try_copy_interpreter_and_packages",
        lambda packages: None,
    )
    sandbox: SandboxConfig = offered("restricted")
    assert sandbox.library_copy is None
    assert run_in(sandbox, "import json\ndef attack(): return json.loads('1')") == 1


def test_the_copy_goes_with_the_process_that_made_it() -> None:
    source = """
from autograder.sandbox.installed_files import try_copy_interpreter_and_packages
print(try_copy_interpreter_and_packages().root)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert not os.path.exists(done.stdout.strip())
