"""What the author of a hidden suite may rely on, and what is refused."""

from __future__ import annotations

import pytest

from autograder.faults import CourseFault
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source_alone
from tests.grading.conftest import SOLUTION, GradeWith, MakeCourse


def outcomes(result: GradedSubmission) -> dict[str, str]:
    return {r.spec.id.partition(".")[2]: r.outcome for r in result.test_results}


NO_ANSWER = """
def test_up(Counter):
    'A bare assert.'
    assert Counter(3).up() == 4
"""


def test_the_right_answer_is_never_in_the_message(grade_with: GradeWith) -> None:
    wrong = "class Counter:\n    def __init__(self, start=0): ...\n    def up(self): return 7"
    (result,) = grade_with(NO_ANSWER, wrong).test_results
    assert result.message == "This does not hold yet."


UP_TWICE = '''
def test_up_counts(Counter):
    """`up()` counts."""
    counter = Counter(3)
    counter.up()
    value = counter.up()
    assert value == 5, f"after two calls it is at {value}"
'''


def test_a_tests_docstring_id_and_message_come_from_its_author(grade_with: GradeWith) -> None:
    wrong = "class Counter:\n    def __init__(self, start=0):\n        pass\n    def up(self):\n        return 1"
    (result,) = grade_with(UP_TWICE, wrong).test_results
    assert result.spec.id == "counting.up-counts"
    assert result.spec.sentence == "`up()` counts."
    assert (result.outcome, result.message) == ("failed", "after two calls it is at 1")


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ("def test_up(Counter):\n    assert True\n", "has no docstring"),
        ("", "no hidden test gives marks"),
        ('@pytest.mark.concept("tanh")\ndef test_up():\n    """Doc."""\n', "no hidden test gives marks"),
        (
            '@pytest.mark.wieght(2)\ndef test_up():\n    """Doc."""\n',
            "unknown marker 'wieght'; did you mean 'weight'",
        ),
    ],
)
def test_a_broken_suite_is_the_courses_fault(
    make_course: MakeCourse, sandbox: SandboxConfig, tests: str, said: str
) -> None:
    with pytest.raises(CourseFault, match=said):
        Grader(make_course(tests), sandbox)


BROKEN_TEST = (
    UP_TWICE
    + '''
def test_the_author_made_a_mistake(Counter):
    """This one is wrong."""
    assert Counter(1).up() == undefined_name
'''
)


def test_a_test_that_the_reference_fails_costs_nobody_a_mark(grade_with: GradeWith) -> None:
    result = grade_with(BROKEN_TEST, SOLUTION)
    assert outcomes(result)["the-author-made-a-mistake"] == "grader error"
    assert result.concept_scores[0].score == 10


LEAKS = '''
def test_first(Counter):
    """A counter counts."""
    assert Counter(0).up() == 1

def test_second(Counter):
    """Another counter counts too."""
    assert Counter(0).up() == 1
'''


@pytest.mark.parametrize("beginning", ["", "import os\n"])
def test_what_one_test_left_behind_fails_no_other_and_needs_no_further_process(
    grade_with: GradeWith, beginning: str
) -> None:
    leaking = """\
class Counter:
    n = 0
    def __init__(self, start): ...
    def up(self):
        Counter.n += 1
        return Counter.n
"""
    result = grade_with(LEAKS, beginning + leaking)
    assert outcomes(result) == {"first": "passed", "second": "passed"}
    assert result.process_count == 1


THREE = (
    LEAKS
    + '''
def test_third(Counter):
    """A counter goes on from where it started."""
    assert Counter(5).up() == 6

def test_fourth(Counter):
    """A counter counts, again."""
    assert Counter(0).up() == 1
'''
)


def test_a_program_with_one_answer_for_the_first_test_and_another_for_later_is_graded_by_one_of_them(
    grade_with: GradeWith,
) -> None:
    two_faced = """\
class Counter:
    made = 0
    def __init__(self, start): Counter.made += 1
    def up(self): return 6 if Counter.made == 2 else 1  # one is made when it is loaded
"""
    result = grade_with(THREE, two_faced)
    assert outcomes(result) == {"first": "failed", "second": "failed", "third": "passed", "fourth": "failed"}


def test_a_time_out_costs_one_test_and_the_next_has_a_fresh_process(grade_with: GradeWith) -> None:
    tests = '''
    def test_up_on_a_large_number(Counter):
        """`up()` works on large numbers."""
        assert Counter(1000).up() == 1001

    def test_up(Counter):
        """`up()` counts."""
        assert Counter(1).up() == 2
    '''
    looping = """\
class Counter:
    def __init__(self, start):
        self.value = start
    def up(self):
        while self.value == 1000:
            pass
        return self.value + 1
"""
    result = grade_with(tests, looping)
    assert outcomes(result) == {"up-on-a-large-number": "timeout", "up": "passed"}
    assert result.test_results[0].stop_cause == "cpu"


def test_a_stub_is_not_attempted_and_what_needs_it_is_blocked(
    make_course: MakeCourse, sandbox: SandboxConfig
) -> None:
    tests = '''
    def test_up(Counter):
        """`up()` counts."""
        assert Counter(1).up() == 2

    @pytest.mark.needs("down")
    def test_down_after_up(Counter):
        """`down()` undoes `up()`."""
        counter = Counter(1)
        counter.up()
        assert counter.down() == 1
    '''
    solution = (
        SOLUTION
        + """
    def down(self):
        self.value -= 1
        return self.value
"""
    )
    stub = """\
class Counter:
    def __init__(self, start):
        self.value = start

    def up(self):
        'Up.'
        raise NotImplementedError("up is not written yet")
"""
    assignment = make_course(tests, solution=solution)
    result = grade_source_alone(assignment, sandbox, stub)
    assert outcomes(result) == {"up": "not attempted", "down-after-up": "not attempted"}
    half = solution.replace(
        "        self.value -= 1\n        return self.value\n", "        raise NotImplementedError\n"
    )
    result = grade_source_alone(assignment, sandbox, half)
    assert outcomes(result) == {"up": "passed", "down-after-up": "blocked"}
    assert result.test_results[1].message == "This needs `down`, which is not written yet."


def test_observed_values_can_be_kept_back(grade_with: GradeWith) -> None:
    grading = "assignments:\n  counter:\n    defines: [Counter]\n    concepts: {counting: 10}\n"
    wrong = "class Counter:\n    def __init__(self, start=0):\n        pass\n    def up(self):\n        return 1"
    grading = f"feedback: {{observed_values: false}}\n{grading}"
    (result,) = grade_with(UP_TWICE, wrong, grading=grading).test_results
    assert result.message == "This does not hold yet."
