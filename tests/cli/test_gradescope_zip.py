"""``autograder gradescope-zip``: what it packs grades as the course does, and holds nothing else."""

from __future__ import annotations

import io
import subprocess
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from autograder.cli.main import main
from autograder.course import load_course
from autograder.platforms.gradescope import autograder_zip
from autograder.platforms.gradescope.autograder_zip import make_kit_wheel_name_and_content
from tests.toy import write_toy

MORE = """    deadline: 2026-01-01 12:00:00
    extensions: {"0123": 3, ada@uni.example: 2026-01-09 12:00:00+01:00}
  other:
    defines: [secret]
    concepts: {doubling: 1}
cluster: {slurm: {jobs: 1, cores: 1, memory: 1GB, walltime: "1:00:00", queue: secret-queue}}
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The toy course with a deadline, and another assignment beside it."""
    root = write_toy(tmp_path / "course", MORE)
    (root / "assignments" / "other" / "hidden").mkdir(parents=True)
    (root / "assignments" / "other" / "hidden" / "test_x.py").write_text("secret = 1\n", encoding="utf-8")
    cache = root / "assignments" / "toy" / "hidden" / "__pycache__"
    cache.mkdir()
    (cache / "x.pyc").write_bytes(b"secret")
    template = root / "student_template" / "toy"
    template.mkdir(parents=True)
    (template / "value.py").write_text("def double(x): raise NotImplementedError\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module", autouse=True)
def wheel_made_once() -> Iterator[None]:
    """The kit's wheel, which is made once: it is the same in every zip."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(autograder_zip, "make_kit_wheel_name_and_content", cache(make_kit_wheel_name_and_content))
        yield


def pack(course: Path, *options: str) -> Result:
    command = ["gradescope-zip", "toy", "--course", str(course), "--out", str(course.parent / "toy.zip"), *options]
    return CliRunner().invoke(main, command)


def packed(course: Path, *options: str) -> zipfile.ZipFile:
    done = pack(course, *options)
    assert done.exit_code == 0, done.output
    return zipfile.ZipFile(course.parent / "toy.zip")


def test_the_scripts_lie_at_the_root_and_can_be_run(course: Path) -> None:
    with packed(course) as archive:
        for name in ("setup.sh", "run_autograder"):
            assert archive.getinfo(name).external_attr >> 16 & 0o111
            content = archive.read(name)
            assert content.startswith(b"#!/usr/bin/env bash\n")
            assert b"\r" not in content
            assert subprocess.run(["bash", "-n"], input=content, check=False).returncode == 0


def test_the_course_in_it_grades_and_dates_as_the_one_here(course: Path, tmp_path: Path) -> None:
    with packed(course) as archive:
        archive.extractall(tmp_path / "source")
    (inside,) = load_course(tmp_path / "source" / "course").assignments
    here = load_course(course).assignments[0]
    assert (inside.version, inside.deadline_rules, inside.concepts) == (
        here.version,
        here.deadline_rules,
        here.concepts,
    )
    assert dict(inside.deadline_rules.extensions).keys() == {"0123", "ada@uni.example"}


def test_nothing_of_other_assignments_goes_into_it(course: Path) -> None:
    with packed(course) as archive:
        ours = [name for name in archive.namelist() if name.startswith("course/")]
        assert sorted(ours) == [
            "course/assignments/toy/hidden/test_double.py",
            "course/grading.yml",
            "course/solutions/toy/value.py",
            "course/student_template/toy/value.py",
        ]
        assert not any(b"secret" in archive.read(name) for name in ours)
        assert list(yaml.safe_load(archive.read("course/grading.yml"))["assignments"]) == ["toy"]


def test_the_same_course_gives_the_same_zip(course: Path) -> None:
    pack(course)
    first = (course.parent / "toy.zip").read_bytes()
    autograder_zip.make_kit_wheel_name_and_content.cache_clear()  # type: ignore[attr-defined]
    pack(course)
    assert (course.parent / "toy.zip").read_bytes() == first


def test_the_settings_are_what_was_asked_for(course: Path) -> None:
    with packed(course, "--bonus", "added") as archive:
        settings = archive.read("settings.sh").decode()
    assert 'bonus="added"\n' in settings
    assert 'pythons="3.14 3.13 3.12 3.11"\n' in settings


def test_packages_that_submissions_may_import_are_installed_there_too(course: Path) -> None:
    config = course / "grading.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(f"isolation: {{packages: [numpy]}}\n{text}", encoding="utf-8")
    with packed(course) as archive:
        assert 'packages="numpy"\n' in archive.read("settings.sh").decode()


def test_packages_that_hidden_tests_import_are_installed_there_too_and_told(course: Path) -> None:
    test = course / "assignments" / "toy" / "hidden" / "test_double.py"
    test.write_text(f"import json\nimport numpy.linalg\nimport yaml\n{test.read_text()}", encoding="utf-8")
    done = pack(course)
    assert "numpy: the tests or the diagnosis import it, so it is installed there" in done.stderr
    with zipfile.ZipFile(course.parent / "toy.zip") as archive:
        assert 'packages="numpy"\n' in archive.read("settings.sh").decode()
        assert "numpy" not in archive.read("course/grading.yml").decode()


def test_the_teacher_is_told_the_full_marks_and_that_it_is_secret(course: Path) -> None:
    done = pack(course)
    assert "points on Gradescope: 10" in done.stdout
    assert "staff alone" in done.stdout


def test_a_course_that_insists_on_namespaces_is_refused(course: Path) -> None:
    config = course / "grading.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(f"isolation: {{weakest_tier: namespaces}}\n{text}", encoding="utf-8")
    done = pack(course)
    assert done.exit_code == 2
    assert "weakest_tier" in done.stderr
    assert "restricted" in done.stderr
    assert not (course.parent / "toy.zip").exists()


def test_tests_that_are_shown_later_are_a_warning_about_the_total(course: Path) -> None:
    config = course / "grading.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(f"feedback: {{hidden_tests: after_published}}\n{text}", encoding="utf-8")
    assert "no total" in pack(course).stderr


@pytest.mark.thorough_but("memory_mb: 700-768 MB")
@pytest.mark.parametrize(("limit", "word"), [("memory_mb: 700", "768 MB"), ("submission_seconds: 600", "10 minutes")])
def test_limits_that_the_smallest_container_lacks_are_told(course: Path, limit: str, word: str) -> None:
    assert word not in pack(course).stderr
    config = course / "grading.yml"
    config.write_text(f"limits: {{{limit}}}\n{config.read_text(encoding='utf-8')}", encoding="utf-8")
    assert word in pack(course).stderr


def test_an_unknown_assignment_is_told(course: Path) -> None:
    done = CliRunner().invoke(main, ["gradescope-zip", "tony", "--course", str(course)])
    assert done.exit_code == 2
    assert "choose from toy, other" in done.stderr


def test_the_kit_goes_into_it_as_a_whole_wheel() -> None:
    name, content = make_kit_wheel_name_and_content()
    assert name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(io.BytesIO(content)) as wheel:
        names = wheel.namelist()
        record = next(one for one in names if one.endswith(".dist-info/RECORD"))
        assert {line.split(",")[0] for line in wheel.read(record).decode().splitlines()} == set(names)
        assert "autograder/platforms/gradescope/image/setup.sh" in names
        assert "autograder/py.typed" in names
        assert not any("__pycache__" in one for one in names)
        points = wheel.read(record.replace("RECORD", "entry_points.txt")).decode()
        assert "autograder = autograder.cli.main:main" in points


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def (:\n", "test_double.py:1: this line is not valid Python: "),
        ("import sys\n\nsys.exit(0)\n", "test_double.py:3: this file ends the program while it is imported"),
    ],
)
def test_a_suite_that_cannot_be_collected_is_not_packed(course: Path, text: str, said: str) -> None:
    (course / "assignments" / "toy" / "hidden" / "test_double.py").write_text(text, encoding="utf-8")
    done = pack(course)
    assert done.exit_code == 2
    assert said in done.output
    assert not (course.parent / "toy.zip").exists()


def test_a_suite_that_the_model_solution_does_not_pass_is_not_packed(course: Path) -> None:
    test = course / "assignments" / "toy" / "hidden" / "test_double.py"
    test.write_text(test.read_text().replace("[3, 5]", "[3, 5, 'x']"), encoding="utf-8")
    test.write_text(
        test.read_text().replace("2 * number", "number + number + number * (number == 5)"), encoding="utf-8"
    )
    done = pack(course)
    assert done.exit_code == 2
    assert "fails 1 of 3 hidden tests, such as doubling.double-5" in done.output
