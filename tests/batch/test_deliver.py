"""Workers may end at any time: what they were at is graded once more; what ends them again and again is given up."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.batch.deliver import GIVEN_UP, MOST_KILLS, delivered
from autograder.batch.work import Done, Task, Workers
from autograder.faults import KitFault

AT_ONCE = 10


class Pool(Executor):
    """Workers that grade what they were given when they are told to, and end over what ``deadly`` says."""

    def __init__(self, deadly: Callable[[str], bool], seen: list[list[str]]) -> None:
        self._deadly, self._seen = deadly, seen
        self._given: list[tuple[str, Future[Done]]] = []
        self._ended = False

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        if self._ended:
            raise BrokenExecutor
        future: Future[Done] = Future()
        self._given.append((arguments[0].name, future))
        return future

    def at_once(self) -> int:
        return AT_ONCE

    def work(self) -> None:
        """Grade what was given, if none of it is deadly."""
        names = [name for name, _ in self._given]
        self._seen.append(names)
        self._ended = any(self._deadly(name) for name in names)
        for name, future in self._given:
            if self._ended:
                future.set_exception(BrokenExecutor())
            else:
                future.set_result(Done(name, 1.0, "graded"))
        self._given.clear()


def deliver(names: list[str], deadly: Callable[[str], bool]) -> tuple[list[Done], list[list[str]]]:
    """What comes of tasks, and which were under way together each time."""
    seen: list[list[str]] = []

    @contextmanager
    def workers() -> Iterator[Workers]:
        pool = Pool(deadly, seen)
        pools.append(pool)
        yield Workers(pool, pool.at_once)

    pools: list[Pool] = []
    tasks = iter([Task(name, Path(name)) for name in names])
    return list(delivered(tasks, workers, lambda: pools[-1].work())), seen


def names_of(results: list[Done], *, failed: bool) -> list[str]:
    return sorted(done.name for done in results if bool(done.failure) is failed)


NAMES = [f"s{number:02}" for number in range(25)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.batch.deliver.IDLE_SECONDS", 0.001)


def test_everything_comes_back_once() -> None:
    results, _ = deliver(NAMES, lambda name: False)
    assert names_of(results, failed=False) == NAMES


def test_no_more_is_under_way_than_workers_ask_for() -> None:
    _, seen = deliver(NAMES, lambda name: False)
    assert max(map(len, seen)) == AT_ONCE


def test_what_ended_a_worker_once_is_graded_once_more() -> None:
    ended: list[str] = []

    def once(name: str) -> bool:
        if name == "s03" and not ended:
            ended.append(name)
            return True
        return False

    results, _ = deliver(NAMES, once)
    assert names_of(results, failed=False) == NAMES


def test_what_ends_its_worker_three_times_is_given_up_and_named() -> None:
    results, seen = deliver(NAMES, lambda name: name == "s03")
    assert [(done.name, done.failure) for done in results if done.failure] == [("s03", GIVEN_UP)]
    assert sum("s03" in names for names in seen) == MOST_KILLS


def test_nobody_else_is_given_up_for_it() -> None:
    results, seen = deliver(NAMES, lambda name: name == "s03")
    assert names_of(results, failed=False) == [name for name in NAMES if name != "s03"]
    assert ["s03"] in seen


def test_two_of_that_kind_are_told_apart_from_those_around_them() -> None:
    results, _ = deliver(NAMES, lambda name: name in ("s03", "s04"))
    assert names_of(results, failed=True) == ["s03", "s04"]
    assert names_of(results, failed=False) == [name for name in NAMES if name not in ("s03", "s04")]


def test_a_machine_on_which_every_worker_ends_is_told_as_that() -> None:
    with pytest.raises(KitFault, match="whatever they are given"):
        deliver(NAMES, lambda name: True)


def test_without_a_task_no_worker_is_started() -> None:
    def none() -> Any:
        raise AssertionError("workers were started")

    assert list(delivered(iter([]), none)) == []


def test_a_fault_of_the_course_ends_the_batch() -> None:
    class Faulty(Executor):
        def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(KitFault("a worker was not opened"))
            return future

    @contextmanager
    def workers() -> Iterator[Workers]:
        yield Workers(Faulty(), lambda: 1)

    with pytest.raises(KitFault, match="not opened"):
        list(delivered(iter([Task("a", Path("a"))]), workers))


def test_something_else_may_be_done_while_nothing_comes() -> None:
    idle: list[float] = []

    late: list[Future[Done]] = []

    class Late(Executor):
        def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
            late.append(Future())
            return late[-1]

    def tick() -> None:
        idle.append(time.monotonic())
        if len(idle) == 3:
            late[0].set_result(Done("a"))

    @contextmanager
    def slow() -> Iterator[Workers]:
        yield Workers(Late(), lambda: 1)

    list(delivered(iter([Task("a", Path("a"))]), slow, tick))
    assert len(idle) == 3


# Provisional results


class Busy(Pool):
    """Workers on a busy machine: what ``strikes`` says, by name and how often it was graded, is provisional."""

    strikes: Callable[[str, int], bool]
    graded: Counter[str]

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        inner, outer = super().submit(function, *arguments, **named), Future[Done]()
        inner.add_done_callback(lambda done: self._pass_on(done, outer))
        return outer

    def _pass_on(self, inner: Future[Done], outer: Future[Done]) -> None:
        if error := inner.exception():
            outer.set_exception(error)
            return
        done = inner.result()
        self.graded[done.name] += 1
        outer.set_result(replace(done, provisional=self.strikes(done.name, self.graded[done.name])))


def deliver_busily(
    strikes: Callable[[str, int], bool], last: str = "", deadly: Callable[[str], bool] = lambda name: False
) -> tuple[list[Done], list[list[str]]]:
    """What comes of tasks where clocks strike, and which were under way together each time."""
    seen: list[list[str]] = []
    pools: list[Busy] = []
    graded: Counter[str] = Counter()

    @contextmanager
    def workers() -> Iterator[Workers]:
        pool = Busy(deadly, seen)
        pool.strikes, pool.graded = strikes, graded
        pools.append(pool)
        yield Workers(pool, pool.at_once)

    tasks = iter([Task(name, Path(name), last=name == last) for name in NAMES])
    return list(delivered(tasks, workers, lambda: pools[-1].work())), seen


def test_a_provisional_result_comes_again_when_all_others_are_there_and_alone() -> None:
    results, seen = deliver_busily(lambda name, times: name in ("s03", "s04") and times == 1)
    assert sorted(seen[-2:]) == [["s03"], ["s04"]]
    assert [done.provisional for done in results[-2:]] == [False, False]
    assert sorted(done.name for done in results if done.comes_again) == ["s03", "s04"]
    assert len(results) == len(NAMES) + 2


def test_what_is_provisional_again_is_kept_as_that() -> None:
    results, seen = deliver_busily(lambda name, times: name == "s03")
    assert [(done.provisional, done.comes_again) for done in results if done.name == "s03"] == [
        (True, True),
        (True, False),
    ]
    assert sum("s03" in names for names in seen) == 2


def test_what_struck_the_clock_in_an_earlier_batch_is_graded_once_and_alone() -> None:
    results, seen = deliver_busily(lambda name, times: name == "s00", last="s00")
    assert seen[-1] == ["s00"]
    assert [(done.provisional, done.comes_again) for done in results if done.name == "s00"] == [(True, False)]


def test_a_submission_that_ends_its_worker_when_it_comes_again_is_given_up_and_nobody_else_is() -> None:
    met: Counter[str] = Counter()

    def deadly(name: str) -> bool:
        met[name] += 1
        return name == "s24" and met[name] > 1

    results, _ = deliver_busily(lambda name, times: name == "s24", deadly=deadly)
    assert [done.name for done in results if done.failure == GIVEN_UP] == ["s24"]
    assert {done.name for done in results} == {*NAMES}
