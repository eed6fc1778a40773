"""The benchmarks run, grade what they say, and do not mistake one number for another."""

from __future__ import annotations

import contextlib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from autograder.bridge.student import LocalStudentProxy
from autograder.course import Assignment, load_course
from benchmarks import bench, flat
from benchmarks.account import open_account
from benchmarks.classes import make_small_course
from benchmarks.measure import Command, measure, measure_endings
from benchmarks.peers.floor import Floor
from benchmarks.peers.wrapped import wrapped_tests
from benchmarks.readme import put_between
from tests.machine import PATIENCE


@pytest.fixture
def readme(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text(
        "# Numbers\n<!-- begin bench -->\nold\n<!-- end bench -->\n<!-- begin flat -->\n<!-- end flat -->\nend\n"
    )
    return path


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::pytest.PytestUnknownMarkWarning")  # a peer imports the suite without the kit
def test_graders_are_measured_on_the_same_class(
    tmp_path: Path, readme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "AT_ONCE", (2,))
    course = make_small_course(tmp_path / "course")
    words = ["--course", str(course), "--assignment", "doubles", "--copies", "2", "--slow-copies", "1", "--few", "0"]
    bench.main([*words, *("--only", "floor", "--only", "pytest"), "--readme", str(readme)])
    told = readme.read_text()
    assert "the floor: one warm pytest session, no isolation | 2 | 2 |" in told
    assert "`pytest --json-report`, a process each | 2 | 1 |" in told


def test_a_class_is_watched_from_the_first_result_to_the_gradebook(readme: Path) -> None:
    flat.main(["--copies", "20", "--workers", "1", "--folder", str(readme.parent)])
    assert "| coordinator, MB |" in readme.read_text()
    assert ET.parse(readme.with_name("flat.svg")).getroot().tag.endswith("svg")


def test_a_command_that_fails_ends_the_benchmark_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"ended with 3: sh -c .*\noh no"):
        measure([Command(["sh", "-c", "echo oh no; exit 3"], tmp_path)], 1)


def test_a_grader_that_gives_less_than_full_marks_is_not_measured(tmp_path: Path) -> None:
    course = make_small_course(tmp_path / "course")
    assignment = load_course(course).assignments[0]
    assignment.solution_file.write_text("def double(number):\n    return 6\n")
    made = bench.Bench(assignment, course, tmp_path)
    with pytest.raises(SystemExit, match=r"got \[0\.5\] of the marks"):
        made.row(Floor(), 0, 1, 1)


@pytest.mark.thorough
def test_hidden_tests_without_pytest_are_those_that_pytest_collects(engine: Assignment) -> None:
    tests = wrapped_tests(engine.hidden_suite_folder)
    names = {"__name__": "submission"}
    exec(engine.solution_file.read_text(encoding="utf-8"), names)
    student = LocalStudentProxy(names)
    for test in tests:
        test.run(student, engine.conventions)
    assert len({test.name for test in tests}) == len(tests) == 158


def test_only_what_stands_between_the_markers_is_written_anew(readme: Path) -> None:
    put_between(readme, "bench", "new")
    assert readme.read_text().startswith(
        "# Numbers\n<!-- begin bench -->\nnew\n<!-- end bench -->\n<!-- begin flat -->"
    )
    assert readme.read_text().endswith("<!-- end flat -->\nend\n")


@pytest.mark.parametrize("name", ["bench", "class", "flat"])
def test_the_readme_has_a_place_for_each_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / "README.md"
    path.write_bytes(bench.README.read_bytes())
    put_between(path, name, "new numbers")
    assert f"<!-- begin {name} -->\nnew numbers\n<!-- end {name} -->" in path.read_text(encoding="utf-8")


@pytest.mark.thorough
def test_a_command_that_does_not_end_is_ended_at_its_limit_with_what_it_started(tmp_path: Path) -> None:
    with open_account() as account:
        if not account.complete:
            pytest.skip("no control group can be made here")
    unheeded = "import os, signal, subprocess, time; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    child = f"{unheeded}; subprocess.Popen(['sh', '-c', 'sleep 600; touch late'], start_new_session=True)"
    child += "; time.sleep(600)"
    cost, (ending, quick) = measure_endings(
        [Command(["python3", "-c", child], tmp_path), Command(["sh", "-c", "exit 3"], tmp_path)], 2, 3
    )
    assert (ending.how, quick.how) == ("killed", "ended")
    assert cost.seconds < PATIENCE
    assert below_named("touch late") == []


def below_named(words: str) -> list[int]:
    """Return the processes whose command line holds these words."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if words in (folder / "cmdline").read_text(errors="replace"):
                found.append(int(folder.name))
    return found
