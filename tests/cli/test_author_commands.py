"""``autograder check``, ``template`` and ``doctor``: what the author of a course is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autograder.course import load_course
from tests.cli.commands import NOT_PROVEN, Copy, run, succeeded, told, unwrapped


@pytest.fixture(scope="module")
def made_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a small assignment, ``vectors``, beside another; not to be changed."""
    course = tmp_path_factory.mktemp("made") / "course"
    succeeded(run("init", "--minimal", course))
    succeeded(run("new", "vectors", cwd=course))
    return course


@pytest.fixture
def small_course(made_course: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return shutil.copytree(made_course, tmp_path / "course")


@pytest.mark.thorough
def test_one_assignment_can_be_proven_alone(made_course: Path) -> None:
    shown = succeeded(run("check", "vectors", "--quick", "--course", made_course))
    assert "vectors" in shown
    assert "topological-sort" not in shown


def test_an_assignment_that_does_not_hold_together_is_not_proven(small_course: Path) -> None:
    for name in ("handout.md", "value.py"):
        (small_course / "student_template" / "vectors" / name).unlink()
    done = run("check", "vectors", "--quick", "--course", small_course)
    assert done.returncode == NOT_PROVEN
    assert "✗ the template is up to date" in done.stdout
    assert "handout.md is missing\n" in done.stdout
    assert "value.py is missing: run `autograder template vectors`\n" in done.stdout


@pytest.mark.thorough
def test_what_was_proven_is_proven_again_only_after_a_change(small_course: Path) -> None:
    check = ("check", "vectors", "--quick", "--course", small_course)
    assert "nothing has changed" not in succeeded(run(*check))
    assert unwrapped("nothing has changed since all of it was proven") in unwrapped(succeeded(run(*check)))
    assert "nothing has changed" not in succeeded(run(*check, "--no-cache"))
    handout = small_course / "student_template" / "vectors" / "handout.md"
    handout.write_text(handout.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    for _ in range(2):  # what does not hold is looked at each time
        done = run(*check)
        assert done.returncode == NOT_PROVEN
        assert "✗ the template is up to date" in done.stdout


def test_a_template_that_is_up_to_date_is_said_to_be(copy: Copy) -> None:
    course = copy()
    shown = succeeded(run("template", "--course", course))
    assert unwrapped(shown).count(unwrapped("up to date")) == len(load_course(course).assignments)


def test_a_template_that_is_not_is_written(copy: Copy) -> None:
    course = copy()
    (course / "student_template" / "topological-sort" / "handout.md").unlink()
    (course / "student_template" / "topological-sort" / "old.md").touch()
    shown = unwrapped(succeeded(run("template", "topological-sort", "--course", course)))
    assert unwrapped("topological-sort: wrote handout.md; removed old.md") in shown
    assert (course / "student_template" / "topological-sort" / "handout.md").is_file()


def test_a_template_of_a_solution_without_markers_is_told(copy: Copy) -> None:
    course = copy()
    solution = course / "solutions" / "topological-sort" / "value.py"
    solution.write_text("def build_topo(v, visited, topo): ...\n", encoding="utf-8")
    assert f"{solution}: the solution has no # BEGIN SOLUTION" in told(run("template", "--course", course))


def test_the_doctor_says_tiers_versions_and_limits(root: Path) -> None:
    shown = succeeded(run("doctor", cwd=root))
    for word in ("namespaces", "restricted", "process", "pytest", "bubblewrap", "cpu_seconds"):
        assert word in shown
    assert unwrapped(f"from {root / 'grading.yml'}") in unwrapped(shown)


def test_the_doctor_needs_no_course(tmp_path: Path) -> None:
    assert "the kit's defaults, since there is no course here" in succeeded(run("doctor", cwd=tmp_path))
