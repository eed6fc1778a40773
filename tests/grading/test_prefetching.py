"""Equal answers get equal verdicts, and no test is run for them; where that could be wrong, each test asks itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from autograder.sandbox import SandboxConfig
from tests.grading.conftest import MakeCourse
from tests.grading.recording_grader import (
    BY_TWO,
    BY_TWO_AGAIN,
    LEAKS,
    RAISES,
    RIGHT,
    TESTS,
    RecordingGrader,
    open_recording_grader,
    result_facts,
)

OpenGrader = Callable[..., AbstractContextManager[RecordingGrader]]


@pytest.fixture
def open_grader(make_course: MakeCourse, sandbox: SandboxConfig, monkeypatch: pytest.MonkeyPatch) -> OpenGrader:
    """Open a grader as it is, of an assignment with these hidden tests."""
    return lambda tests, **more: open_recording_grader(make_course(tests, **more), sandbox, monkeypatch)


@pytest.fixture
def toy(open_grader: OpenGrader) -> Iterator[RecordingGrader]:
    """The grader as it is."""
    with open_grader(TESTS) as found:
        yield found


@pytest.fixture
def slow(toy: RecordingGrader, sandbox: SandboxConfig, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordingGrader]:
    """One whose tests ask for themselves, in fresh processes."""
    with open_recording_grader(
        toy.grader.assignment, sandbox, monkeypatch, prefetches_answers=False, fresh_process_per_test=True
    ) as found:
        yield found


def test_a_wrong_answer_is_judged_by_the_test_whoever_gave_it_before(toy: RecordingGrader) -> None:
    first = toy.grade(BY_TWO)
    assert [result.outcome for result in first.test_results] == ["failed", "failed", "failed"]
    assert first.test_results[0].message == "after two calls it is at 7"
    for again in (BY_TWO, BY_TWO_AGAIN):
        second = toy.grade(again)
        assert toy.runs == ["up", "nothing", "own"]
        assert result_facts(second) == result_facts(first)


def test_what_a_submission_taught_is_never_sent_to_another(open_grader: OpenGrader) -> None:
    tests = '''
def test_what_comes(Counter):
    """It counts on."""
    counter = Counter(3)
    value = counter.up()
    if value != 4:
        counter.secret_of_one_student = value
        value = counter.up()
    assert value == 4, f"it is at {value}"
'''
    with open_grader(tests) as toy:
        toy.grade(BY_TWO)
        toy.grade(BY_TWO_AGAIN)
        toy.grade(RIGHT)
        assert toy.sent
        assert not [one for message in toy.sent for one in message if b"secret" in one]


def test_an_answer_to_another_question_gets_no_verdict(
    open_grader: OpenGrader, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = '''
def test_how_far_it_goes(Counter, student):
    """It goes somewhere."""
    student.remembered["step"] = Counter(3).up() - 3


def test_from_elsewhere(Counter, student):
    """It goes as far from anywhere."""
    start = 1 if student.remembered["step"] == 1 else 5
    value = Counter(start).up()
    assert value == 7, f"from {start} it goes to {value}"
'''
    right = RIGHT.replace("self.value += 1", "self.value = 7 if self.value == 1 else self.value + 1")
    monkeypatch.setattr(
        "autograder.grading.prefetching.MAX_TESTS_TOGETHER", 1
    )  # the second is asked once the first has ended
    from_one_alone = BY_TWO.replace("self.value += 2", "self.value += {1: 6, 5: 4}.get(self.value, 2)")
    with open_grader(tests, solution=right) as toy:
        assert [result.outcome for result in toy.grade(BY_TWO).test_results] == ["passed", "passed"]
        assert [result.message for result in toy.grade(from_one_alone).test_results] == ["", "from 5 it goes to 9"]


ASKS_BY_CHANCE = '''
asked = []

def test_never_the_same(Counter):
    """A counter counts from anywhere."""
    asked.append(1)
    value = Counter(len(asked)).up()
    assert value == len(asked) + 1, f"it is at {value}"
'''


def test_a_test_that_asks_something_else_every_time_is_run_again_and_asks_for_itself(open_grader: OpenGrader) -> None:
    with open_grader(ASKS_BY_CHANCE) as toy:
        for source in (RIGHT.replace("value", "count"), BY_TWO):
            outcome = "passed" if source != BY_TWO else "failed"
            assert [result.outcome for result in toy.grade(source).test_results] == [outcome]


ENDS = {
    "ends its process": RIGHT.replace("self.value += 1", "import os; os._exit(1)"),
    "gives itself": RIGHT.replace("return self.value", "return self"),
    "remembers": LEAKS,
    "raises": RAISES,
    "counts by two": BY_TWO,
    "never ends": RIGHT.replace("self.value += 1", "while True: pass"),
    "gives nothing": RIGHT.replace("return self.value", "return None"),
    "lacks a method": RIGHT.replace("def up", "def down"),
    "gives half a character": RIGHT.replace("return self.value", "return '\\ud800'"),
    "gives its own class": RIGHT.replace("return self.value", "return Counter"),
}


@pytest.mark.first_cases(5)
@pytest.mark.parametrize("source", ENDS.values(), ids=ENDS)
def test_whatever_a_submission_does_it_is_told_the_same_either_way(
    toy: RecordingGrader, slow: RecordingGrader, source: str
) -> None:
    slowly = result_facts(slow.grade(source))
    assert [result_facts(toy.grade(source)) for _ in range(2)] == [slowly, slowly]
