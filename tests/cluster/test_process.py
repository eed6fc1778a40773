"""A process that grades beside a Dask worker: it is ended when it hangs, and refuses what is not the same here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.batch.cluster.process import Ended, GradingProcess
from autograder.batch.cluster.standard import Standard, meet, standard_of
from autograder.batch.work import Task
from autograder.course import Assignment
from autograder.faults import CallerFault
from autograder.kit import kit_version
from autograder.sandbox import Sandbox
from tests.cluster import works
from tests.cluster.conftest import ROOT


@pytest.fixture
def standard(counter: Assignment, sandbox: Sandbox) -> Standard:
    return standard_of(counter, sandbox)


@pytest.fixture
def start(standard: Standard, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float], GradingProcess]]:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for tests.cluster.works
    started = []

    def made(patience: float) -> GradingProcess:
        started.append(GradingProcess(standard, patience))
        return started[-1]

    yield made
    for process in started:
        process.close()


def task(name: str) -> Task:
    return Task(name, Path(name), "nothing to read")


def test_what_hangs_is_ended_and_the_next_gets_a_fresh_process(start: Callable[[float], GradingProcess]) -> None:
    process = start(0.5)
    with pytest.raises(Ended, match=r"no answer in 0\.5 s"):
        process.grade(works.never_ends, task("endless"))
    process.grade(works.never_ends, task("alice"))
    assert process.grade(works.never_ends, task("alice")).status == "graded"


def test_one_that_was_closed_does_not_start_again(start: Callable[[float], GradingProcess]) -> None:
    process = start(5)
    assert process.open() == ""
    process.close()
    with pytest.raises(Ended):
        process.grade(works.never_ends, task("alice"))


def test_what_is_the_same_on_both_machines_may_grade(
    standard: Standard, counter: Assignment, sandbox: Sandbox
) -> None:
    assert meet(standard) == (counter, sandbox)


@pytest.mark.parametrize(
    ("difference", "says"),
    [
        ({"kit": "9.9"}, f"the kit's version is {kit_version()} on this worker and 9.9 where the batch was started"),
        ({"python": "CPython 2.7"}, "on this worker and CPython 2.7 where the batch was started"),
        ({"course": "/nowhere"}, "/nowhere: the course is not on this worker (say --worker-course PATH)"),
        ({"assignment": "sorting"}, "has no assignment sorting"),
        ({"version": "0" * 16}, f"on this worker and {'0' * 16} where the batch was started"),
        ({"observations": "1" * 16}, f"observations is none on this worker and {'1' * 16} where"),
    ],
)
def test_what_differs_is_refused_and_both_values_are_named(
    standard: Standard, difference: dict[str, str], says: str
) -> None:
    with pytest.raises(CallerFault) as caught:
        meet(replace(standard, **difference))  # type: ignore[arg-type]
    assert says in str(caught.value)


def test_a_process_that_must_not_grade_says_why(standard: Standard) -> None:
    process = GradingProcess(replace(standard, kit="9.9"), 5)
    assert "9.9 where the batch was started" in process.open()
