"""Code that loads quickly is run anew for each test, and its module begins as in a fresh process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.course import Limits
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn, LoadedSubmission

REMEMBERS = {
    "a list of the module's": "seen = []\ndef step():\n    seen.append(1)\n    return len(seen)",
    "a list of the class's": """
        class Value:
            seen = []
        def step():
            Value.seen.append(1)
            return len(Value.seen)
        """,
    "a number of the class's": """
        class Value:
            made = 0
            def __init__(self, data=0):
                type(self).made += 1
        def step():
            Value()
            return Value.made
        """,
    "a default value": "def step(seen=[]):\n    seen.append(1)\n    return len(seen)",
    "a global": "count = 0\ndef step():\n    global count\n    count += 1\n    return count",
    "a closure": """
        def counter():
            count = 0
            def step():
                nonlocal count
                count += 1
                return count
            return step
        step = counter()
        """,
    "an iterator": "import itertools\nnumbers = itertools.count(1)\ndef step(): return next(numbers)",
    "a cache": """
        from functools import lru_cache
        @lru_cache(None)
        def one(): return object()
        def step():
            one()
            return one.cache_info().misses + one.cache_info().hits
        """,
    "an attribute of a function": """
        def step():
            step.count = getattr(step, "count", 0) + 1
            return step.count
        """,
    "what random numbers came before": """
        import random
        def step(): return random.random()
        """,
    "how deep recursion may go": """
        import sys
        def step():
            sys.setrecursionlimit(sys.getrecursionlimit() + 1)
            return sys.getrecursionlimit()
        """,
}


def stepped(submission: LoadedSubmission) -> list[object]:
    with submission.test() as student:
        return [student.get("step")() for _ in range(2)]


@once
@pytest.mark.parametrize("source", REMEMBERS.values(), ids=REMEMBERS)
def test_what_a_program_remembers_in_its_own_module_is_gone_once_it_is_loaded_anew(
    hand_in: HandIn, source: str
) -> None:
    submission = hand_in(source, defines=["step"])
    assert submission.bridge.state.runs_code_anew
    first = stepped(submission)
    for _ in range(3):
        assert stepped(submission) == first
    assert submission.bridge.process_count == 1


ORDERS = """
    import random
    class Value:
        def __init__(self, data=0):
            self.data = data
    class Other(Value): pass
    first = {Value(n) for n in range(5)}
    def order():
        values = {kind(n) for n in range(20) for kind in (Value, Other)} | first
        return [value.data for value in values], [hash(value) for value in first], random.random()
    LIMIT = [3]
    """


def test_orders_hashes_and_random_numbers_are_those_of_a_fresh_process(hand_in: HandIn) -> None:
    submission = hand_in(ORDERS, defines=["Value", "order"])
    for falling in (False, True):
        submission.bridge.reverses_set_order = falling
        submission.bridge.end_process()
        with submission.test() as student:
            fresh = student.get("order")()
        with submission.test() as student:
            assert student.get("order")() == fresh
    assert submission.bridge.process_count == 3, "the first, and one for each order"


def test_names_stand_for_what_was_loaded_last(hand_in: HandIn) -> None:
    submission = hand_in(ORDERS, defines=["Value", "order"])
    for _ in range(3):
        with submission.test() as student:
            limit, value = student.get("LIMIT"), student.get("Value")
            made = value(2.0)
            assert limit == [3]
            assert isinstance(made, value)
            assert made.data == 2.0


@once
def test_what_is_printed_while_it_is_loaded_anew_counts_once(hand_in: HandIn) -> None:
    source = "print('-' * 900)\ncount = []\ndef step():\n    count.append(1)\n    return len(count)"
    submission = hand_in(source, limits=Limits(output_kb=1))
    for _ in range(3):
        assert stepped(submission) == [1, 2]
    assert submission.bridge.process_count == 1


@once
@pytest.mark.parametrize(
    "source",
    [
        "total = sum(range(20_000_000))\ndef step(): return total",
        "import no_such_package\ndef step(): return 1",
        "def step(): return 1\nraise ValueError",
    ],
    ids=["takes long", "lacks a package", "fails"],
)
def test_what_does_not_load_quickly_and_without_a_fault_gets_a_fresh_process(hand_in: HandIn, source: str) -> None:
    submission = hand_in(source)
    assert not submission.bridge.state.runs_code_anew
    first = stepped(submission)
    submission.bridge.reset_before_next_test()
    assert stepped(submission) == first
    assert submission.bridge.process_count == 2
