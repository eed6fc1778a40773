"""Run the public suite as students do: on the solution, which must pass it, and on the stub, which must fail it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from autograder.author_checks.check_result import CheckResult
from autograder.course import Assignment
from autograder.template import render_student_template_files
from autograder.temporary_folders import temporary_folder

PYTEST_FAILED = 1
NOT_LOADED = "your code cannot be loaded"
"""What the template's ``conftest.py`` writes above the reason."""
XML_FILE = "results.xml"


@dataclass(frozen=True, slots=True)
class _PublicSuiteRun:
    """The public suite's results on one program."""

    exit_code: int
    summary: str
    """The last line, such as ``1 failed, 2 passed``."""
    first_line_by_failed_test: dict[str, str]
    """The first line of each failure, by the test's id, such as ``test_1_pairs.py::test_a_pair_is_merged``."""
    unloaded_files: tuple[str, ...]
    """Test files without any result."""
    reason_not_loaded: str


def check_public_suite(assignment: Assignment) -> CheckResult:
    """Check that the public suite passes the solution and that no test of it passes the stub."""
    with temporary_folder("template") as folder:
        for name, text in render_student_template_files(assignment).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        stubbed = _run_pytest(folder)
        shutil.copy(assignment.solution_file, folder / "value.py")
        solved = _run_pytest(folder)
    problems: list[str] = []
    if solved.exit_code != 0:
        problems += _describe_failures(solved)
    if stubbed.exit_code != PYTEST_FAILED or " passed" in stubbed.summary:
        problems.append(f"the stub does not fail every test: {stubbed.summary}")
    return CheckResult("the public suite passes the solution and fails the stub", tuple(problems))


def _describe_failures(solved: _PublicSuiteRun) -> Iterator[str]:
    """Yield what is wrong with the solution's run, a line for each test that fails and each file without a test."""
    for test, line in solved.first_line_by_failed_test.items():
        yield f"the solution fails public/{test}: {line}"
    for file in solved.unloaded_files:
        yield f"public/{file} cannot be loaded with the solution: {solved.reason_not_loaded or 'it holds no test'}"
    if not solved.first_line_by_failed_test and not solved.unloaded_files:
        yield f"the solution fails: {solved.summary}"


def _run_pytest(folder: Path) -> _PublicSuiteRun:
    command = [sys.executable, "-m", "pytest", "--disable-plugin-autoload", "-p", "no:cacheprovider"]
    process = subprocess.run(
        [*command, f"--junitxml={XML_FILE}"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    line_by_failed_test, loaded_files = {}, set()
    for case in _list_test_cases(folder / XML_FILE):
        file = f"{case.get('classname', '').removeprefix('tests.').partition('.')[0]}.py"
        loaded_files.add(file)
        for fault in (*case.findall("failure"), *case.findall("error")):
            line_by_failed_test[f"{file}::{case.get('name', '')}"] = _first_line(fault.get("message", ""))
    files = sorted(path.name for path in (folder / "tests").glob("test_*.py"))
    unloaded_files = tuple(file for file in files if file not in loaded_files)
    _, _, reason = process.stdout.partition(NOT_LOADED)
    return _PublicSuiteRun(
        process.returncode,
        _last_line(process.stdout),
        line_by_failed_test,
        unloaded_files,
        _first_line(reason.partition("\n")[2]),
    )


def _list_test_cases(path: Path) -> list[ElementTree.Element]:
    try:
        return [*ElementTree.parse(path).getroot().iter("testcase")]
    except (OSError, ElementTree.ParseError):  # pytest ended before it wrote anything
        return []


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:200]


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if " passed" in line or " failed" in line or " error" in line]
    return lines[-1].strip("= ") if lines else "no result"
