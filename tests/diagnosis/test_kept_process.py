"""A diagnosis asks the process that was graded, where that is as good as a fresh one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.bridge import Bridge
from autograder.bridge.loading import LoadRetryState
from autograder.bridge.submission_program import ReportedLoadResult
from autograder.course import Assignment
from autograder.diagnosis.diagnoser import SubmissionDiagnoser
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig, StudentProcess
from tests.diagnosis.conftest import edited

OVERWRITES = (
    "            self.grad += out.grad\n            other.grad += out.grad\n\n        out._backward",
    "            self.grad = out.grad\n            other.grad = out.grad\n\n        out._backward",
)


@pytest.fixture
def fresh_grader(engine: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    """A grader of this test's own, whose submissions are diagnosed: it counts processes."""
    with Grader(engine, sandbox) as opened:
        SubmissionDiagnoser(opened)
        yield opened


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs for which a process was started, one for each process: ``submission`` or ``course``."""
    programs: list[str] = []
    start = Bridge._start_process

    def note(bridge: Bridge, first: LoadRetryState | None = None) -> ReportedLoadResult:
        (_, source), *_ = bridge.program.units
        programs.append("submission" if "# of a student" in source else "course")
        return start(bridge, first)

    monkeypatch.setattr(Bridge, "_start_process", note)
    return programs


def grade_as_student(grader: Grader, source: str) -> GradedSubmission:
    """Grade what a student wrote."""
    return grader.grade_submission(make_submission_from_source("value.py", f"# of a student\n{source}"))


def test_the_process_of_one_submission_is_gone_before_the_next_one_is_loaded(
    fresh_grader: Grader, engine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []
    end = Bridge.end_process

    def note(bridge: Bridge) -> None:
        if bridge._client is not None:
            ended.append(bridge.program.units[0][1][:20])
        end(bridge)

    monkeypatch.setattr(Bridge, "end_process", note)
    grade_as_student(fresh_grader, f"# one\n{edited(engine.solution_file, OVERWRITES)}")
    before = [*ended]
    load = Bridge.load_without_fatal_code
    seen: list[list[str]] = []

    def note_load(bridge: Bridge) -> object:
        seen.append([*ended])
        return load(bridge)

    monkeypatch.setattr(Bridge, "load_without_fatal_code", note_load)
    grade_as_student(fresh_grader, f"# two\n{edited(engine.solution_file)}")

    assert sum("# one" in text for text in seen[0]) == sum("# one" in text for text in before) + 1


def test_no_process_is_left_after_a_diagnosis(fresh_grader: Grader, engine: Assignment) -> None:
    graded = grade_as_student(fresh_grader, edited(engine.solution_file, OVERWRITES))
    assert fresh_grader.suite_runner._kept_bridge is not None
    SubmissionDiagnoser(fresh_grader).diagnose(replace(graded, test_results=()))  # there is nothing to look into
    assert fresh_grader.suite_runner._kept_bridge is None


def test_who_loads_the_program_once_more_leaves_no_process_behind(
    fresh_grader: Grader, engine: Assignment, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    graded = grade_as_student(fresh_grader, edited(engine.solution_file, OVERWRITES))
    assert graded.program is not None
    killed: list[int] = []
    kill = StudentProcess.kill_without_waiting

    def note(process: StudentProcess) -> None:
        killed.append(process.pid)
        kill(process)

    monkeypatch.setattr(StudentProcess, "kill_without_waiting", note)
    bridge = fresh_grader.suite_runner.acquire_bridge(graded.program)
    bridge.load_without_fatal_code()
    bridge.end_process()

    assert started.count("submission") == 4
    assert len({*killed}) == 2


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("count", [2, pytest.param(8, marks=pytest.mark.thorough)])
def test_a_diagnosis_is_the_same_in_the_kept_process_and_in_a_fresh_one(
    fresh_grader: Grader, root: Path, count: int
) -> None:
    diagnoser = SubmissionDiagnoser(fresh_grader)
    for path in sorted((root / "examples" / "submissions").glob("*.py"))[-count:]:
        graded = grade_as_student(fresh_grader, path.read_text(encoding="utf-8"))
        kept = diagnoser.diagnose(graded)
        assert diagnoser.diagnose(graded) == kept
