"""A grader of a small course, and what it sends and runs; programs for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from autograder.bridge import Bridge
from autograder.course import Assignment
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission

TESTS = '''
import grading_counts

def test_up_twice(Counter):
    """`up()` counts."""
    grading_counts.runs.append("up")
    counter = Counter(3)
    counter.up()
    value = counter.up()
    assert value == 5, f"after two calls it is at {value}"


def test_from_nothing(Counter, student):
    """A counter begins at nothing."""
    grading_counts.runs.append("nothing")
    value = Counter().up()
    assert value == 1, f"it begins at {value}"


def test_of_its_own(Counter):
    """Two counters are two."""
    grading_counts.runs.append("own")
    a, b = Counter(1), Counter(1)
    a.up()
    value = b.up()
    assert value == 2, f"the other one is at {value}"
'''
RIGHT = """\
class Counter:
    def __init__(self, start=0):
        self.value = start

    def up(self):
        self.value += 1
        return self.value
"""
BY_TWO = RIGHT.replace("+= 1", "+= 2")
BY_TWO_AGAIN = BY_TWO.replace("self.value += 2\n", "step = 2\n        self.value = self.value + step\n")
RAISES = RIGHT.replace("self.value += 1", 'raise ValueError("not today")')
LEAKS = """\
class Counter:
    value = [0]

    def __init__(self, start=0):
        self.start = start

    def up(self):
        self.value[0] += 1
        return self.start + self.value[0]
"""


@dataclass
class RecordingGrader:
    """A grader of the three tests above, and what happened in it."""

    grader: Grader
    runs: list[str]
    """The tests that were run."""
    sent: list[list[bytes]] = field(default_factory=list)
    """The requests of tests that went to a process beforehand: those of one test, or of several."""

    def grade(self, source: str) -> GradedSubmission:
        self.runs.clear()
        self.sent.clear()
        return self.grader.grade_submission(Submission("s", "", ("value.py",), (SourceUnit("value.py", source),)))


@contextmanager
def open_recording_grader(
    assignment: Assignment, sandbox: SandboxConfig, monkeypatch: pytest.MonkeyPatch, **how: Any
) -> Iterator[RecordingGrader]:
    counts = type(sys)("grading_counts")
    counts.runs = []  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "grading_counts", counts)
    with Grader(assignment, sandbox, **how) as grader:
        assert not grader.faulty_test_ids
        found = RecordingGrader(grader, counts.runs)
        send_tests = Bridge.prefetch_answers_of_tests

        def sending_tests(self: Bridge, tests: Any) -> Any:
            found.sent.append([body for body, _ in tests])
            return send_tests(self, tests)

        monkeypatch.setattr(Bridge, "prefetch_answers_of_tests", sending_tests)
        yield found


def result_facts(graded: GradedSubmission) -> list[tuple[Any, ...]]:
    return [(r.spec.id, r.outcome, r.message, r.stop_cause, r.observed_behavior) for r in graded.test_results]
