"""In somebody else's project, beside an installed kit, pytest behaves as if the kit were not there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.toy import write_toy

CONFTEST = """
import pytest

@pytest.fixture
def student():
    return "Ada of this project"
"""
TESTS = """
import pytest

@pytest.mark.concept
@pytest.mark.subject("another thing")
def test_its_own(student, request):
    assert student == "Ada of this project"
    assert request.node.get_closest_marker("concept").args == ()
"""
INI = (
    "[pytest]\naddopts = --strict-markers --strict-config -W error\n"
    "markers =\n  concept: of ours\n  subject: of ours\n"
)
OURS = ("student", "subject", "about", "blocked_by", "conventions")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that calls its own things as hidden suites do."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "test_its_own.py").write_text(TESTS, encoding="utf-8")
    (folder / "pytest.ini").write_text(INI, encoding="utf-8")
    return folder


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as anybody does, with every plugin that is installed."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_kit_is_among_the_plugins_that_are_loaded_there(project: Path) -> None:
    assert "autograd-exercise-kit" in run_pytest(project).stdout


def test_a_fixture_called_student_and_markers_of_the_projects_own_are_its_own(project: Path) -> None:
    done = run_pytest(project)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert "isolation:" not in done.stdout


@pytest.mark.thorough
def test_no_fixture_of_the_kits_is_there(project: Path) -> None:
    (project / "conftest.py").unlink()
    for name in OURS:
        (project / "test_its_own.py").write_text(f"def test_it({name}): pass\n", encoding="utf-8")
        assert f"fixture '{name}' not found" in run_pytest(project).stdout
    assert "autograder/grading" not in run_pytest(project, "--fixtures").stdout


@pytest.mark.thorough
def test_no_marker_of_the_kits_is_there(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    assert "'concept' not found in `markers`" in run_pytest(project).stdout
    assert "concept of grading.yml" not in run_pytest(project, "--markers").stdout


@pytest.mark.thorough
def test_of_the_kit_the_help_shows_one_group_with_its_options(project: Path) -> None:
    shown = run_pytest(project, "--help").stdout
    group = re.search(r"^autograder:\n((?:  .*\n)+)", shown, re.M)
    assert group is not None
    assert re.findall(r"^  (--[\w-]+)", group[1], re.M) == ["--submission", "--in-process"]
    assert "autograder" not in shown.replace(group[0], "")


def test_the_hidden_suite_of_a_course_says_that_it_needs_a_submission(tmp_path: Path) -> None:
    course = write_toy(tmp_path / "course")
    for argument in ("assignments/toy/hidden", "assignments/toy/hidden/test_double.py::test_double"):
        done = run_pytest(course, argument)
        assert done.returncode == pytest.ExitCode.USAGE_ERROR
        assert "a hidden suite needs a submission: add `--submission value.py`" in done.stderr
        assert "warning" not in done.stdout + done.stderr


def test_a_test_of_a_stub_is_skipped_with_one_sentence(tmp_path: Path) -> None:
    course = write_toy(tmp_path / "course")
    test = course / "assignments" / "toy" / "hidden" / "test_double.py"
    test.write_text(
        test.read_text().replace("@pytest", '@pytest.mark.subject("double")\n@pytest', 1), encoding="utf-8"
    )
    (tmp_path / "value.py").write_text("def double(x):\n    raise NotImplementedError\n", encoding="utf-8")
    said = run_pytest(course, "assignments/toy/hidden", "--submission", str(tmp_path / "value.py")).stdout
    assert re.search(
        r"^SKIPPED \[2\] assignments/toy/hidden/test_double.py:\d+: double is not written yet$", said, re.M
    )
    assert "2 skipped" in said
    assert "RequiredNameNotUsable" not in said
