"""Where a wall clock struck, a result is provisional: graded again at the end, and never reused as final."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from autograder.batch.batch_coordinator import PROVISIONAL as HIT_A_CLOCK
from autograder.batch.mark_changes import RegradedReportPair
from autograder.cli.batch_execution import iterate_batch_summary_lines as lines_of
from autograder.course import Assignment
from autograder.reports.wording import PROVISIONAL, format_provisional_notice
from autograder.sandbox import SandboxConfig
from autograder.store.results.result_model import pack_report, unpack_report
from autograder.workers.grading_tasks import GradingExecutor, GradingTask, GradingTaskResult, WorkersOpener
from tests.store.conftest import RIGHT, CounterCourse, here

Strikes = Callable[[str, int], bool]
"""Whether the wall clock strikes over a submission, when it is graded for the so manieth time."""


class _Busy(Executor):
    """A busy machine: grades here, and has clocks strike."""

    def __init__(self, quiet: Executor, strikes: Strikes, times: Counter[str]) -> None:
        self._quiet, self._strikes, self._times = quiet, strikes, times

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        (task,) = arguments
        assert isinstance(task, GradingTask)
        done: GradingTaskResult = self._quiet.submit(function, task).result()
        self._times[task.name] += 1
        future: Future[GradingTaskResult] = Future()
        future.set_result(struck(done) if self._strikes(task.name, self._times[task.name]) else done)
        return future


def struck(done: GradingTaskResult) -> GradingTaskResult:
    """What came of a task, had a clock struck: nothing of it passed."""
    assert done.packed_result
    report = unpack_report(done.packed_result.packed_report)
    report = structs.replace(report, score=0.0, status=structs.replace(report.status, provisional=True))
    return replace(
        done,
        score=0.0,
        is_provisional=True,
        packed_result=replace(done.packed_result, packed_report=pack_report(report)),
    )


def busy(strikes: Strikes, times: Counter[str] | None = None) -> WorkersOpener:
    """Workers of a busy machine."""
    counted: Counter[str] = Counter() if times is None else times

    @contextmanager
    def opened(assignment: Assignment, sandbox: SandboxConfig) -> Iterator[GradingExecutor]:
        with here(assignment, sandbox) as workers:
            yield GradingExecutor(_Busy(workers.executor, strikes, counted), workers.get_concurrency)

    return opened


def once(name: str, times: int) -> bool:
    return name == "alice" and times == 1


def always(name: str, times: int) -> bool:
    return name == "alice"


@pytest.fixture
def fresh(counter_course: CounterCourse) -> CounterCourse:
    """A class of three that was not graded yet."""
    for path in counter_course.students.iterdir():
        path.unlink()
    counter_course.hand_in(alice=RIGHT, bob=RIGHT + "\n", carol=RIGHT + "\n\n")
    return counter_course


def batch(counter_course: CounterCourse, strikes: Strikes, times: Counter[str] | None = None, **settings: Any) -> Any:
    return counter_course.batch("new", open_workers=busy(strikes, times), **settings)


def gradebook(counter_course: CounterCourse) -> dict[str, dict[str, str]]:
    return {row["submission"]: row for row in csv.DictReader(io.StringIO(counter_course.gradebook("new").decode()))}


def test_what_a_clock_struck_once_is_graded_again_and_final(fresh: CounterCourse) -> None:
    told: list[GradingTaskResult] = []
    summary = batch(fresh, once, on_result=told.append)
    assert [(done.name, done.is_provisional) for done in told] == [("bob", False), ("carol", False), ("alice", False)]
    assert (
        summary.provisional_count,
        summary.report_count,
        fresh.reports("new")["alice"].score,
    ) == (0, 3, 10)
    assert fresh.batch("new").reused_count == 3


def test_what_a_clock_struck_twice_is_kept_and_told_as_provisional(fresh: CounterCourse) -> None:
    times: Counter[str] = Counter()
    summary = batch(fresh, always, times)
    assert times["alice"] == 2
    assert (summary.provisional_count, gradebook(fresh)["alice"]["provisional"]) == (1, "yes")
    assert format_provisional_notice(fresh.reports("new")["alice"]) == PROVISIONAL
    assert (
        "1 result is provisional: a wall-clock limit was hit twice; "
        "run the same command again when the machine is quieter"
    ) in lines_of(summary, fresh.assignment, Path("new"), "namespaces")


def test_the_next_batch_grades_it_anew_once_and_after_the_others(fresh: CounterCourse) -> None:
    batch(fresh, always)
    fresh.hand_in(dave=RIGHT + "\n\n\n")
    told: list[GradingTaskResult] = []
    times: Counter[str] = Counter()
    summary = batch(fresh, always, times, on_result=told.append)
    assert (times, summary.reused_count, told[-1].name) == ({"dave": 1, "alice": 1}, 2, "alice")
    assert fresh.batch("new").provisional_count == 0
    assert fresh.reports("new")["alice"].score == 10
    assert gradebook(fresh)["alice"]["provisional"] == ""


def test_a_regrade_takes_nothing_over_from_it(fresh: CounterCourse, regraded_pairs: list[RegradedReportPair]) -> None:
    batch(fresh, always)
    fresh.change(fresh.root / "grading.yml", "counting: 10", "counting: 30")
    fresh.regrade("new", on_regraded=regraded_pairs.append)
    assert {one.submission_name for one in regraded_pairs if one.reason_to_run == HIT_A_CLOCK} == {"alice"}
    assert fresh.reports("new")["alice"].score == 30


def test_a_later_kit_grades_it_anew(fresh: CounterCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    batch(fresh, always)
    monkeypatch.setattr(
        "autograder.store.results.result_model.get_kit_version_with_code_digest",
        lambda: "9.0.0+0123456789ab",
    )
    summary = fresh.batch("new")
    assert (summary.newly_graded_count, summary.other_kit_count) == (1, 2)
    assert fresh.reports("new")["alice"].score == 10


def test_a_batch_that_ends_before_it_came_again_has_kept_it_and_grades_it_the_next_time(fresh: CounterCourse) -> None:
    def stop(done: GradingTaskResult) -> None:
        if done.name == "carol":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch(fresh, once, on_result=stop)
    assert fresh.reports("new")["alice"].status.provisional
    assert fresh.batch("new").reused_count == 2
    assert not fresh.reports("new")["alice"].status.provisional


def test_a_provisional_result_stays_where_the_kit_fails_the_second_time(fresh: CounterCourse) -> None:
    class Failing(_Busy):
        def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
            future = super().submit(function, *arguments, **named)
            if arguments[0].runs_last_and_alone:
                future = Future()
                future.set_result(GradingTaskResult("alice", kit_failure="no process could be started"))
            return future

    @contextmanager
    def opened(assignment: Assignment, sandbox: SandboxConfig) -> Iterator[GradingExecutor]:
        with here(assignment, sandbox) as workers:
            yield GradingExecutor(Failing(workers.executor, once, Counter()), workers.get_concurrency)

    summary = fresh.batch("new", open_workers=opened)
    assert (summary.failures, summary.provisional_count, summary.report_count) == ([], 1, 3)


SLEEPS = RIGHT.replace("self.value += 1", "__import__('time').sleep(9)")


def test_a_submission_that_sleeps_does_so_on_any_machine_and_is_not_provisional(fresh: CounterCourse) -> None:
    fresh.hand_in(alice=SLEEPS)
    summary = fresh.batch("new")
    assert summary.provisional_count == 0
    assert {test.cause for test in fresh.reports("new")["alice"].tests if test.outcome == "timeout"} == {"sleep"}
