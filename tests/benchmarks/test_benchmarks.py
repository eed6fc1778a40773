"""The benchmarks run, grade what they say, and do not mistake one number for another."""

from __future__ import annotations

import contextlib
import time
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.bridge.student import LocalStudentProxy
from autograder.course import Assignment, load_course
from benchmarks import bench, flat
from benchmarks.account import open_account
from benchmarks.classes import make_small_course
from benchmarks.measure import Command, Cost, measure, measure_endings
from benchmarks.peers.floor import Floor
from benchmarks.peers.kit import Kit
from benchmarks.peers.plain_pytest import PlainPytest
from benchmarks.peers.wrapped import wrapped_tests
from benchmarks.readme import put_between
from benchmarks.row import Measured, row_of, table
from benchmarks.samples import Sample, drifts
from tests.machine import PATIENCE

BUSY = "import time\nheld = bytearray(60_000_000)\nwhile time.process_time() < 0.3: pass"
COST = Cost(seconds=10.0, cpu_seconds=20.0, complete=True, largest_mb=30.0, together_mb=90.0, proportional_mb=70.0)


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


def test_peers_that_are_not_there_are_skipped_and_say_why(tmp_path: Path) -> None:
    (told,) = bench.peers(["otter", "gradescope"], tmp_path / "python")
    assert told == f"gradescope-utils and otter-grader: {tmp_path / 'python'}: No such file or directory"


def test_a_command_s_processes_are_counted_with_those_below_them(tmp_path: Path) -> None:
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}])"
    cost = measure([Command(["python3", "-c", child], tmp_path)], 1)
    assert cost.cpu_seconds >= 0.3
    assert 60 < cost.largest_mb < cost.together_mb < 200
    assert 0 < cost.proportional_mb < cost.together_mb


def test_what_nobody_waits_for_is_counted_where_a_control_group_can_be_made(tmp_path: Path) -> None:
    with open_account() as account:
        if not account.complete:
            pytest.skip("no control group can be made here")
    unheeded = "import signal, subprocess, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    left = f"{unheeded}; subprocess.run([sys.executable, '-c', {BUSY!r}])"
    assert measure([Command(["python3", "-c", left], tmp_path)], 1).cpu_seconds >= 0.3


def test_a_command_that_fails_ends_the_benchmark_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"ended with 3: sh -c .*\noh no"):
        measure([Command(["sh", "-c", "echo oh no; exit 3"], tmp_path)], 1)


def test_one_failure_ends_what_runs_beside_it(tmp_path: Path) -> None:
    with open_account() as account:
        if not account.complete:
            pytest.skip("no control group can be made here")
    started = time.monotonic()
    with pytest.raises(SystemExit, match="ended with 3"):
        measure([Command(["sleep", "600"], tmp_path), Command(["sh", "-c", "exit 3"], tmp_path)], 2)
    assert time.monotonic() - started < PATIENCE


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


def test_start_up_is_what_is_left_when_submissions_are_free() -> None:
    few = replace(COST, seconds=4.0, cpu_seconds=5.0)
    row = row_of(Kit("process"), 2, Measured(40, COST), Measured(10, few))
    assert (row.each, row.start_up, row.cpu_each, row.thousand) == (0.2, 2.0, 0.5, 202.0)


def test_rows_are_compared_with_the_strongest_tier_of_the_kit_on_most_processors() -> None:
    rows = [
        row_of(peer, at_once, Measured(count, COST), None)
        for peer, at_once, count in (
            (Kit("namespaces"), 1, 10),
            (Kit("namespaces"), 2, 20),
            (Kit("process"), 2, 40),
            (PlainPytest(), 2, 5),
        )
    ]
    ratios = [line.split(" | ")[8] for line in table(rows).splitlines()[2:]]
    assert ratios == ["2.00", "1.00", "0.50", "4.00"]


def test_a_row_in_which_more_took_less_says_nothing() -> None:
    few = replace(COST, seconds=11.0)
    assert "| 40 | 10.0 | spoilt | ? | ? | ? | ? | ? |" in table(
        [row_of(Kit("process"), 2, Measured(40, COST), Measured(10, few))]
    )


def test_drift_is_the_last_tenth_against_the_first() -> None:
    looks = [Sample(n * 10, n * 1.0, 40.0 + n, 50.0, n * 0.1, n * n * 0.1, 9, 30) for n in range(1, 101)]
    found = {one.name: one for one in drifts(looks)}
    assert found["worker, MB"].ratio == 1
    assert (found["coordinator, MB"].first, found["coordinator, MB"].last) == (46.0, 135.0)
    assert found["ms for one more"].ratio == pytest.approx(1)
    assert found["CPU ms for one more, workers"].ratio == pytest.approx(190 / 12)


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


def test_a_readme_without_markers_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("mine")
    with pytest.raises(SystemExit, match="put these two lines where the numbers are to stand"):
        put_between(path, "bench", "new")
    assert path.read_text() == "mine"


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


def test_a_file_for_the_table_that_is_not_there_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"table\.md: No such file or directory; name a file with the lines"):
        bench.main(["--readme", str(tmp_path / "table.md"), "--course", str(tmp_path / "no course")])
