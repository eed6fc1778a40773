"""A mistake in a hidden test's own lines costs no student a mark, and its author is told where it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autograder.author_checks.file_checks import check_assignment_files
from autograder.course import Assignment
from autograder.grading import Grader, HiddenTestResult
from autograder.reports import make_score_report
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from tests.graded_sources import grade_source_alone
from tests.grading.conftest import GRADING, HEAD, GradeWith, MakeCourse

WRONG = "class Counter:\n    def __init__(self, start=0): ...\n    def up(self): return {}"
HELPERS = """
import math


def told(got):
    {mistake}


def close(got, wanted):
    return abs(got - wanted) < 1


def count_all(*numbers):
    return len(numbers)


class Band:
    def __init__(self, low):
        self.low = low
"""
TESTS = """
import math

import counting_helpers
from counting_helpers import Band, close, told


def test_up(Counter):
    'It counts.'
    got = Counter(3).up()
    if got != 4:
        {mistake}
    assert got == 4, told(got)
"""
LINE = 21
"""Of the mistake, below the head that every suite has here."""


def grade(assignment: Assignment, sandbox: SandboxConfig, source: str) -> HiddenTestResult:
    (result,) = grade_source_alone(assignment, sandbox, source).test_results
    return result


Make = Callable[..., Assignment]
Told = Callable[..., HiddenTestResult]


@pytest.fixture
def make(make_course: MakeCourse) -> Make:
    """Make the assignment with lines in its test, and in its helper."""

    def made(*, in_test: str = "pass", in_helper: str = "return str(got)") -> Assignment:
        assignment = make_course(TESTS.format(mistake=in_test))
        helpers = assignment.hidden_suite_folder / "counting_helpers.py"
        helpers.write_text(HELPERS.format(mistake=in_helper))
        return assignment

    return made


@pytest.fixture
def told(make: Make, sandbox: SandboxConfig) -> Told:
    """What is told of a wrong answer by a test with these lines."""

    def result(answer: str = "7", **lines: str) -> HiddenTestResult:
        return grade(make(**lines), sandbox, WRONG.format(answer))

    return result


@pytest.mark.first_cases(4)
@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ("undefined", "NameError: name 'undefined' is not defined"),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("from math import nothing", "ImportError: cannot import name 'nothing' from 'math'"),
        ("math.cosine(got)", "AttributeError: module 'math' has no attribute 'cosine'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("close(got)", "TypeError: close() missing 1 required positional argument: 'wanted'"),
        ("close(got, 4, wanted=3)", "TypeError: close() got multiple values for argument 'wanted'"),
        ("counting_helpers.close(got, 4, 5)", "TypeError: close() takes 2 positional arguments but 3 were given"),
        ("Band(low=1, high=2)", "TypeError: Band.__init__() got an unexpected keyword argument 'high'"),
    ],
)
def test_a_mistake_of_the_test_is_a_grader_error(told: Told, mistake: str, said: str) -> None:
    result = told(in_test=mistake)
    assert result.outcome == "grader error"
    assert result.own_error.startswith(f"test_counting.py:{LINE} fails with {said}")
    assert "Counter" not in result.message
    assert result.message == "This test does not work here. It costs no marks, and the staff is told."


def test_a_report_shows_no_hint_for_a_grader_error(make: Make, sandbox: SandboxConfig) -> None:
    assignment = make(in_test="undefined")
    test = assignment.hidden_suite_folder / "test_counting.py"
    text = test.read_text()
    test.write_text(text.replace("def test_up", '@pytest.mark.hint("Add one.")\ndef test_up'))
    with Grader(assignment, sandbox) as grader:
        submission = Submission("s", "", ("value.py",), (SourceUnit("value.py", WRONG.format("7")),))
        (reported,) = make_score_report(grader.grade_submission(submission), assignment).tests
    assert (reported.outcome, reported.hint) == ("grader error", "")


def test_a_mistake_of_a_helper_is_told_with_both_lines(told: Told) -> None:
    result = told(in_test="told(got)", in_helper="return shwon(got)")
    assert result.outcome == "grader error"
    assert result.own_error == (
        f"test_counting.py:{LINE} fails with NameError in counting_helpers.py:6: name 'shwon' is not defined"
    )


def test_a_mistake_in_the_message_of_an_assertion_that_failed_saves_nobody_a_mark(told: Told) -> None:
    result = told(in_helper="return shwon(got)")
    assert (result.outcome, result.message) == ("failed", "This does not hold yet.")
    assert result.own_error == (
        f"test_counting.py:{LINE + 1} fails with NameError in counting_helpers.py:6: name 'shwon' is not defined"
    )


@pytest.mark.first_cases(6)
@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        ("5", "close = got; close()"),
        ("[5]", "[close() for close in got]"),
        ("[5]", "(lambda close: close())(*got)"),
        ("5", "(close := got)()"),
        ("[5]", "\n        for close in got: close()"),
        ("5", "\n        import contextlib\n        with contextlib.nullcontext(got) as close: close()"),
        ("5", "\n        close = got\n        def call(): close()\n        call()"),
        ("5", "counting_helpers = got; counting_helpers.close()"),
        ("5", "monkeypatch.setattr(counting_helpers, 'close', got); counting_helpers.close()"),
        ("5", "monkeypatch.setitem(globals(), 'close', got); close()"),
        ("1", "monkeypatch.setitem(globals(), 'told', [told, close][got]); told(5)"),
        ("1", "counting_helpers.chosen = [told, close][got]; counting_helpers.chosen(5)"),
        ("'Band'", "[close, Band][got == 'Band']()"),
        ("1", "math_or_told = [math, counting_helpers][got]; math_or_told.pi"),
        ("1", "[math, counting_helpers][got].pi"),
        ("[]", "\n        class Sums:\n            for one in got: last = one\n            wanted = last"),
        ("[]", "\n        for counting_helpers.last in got: pass\n        counting_helpers.last"),
        ("['--x']", "\n        import argparse\n        argparse.ArgumentParser().parse_args(got)"),
    ],
)
def test_a_value_of_the_students_under_a_name_of_the_suites_stays_the_students_mistake(
    make: Make, sandbox: SandboxConfig, answer: str, mistake: str
) -> None:
    assignment = make(in_test=mistake)
    test = assignment.hidden_suite_folder / "test_counting.py"
    test.write_text(test.read_text().replace("def test_up(Counter)", "def test_up(Counter, monkeypatch)"))
    result = grade(assignment, sandbox, WRONG.format(answer))
    assert (result.outcome, result.own_error) == ("failed", "")


def test_a_value_of_the_students_that_has_a_helpers_name_gets_no_points(grade_with: GradeWith) -> None:
    tests = """
    def scale(value, by):
        return value * by

    def test_scale(student):
        'It scales.'
        scale = student.get('scale')
        assert scale(3) == 6
    """
    grading = GRADING.replace("[Counter]", "[scale]")
    right = "def scale(value):\n    return 2 * value\n"
    head = HEAD.replace('"up"', '"scale"')
    (result,) = grade_with(tests, "scale = 5\n", grading=grading, solution=right, head=head).test_results
    assert (result.outcome, result.own_error) == ("failed", "")


GLOBAL = """
def test_up(Counter):
    'It counts.'
    global last
    for last in Counter(3).up():
        pass
    assert last == 4
"""
ONE_ANSWER = "class Counter:\n    def __init__(self, start=0): ...\n    def up(self): return [4]"


def test_a_global_that_the_students_empty_list_leaves_unbound_is_the_students_mistake(
    make_course: MakeCourse, sandbox: SandboxConfig
) -> None:
    assignment = make_course(GLOBAL + "    del last\n", solution=ONE_ANSWER)
    result = grade(assignment, sandbox, WRONG.format("[]"))
    assert (result.outcome, result.own_error) == ("failed", "")


def test_check_refuses_a_global_in_a_function_of_the_suite(make_course: MakeCourse) -> None:
    assignment = make_course(GLOBAL, solution=ONE_ANSWER)
    path = assignment.hidden_suite_folder / "test_counting.py"
    (problem,) = [one for one in check_assignment_files(assignment).problems if "`global`" in one]
    assert problem == (
        f"{path}:13: a function of the hidden suite binds 'last' as `global`, so one submission's test may see what "
        "another's left (use a local name, or return the value)"
    )


@pytest.mark.first_cases(4)
@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        ("None", "close(got, 4)"),
        ("'four'", "close(got, 4)"),
        ("None", "got + 1"),
        ("[1]", "got < 3"),
        ("[1, 2, 3]", "close(*got)"),
        ("{'nowhere': 1}", "close(**got)"),
        ("[5]", "math.cos(got)"),
        ("{1}", "got.pop(0)"),
        ("None", "got.data"),
        ("7", "got()"),
        ("[]", "[last := one for one in got]; assert last == 6"),
        ("[]", "[last := one for one in got]; assert (lambda: last)() == 6"),
        ("'nothing'", "getattr(math, got)"),
        ("'one'", "chosen = {'one': close}[got]; chosen(1)"),
    ],
)
def test_a_value_of_the_students_that_cannot_be_used_or_leaves_something_undone_stays_the_students_mistake(
    told: Told, answer: str, mistake: str
) -> None:
    result = told(answer, in_test=mistake)
    assert (result.outcome, result.own_error) == ("failed", "")


@pytest.mark.parametrize("raised", ["NameError", "ImportError", "TypeError", "SystemExit"])
def test_what_the_students_own_code_raises_stays_the_students_mistake(
    make: Make, sandbox: SandboxConfig, raised: str
) -> None:
    source = f"class Counter:\n    def __init__(self, start=0): ...\n    def up(self): raise {raised}('no')"
    result = grade(make(), sandbox, source)
    assert (result.outcome, result.own_error) == ("error", "")


def test_a_mistake_of_a_function_that_the_students_code_calls_is_the_tests(grade_with: GradeWith) -> None:
    tests = """
    def test_up(Counter):
        'It calls.'
        def called():
            return undefined
        got = Counter(called).up()
        assert got == 8, got
    """
    solution = "class Counter:\n    def __init__(self, start=0): self.start = start\n    def up(self): return 8\n"
    source = solution.replace("return 8", "return self.start()")
    (result,) = grade_with(tests, source, solution=solution).test_results
    assert result.outcome == "grader error"
    assert "NameError" in result.own_error


def test_what_a_suite_prints_is_shown_to_nobody(
    make: Make, sandbox: SandboxConfig, capfd: pytest.CaptureFixture[str]
) -> None:
    assignment = make(in_test="print('of a test')")
    helper = assignment.hidden_suite_folder / "counting_helpers.py"
    helper.write_text(f"print('of a helper')\n{helper.read_text()}")
    grade(assignment, sandbox, WRONG.format("7"))
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")
