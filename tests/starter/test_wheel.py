"""A wheel works alone: installed where nothing of the repository is, it makes a course and grades it."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from autograder import __version__
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.starter.writer import GUIDE_PAGES, iterate_assignment_files, load_kit_course
from tests.starter.installing import ROOT, build, run_installed

pytestmark = pytest.mark.thorough  # building and installing a wheel takes long
COURSE = "autograder/starter/course/"


def test_a_wheel_holds_the_whole_course_and_nothing_else_of_the_repository(wheel: Path) -> None:
    course = load_kit_course()
    wanted = {
        path.relative_to(ROOT).as_posix() for one in course.assignments for path in iterate_assignment_files(one)
    }
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.removeprefix(COURSE) for name in names if name.startswith(COURSE)} == wanted | {
        "grading.yml",
        *GUIDE_PAGES,
    }
    assert {name.split("/")[0] for name in names} == {
        "autograder",
        f"autograd_exercise_kit-{__version__}.dist-info",
    }


def test_what_an_earlier_build_left_goes_into_no_wheel(source: Path, tmp_path: Path) -> None:
    left = [
        source / "build" / "lib" / "autograder" / "gone.py",
        source / "build" / "lib" / COURSE / "assignments" / "gone" / "hidden" / "test_x.py",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    with zipfile.ZipFile(build("wheel", source, tmp_path)) as archive:
        assert not [name for name in archive.namelist() if "gone" in name]


@pytest.mark.thorough
def test_a_source_distribution_builds_the_same_wheel(source: Path, wheel: Path, tmp_path: Path) -> None:
    packed = build("sdist", source, tmp_path)
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    again = build("wheel", tmp_path / packed.name.removesuffix(".tar.gz"), tmp_path / "again")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert sorted(first.namelist()) == sorted(second.namelist())


@pytest.mark.thorough
def test_a_kit_is_the_same_kit_however_it_was_installed(installed: Path, tmp_path: Path) -> None:
    done = run_installed(
        installed,
        "python",
        "-c",
        "import autograder.kit_version as k; print(k.PACKAGE_FOLDER, k.get_kit_version_with_code_digest())",
        cwd=tmp_path,
    )
    place, version = done.stdout.split()
    assert not Path(place).is_relative_to(ROOT)
    assert version == get_kit_version_with_code_digest()


@pytest.mark.thorough
def test_an_installed_wheel_makes_a_course_and_grades_its_solution(installed: Path, tmp_path: Path) -> None:
    made = run_installed(installed, "autograder", "init", "--minimal", "course", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    solution = "solutions/topological-sort/value.py"
    done = run_installed(installed, "autograder", "grade", "topological-sort", solution, cwd=tmp_path / "course")
    assert "100 of 100 points" in done.stdout, done.stderr


def test_outside_a_course_a_command_says_how_to_make_one(installed: Path, tmp_path: Path) -> None:
    done = run_installed(installed, "autograder", "check", cwd=tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "no grading.yml in " in line
    assert "autograder init my-course" in line


@pytest.mark.thorough
def test_every_command_works_in_a_course_of_an_installed_wheel(installed: Path, tmp_path: Path) -> None:
    course = tmp_path / "course"
    assert run_installed(installed, "autograder", "init", course, cwd=tmp_path).returncode == 0
    (course / "submissions").mkdir()
    solution = course / "solutions" / "autograd-engine" / "value.py"
    (course / "submissions" / "ada.py").write_bytes(solution.read_bytes())
    for command, says in (
        ("batch autograd-engine submissions --out results", "1 submission: 1 graded"),
        ("report --out results --pages", "results/reports"),
        ("template", "up to date"),
        ("gradescope-zip autograd-engine", "autograder points on Gradescope: 100"),
        ("doctor", str(course / "grading.yml")),
        ("check --quick", "the template is up to date"),
    ):
        done = run_installed(installed, "autograder", *command.split(), cwd=course)
        assert done.returncode == 0, done.stdout + done.stderr
        assert says in done.stdout
    with zipfile.ZipFile(course / "autograd-engine-gradescope.zip") as packed:
        (kit,) = (name for name in packed.namelist() if name.endswith(".whl"))
        with packed.open(kit) as file, zipfile.ZipFile(file) as inner:
            assert not [name for name in inner.namelist() if name.startswith(COURSE)]
