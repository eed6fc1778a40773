"""What is remembered is bounded, and the same as what is found out anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import Bridge, Program
from autograder.bridge.supply import Supply
from autograder.course import Assignment
from autograder.diagnosis import Diagnoser, Subject, subject_of
from autograder.diagnosis.candidates import Candidates
from autograder.diagnosis.confirm import Tried, try_afresh
from autograder.diagnosis.diagnose import limits_for
from autograder.diagnosis.memo import Memo, Replayed
from autograder.grading import Grader
from autograder.submissions import Submission, Unit
from tests.diagnosis.conftest import edited

if TYPE_CHECKING:
    from collections.abc import Callable

OVERWRITES = (
    "            self.grad += out.grad\n            other.grad += out.grad\n",
    "            self.grad = out.grad\n            other.grad = out.grad\n",
)
ENDLESS = ("        self.grad = 1.0\n        for", "        while True: self.grad = 1.0\n        for")


def test_the_result_asked_for_longest_ago_leaves_first() -> None:
    memo: Memo[str, int] = Memo(2)
    memo.put("a", 1)
    memo.put("b", 2)
    memo.get("a")
    memo.put("c", 3)
    assert [memo.get(key) for key in "abc"] == [1, None, 3]


def test_items_are_made_once_and_only_as_far_as_needed() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for number in range(3):
            made.append(number)
            yield number

    replayed = Replayed(items())
    assert next(iter(replayed)) == 0
    assert made == [0]
    assert [*replayed] == [*replayed] == [0, 1, 2]
    assert made == [0, 1, 2]


class Opened:
    """Gives processes for engines, and counts them."""

    def __init__(self, engine: Assignment, supply: Supply) -> None:
        self.count = 0
        self._engine, self._supply = engine, supply

    def __call__(self, source: str) -> Bridge:
        """A process."""
        self.count += 1
        return Bridge(
            Program((("value.py", source),), self._engine.defines), self._supply, limits_for(self._engine.limits)
        )


@pytest.fixture
def opened(engine: Assignment, supply: Supply) -> Opened:
    return Opened(engine, supply)


@pytest.fixture
def tried(engine: Assignment, opened: Opened) -> Iterator[Callable[..., Tried]]:
    """``tried((old, new), ...)``: what an edited engine does on fresh programs and on those near the first."""
    bridges: list[Bridge] = []

    def found(*edits: tuple[str, str]) -> Tried:
        bridges.append(opened(edited(engine.solution, *edits)))
        subject: Subject | None = subject_of(engine)
        assert subject is not None
        return try_afresh(subject, bridges[-1], next(iter(subject.small())))

    yield found
    for bridge in bridges:
        bridge.discard()


def test_a_candidate_is_run_once_for_equal_programs(
    engine: Assignment, opened: Opened, tried: Callable[..., Tried]
) -> None:
    same, right = edited(engine.solution, OVERWRITES), edited(engine.solution)
    one, other = tried(OVERWRITES), tried()
    for most, runs in ((0, 6), (100, 2)):
        candidates = Candidates(opened, most)
        opened.count = 0
        answers = [candidates.does_the_same(source, what) for source in (same, right) for what in (one, other, one)]
        assert answers == [True, False, True, False, True, False]
        assert opened.count == runs


def test_a_run_that_was_stopped_is_not_remembered(
    engine: Assignment, opened: Opened, tried: Callable[..., Tried]
) -> None:
    candidates, one = Candidates(opened), tried(ENDLESS)
    opened.count = 0
    assert candidates.does_the_same(edited(engine.solution, ENDLESS), one)
    assert candidates.does_the_same(edited(engine.solution, ENDLESS), one)
    assert (opened.count, candidates.stopped) == (2, 2)


def test_a_diagnosis_is_the_same_whatever_was_diagnosed_before(
    grader: Grader, root: Path, engine: Assignment
) -> None:
    names = ("zero_grad_shallow", "overwrites", "no_visited", "forgot_reversed")
    files = [root / "examples" / "submissions" / f"{name}.py" for name in names]
    sources = [path.read_text(encoding="utf-8") for path in files]
    graded = [
        grader.grade_submission(Submission("one", "", ("value.py",), (Unit("value.py", source),)))
        for source in sources
    ]
    remembering = Diagnoser(grader)
    first = [remembering.diagnose(one) for one in graded]
    assert {one.verdict for one in first} == {"named"}
    assert [remembering.diagnose(one) for one in graded] == first
    assert [Diagnoser(grader, remembers=False).diagnose(one) for one in graded] == first
