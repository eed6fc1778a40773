"""A task whose worker ended is tried again; one that ends three workers is given up."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from autograder.faults import CourseFault, KitFault, interruptible
from autograder.workers.grading_tasks import GradingExecutor, GradingTask, GradingTaskResult
from autograder.workers.task_scheduler import GIVEN_UP, MOST_TRIES, run_tasks
from autograder.workers.worker_processes import CallTimedOut, WorkerEnded

AT_ONCE = 10


class Pool(Executor):
    """Workers that grade what they were given when they are told to.

    Attributes:
        seen: which were under way together each time.
    """

    def __init__(
        self, deadly: Callable[[str], bool], strikes: Callable[[str, int], bool], raised: Mapping[str, Any]
    ) -> None:
        """Workers end over ``deadly`` names; ``strikes`` tells of clocks, by name and how often it was graded."""
        self.seen: list[list[str]] = []
        self._deadly, self._strikes, self._raised = deadly, strikes, raised
        self._given: list[tuple[str, Future[GradingTaskResult]]] = []
        self._graded: Counter[str] = Counter()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[GradingTaskResult] = Future()
        self._given.append((arguments[0].name, future))
        return future

    def at_once(self) -> int:
        return AT_ONCE

    def work(self) -> None:
        """Grade what was given; a worker ends over each that is deadly."""
        given, self._given = self._given, []
        self.seen.append([name for name, _ in given])
        for name, future in given:
            if self._deadly(name):
                future.set_exception(WorkerEnded("exit code -9"))
            elif isinstance(self._raised.get(name), GradingTaskResult):
                future.set_result(self._raised[name])
            elif name in self._raised:
                future.set_exception(self._raised[name])
            else:
                self._graded[name] += 1
                future.set_result(
                    GradingTaskResult(name, 1.0, "graded", is_provisional=self._strikes(name, self._graded[name]))
                )


def deliver(
    names: list[str],
    deadly: Callable[[str], bool] = lambda name: False,
    strikes: Callable[[str, int], bool] = lambda name, times: False,
    last: str = "",
    raised: Mapping[str, Any] | None = None,
) -> tuple[list[GradingTaskResult], list[list[str]]]:
    """What comes of tasks, and which were under way together each time."""
    pool = Pool(deadly, strikes, raised or {})
    workers = GradingExecutor(pool, pool.at_once)
    tasks = iter([GradingTask(name, Path(name), runs_last_and_alone=name == last) for name in names])
    return list(run_tasks(tasks, lambda: nullcontext(workers), pool.work)), pool.seen


def names_of(results: list[GradingTaskResult], *, failed: bool) -> list[str]:
    return sorted(done.name for done in results if bool(done.kit_failure) is failed)


NAMES = [f"s{number:02}" for number in range(25)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.workers.task_scheduler.IDLE_SECONDS", 0.001)


def test_no_more_is_under_way_than_workers_ask_for() -> None:
    _, seen = deliver(NAMES)
    assert max(map(len, seen)) == AT_ONCE


def test_what_ends_its_worker_three_times_is_given_up_and_named() -> None:
    results, seen = deliver(NAMES, lambda name: name == "s03")
    assert [(done.name, done.kit_failure) for done in results if done.kit_failure] == [("s03", GIVEN_UP)]
    assert sum("s03" in names for names in seen) == MOST_TRIES


def test_an_error_that_nobody_foresaw_is_a_failure_of_that_submission_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    results, seen = deliver(NAMES, raised={"s03": ValueError("odd")})
    assert [(done.name, done.kit_failure) for done in results if done.kit_failure] == [("s03", "ValueError: odd")]
    assert names_of(results, failed=False) == [name for name in NAMES if name != "s03"]
    assert sum("s03" in names for names in seen) == 1
    assert "s03: internal error" in caplog.text
    assert "ValueError: odd" in caplog.text


def test_a_task_that_does_not_end_is_tried_once_more_alone_and_is_the_kits_fault() -> None:
    results, seen = deliver(NAMES, raised={"s03": CallTimedOut("no answer in 775 s")})
    (failed,) = [done for done in results if done.kit_failure]
    assert failed.name == "s03"
    assert "(no answer in 775 s)" in failed.kit_failure
    assert "the kit's fault, not the student's" in failed.kit_failure
    assert [names == ["s03"] for names in seen if "s03" in names] == [False, True]


def test_what_the_kit_failed_at_is_tried_once_more_alone() -> None:
    failed = GradingTaskResult("s03", kit_failure="no process could be started")
    results, seen = deliver(NAMES, raised={"s03": failed})
    assert [done for done in results if done.kit_failure] == [failed]
    assert [names == ["s03"] for names in seen if "s03" in names] == [False, True]


def test_many_tasks_that_do_not_end_do_not_end_the_run() -> None:
    stuck = {name: CallTimedOut("no answer in 775 s") for name in NAMES[:6]}
    results, _ = deliver(NAMES, raised=stuck)
    assert names_of(results, failed=True) == NAMES[:6]
    assert names_of(results, failed=False) == NAMES[6:]


@pytest.mark.parametrize("fault", [CourseFault, KitFault])
def test_a_fault_of_course_or_kit_ends_the_run(fault: type[Exception]) -> None:
    with pytest.raises(fault, match="the suite is gone"):
        deliver(NAMES, raised={"s03": fault("the suite is gone")})


def test_two_of_that_kind_are_told_apart_from_those_around_them() -> None:
    results, _ = deliver(NAMES, lambda name: name in ("s03", "s04"))
    assert names_of(results, failed=True) == ["s03", "s04"]
    assert names_of(results, failed=False) == [name for name in NAMES if name not in ("s03", "s04")]


def test_a_machine_on_which_every_worker_ends_is_told_as_that() -> None:
    with pytest.raises(KitFault, match="whatever they grade"):
        deliver(NAMES, lambda name: True)


def test_without_a_task_no_worker_is_started() -> None:
    def none() -> Any:
        raise AssertionError("workers were started")

    assert list(run_tasks(iter([]), none)) == []


# Provisional results


def test_a_provisional_result_comes_again_when_all_others_are_there_and_alone() -> None:
    results, seen = deliver(NAMES, strikes=lambda name, times: name in ("s03", "s04") and times == 1)
    assert sorted(seen[-2:]) == [["s03"], ["s04"]]
    assert [done.is_provisional for done in results[-2:]] == [False, False]
    assert sorted(done.name for done in results if done.will_be_retried) == ["s03", "s04"]
    assert len(results) == len(NAMES) + 2


def test_a_submission_that_ends_its_worker_when_it_comes_again_is_given_up_and_nobody_else_is() -> None:
    met: Counter[str] = Counter()

    def deadly(name: str) -> bool:
        met[name] += 1
        return name == "s24" and met[name] > 1

    results, _ = deliver(NAMES, deadly, lambda name, times: name == "s24")
    assert [done.name for done in results if done.kit_failure == GIVEN_UP] == ["s24"]
    assert {done.name for done in results} == {*NAMES}


class InterruptedPool(Pool):
    """Workers that are given a task at the very moment of a Ctrl-C.

    Attributes:
        given: the names of the tasks that were taken over in full.
    """

    def __init__(self) -> None:
        super().__init__(lambda name: False, lambda name, times: False, {})
        self.given: list[str] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        signal.raise_signal(signal.SIGINT)
        self.given.append(arguments[0].name)
        return super().submit(function, *arguments, **named)


def test_a_signal_while_a_task_is_handed_over_comes_after_that() -> None:
    pool = InterruptedPool()
    workers = GradingExecutor(pool, pool.at_once)
    with interruptible(), pytest.raises(KeyboardInterrupt):
        list(run_tasks(iter([GradingTask("ada", Path("ada"))]), lambda: nullcontext(workers), pool.work))
    assert pool.given == ["ada"]
