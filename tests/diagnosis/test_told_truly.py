"""What a report says about a wrong program is true of that program: one example for each kind of untrue sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from autograder.course import Assignment, Course
from autograder.diagnosis import SubmissionDiagnoser
from autograder.grading import Grader
from autograder.reports import make_score_report
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from tests.diagnosis.conftest import edited

Tell = Callable[..., str]
MUL = "            other.grad += self.data * out.grad\n"
SUM = """\
        out = Value(self.data + other.data, (self, other), "+")

        def _backward() -> None:
            self.grad += out.grad
            other.grad += out.grad
"""
LIFT = "        other = other if isinstance(other, Value) else Value(other)\n" + SUM
ZERO_ALL, ZERO_SELF = (
    "        for node in self._operands_first():\n            node.grad = 0.0",
    "        self.grad = 0.0",
)


def told(grader: Grader, *edits: tuple[str, str]) -> str:
    """The report on the reference solution with edits, as a terminal shows it, on one line for each paragraph."""
    source = edited(grader.assignment.solution_file, *edits)
    graded = grader.grade_submission(Submission("one", "", ("value.py",), (SourceUnit("value.py", source),)))
    report = make_score_report(graded, grader.assignment, SubmissionDiagnoser(grader).diagnose(graded))
    return " ".join(render_report_as_plain_text(report).split())


@pytest.fixture
def tell(grader: Grader) -> Tell:
    return lambda *edits: told(grader, *edits)


@pytest.fixture(scope="module")
def tokenizer(course: Course, sandbox: SandboxConfig) -> Iterator[Grader]:
    with Grader(_get(course, "tokenizer"), sandbox) as opened:
        yield opened


def _get(course: Course, name: str) -> Assignment:
    return next(one for one in course.assignments if one.name == name)


def test_no_path_is_missing_where_one_call_adds_a_wrong_amount(tell: Tell) -> None:
    text = tell((MUL, MUL.replace("self.data * ", "self.data / self.data * ")))
    assert "First step that differs" in text
    assert "as if" not in text


def test_a_missing_import_keeps_pythons_message_and_speaks_of_no_value(tell: Tell) -> None:
    text = tell(("import math\n", ""))
    assert "name 'math' is not defined" in text
    assert "turn it into a Value" not in text


def test_swapped_arguments_of_isinstance_keep_pythons_message(tell: Tell) -> None:
    text = tell((LIFT, LIFT.replace("isinstance(other, Value)", "isinstance(Value, other)")))
    assert "isinstance() arg 2 must be a type" in text
    assert "into a Value first" not in text


def test_a_seed_that_comes_late_is_told_as_a_seed(tell: Tell) -> None:
    seed = "        self.grad = 1.0\n"
    loop = "        for node in reversed(self._operands_first()):\n            node._backward()\n"
    text = tell((seed + loop, loop + seed))
    assert "c.backward() does not set c.grad to 1.0 before the first call." in text


def test_a_gradient_that_stays_is_not_said_to_be_set(tell: Tell) -> None:
    text = tell((ZERO_ALL, ZERO_SELF))
    assert "c.zero_grad() leaves a.grad at 1.0; it should be 0.0." in text


def test_two_long_lists_that_differ_do_not_look_the_same(tokenizer: Grader) -> None:
    text = told(tokenizer, ("range(256, size)", "range(256, size + 1)"))
    shown = text.partition("list(a.merges.items())")[2].partition("<--")[0].split()
    assert shown
    assert "259)] ... " in " ".join(shown)
