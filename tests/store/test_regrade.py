"""A change is graded where it touches a result and nowhere else; in the end, all is as if it were graded anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from autograder.batch.mark_changes import RegradedReportPair
from tests.store.conftest import RIGHT, TESTS, CounterCourse

UP, TWICE, DOWN = "counting.it-goes-up", "counting.it-goes-up-twice", "steps.it-goes-down"
ALONE = ("alice", "bob", "dave", "erin")
STOPPED = frozenset({"frank"})
"""Who was graded, and whose tests hang on one another: one of them was stopped, so no other is run without it."""
Change = Callable[[CounterCourse], None]


def counting(old: str, new: str) -> Change:
    return lambda counter_course: counter_course.change(counter_course.hidden / "test_counting.py", old, new)


def grading(old: str, new: str) -> Change:
    return lambda counter_course: counter_course.change(counter_course.root / "grading.yml", old, new)


def adding(text: str) -> Change:
    return grading("course: small\n", f"course: small\n{text}")


def both(*changes: Change) -> Change:
    def change(counter_course: CounterCourse) -> None:
        for one in changes:
            one(counter_course)

    return change


NEW = '\n\ndef test_it_stays(counter):\n    """It stays where it is."""\n    assert counter.value == START\n'
LESS = TESTS[TESTS.index("\n\ndef test_it_goes_up_twice") :]


@dataclass(frozen=True, slots=True)
class Case:
    """A change, which tests of whom it must run again, and who must be graded in full."""

    change: Change
    runs: dict[str, set[str]]
    whole: frozenset[str] = frozenset()


def alone(*tests: str) -> dict[str, set[str]]:
    return {name: {*tests} for name in ALONE}


def everybody(change: Change, *tests: str) -> Case:
    return Case(change, alone(*tests), STOPPED)


CASES = {
    "points": Case(grading("counting: 10", "counting: 30"), {}),
    "a weight": Case(counting("def test_it_goes_up_twice", "@pytest.mark.weight(4)\ndef test_it_goes_up_twice"), {}),
    "a sentence": Case(counting("It goes up by one each time.", "Each time it goes up by one."), {}),
    "a comment": Case(counting("START = 0\n", "START = 0  # where it starts\n"), {}),
    "who sees it": Case(adding("feedback: {hidden_tests: hidden, diagnosis: hidden}\n"), {}),
    "a test": everybody(counting('it stands at {got}"\n\n\ndef', 'it is at {got}"\n\n\ndef'), UP),
    "what a test wants": everybody(counting("assert got == 2", "assert got == 1"), TWICE),
    "a hint": everybody(counting("Add one.", "Add 1."), UP),
    "a hint of the assignment": Case(
        grading("    concepts:", '    hints: {"is not iterable": "Is it a list?"}\n    concepts:'),
        {},
        STOPPED.union(ALONE, {"carol"}),
    ),
    "what is around the tests": everybody(counting("START = 0", "START = -0"), UP, TWICE),
    "a new test": everybody(counting(LESS, LESS + NEW), "counting.it-stays"),
    "a test less": Case(counting(LESS, ""), {}),
    "a test and points": everybody(
        both(counting("assert got == 2", "assert got != 2"), grading("steps: 4", "steps: 1")), TWICE
    ),
    "more time": Case(grading("cpu_seconds: 0.1", "cpu_seconds: 0.2"), {}, STOPPED),
    "more to print": Case(grading("wall_seconds: 3", "wall_seconds: 3, output_kb: 2048"), {}, STOPPED),
    "words of wrong numbers": Case(
        adding("feedback: {observed_values: false}\n"),
        {"bob": {UP, TWICE}, "dave": {DOWN}, "erin": {TWICE}},
    ),
}


def run_alone(told: list[RegradedReportPair]) -> dict[str, set[str]]:
    """The tests that were run alone, by whose they are."""
    return {one.submission_name: {*one.plan.reason_by_test_to_run} for one in told if one.plan.reason_by_test_to_run}


def graded_in_full(told: list[RegradedReportPair]) -> set[str]:
    return {one.submission_name for one in told if one.plan.reason_to_run_everything}


@pytest.mark.first_cases(6)
@pytest.mark.thorough_but("points", "a weight", "a test", "what a test wants", "a new test", "more time")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_change_runs_what_it_touches_and_gives_what_a_full_grading_gives(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair], case: Case
) -> None:
    case.change(counter_course)
    summary = counter_course.regrade(on_regraded=regraded_pairs.append)
    assert run_alone(regraded_pairs) == case.runs
    assert graded_in_full(regraded_pairs) == case.whole
    assert (summary.submission_count, summary.outdated_count, summary.failures) == (6, 0, [])
    counter_course.assert_as_if_graded_afresh()


WHOLE = {
    "less time": grading("cpu_seconds: 0.1", "cpu_seconds: 0.05"),
    "what tests share": lambda counter_course: (counter_course.hidden / "conftest.py").write_text("# nothing\n"),
    "the solution": lambda counter_course: counter_course.solution.write_text(RIGHT + "\n"),
    "what counts as right": grading(
        "defines: [Counter]", "defines: [Counter]\n    conventions: {relu_at_zero: [0, 0]}"
    ),
}


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    "change",
    [pytest.param(WHOLE[name], marks=[pytest.mark.thorough] * (name == "what tests share")) for name in WHOLE],
    ids=WHOLE.keys(),
)
def test_what_may_touch_every_test_is_graded_in_full(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair], change: Change
) -> None:
    change(counter_course)
    counter_course.regrade(on_regraded=regraded_pairs.append)
    assert graded_in_full(regraded_pairs) == {path.stem for path in counter_course.students.iterdir()}
    counter_course.assert_as_if_graded_afresh()


def test_changed_points_start_no_process(counter_course: CounterCourse) -> None:
    grading("counting: 10", "counting: 30")(counter_course)

    def none(*_: object) -> None:
        raise AssertionError("workers were started")

    summary = counter_course.regrade(open_workers=none)
    assert (summary.rescored_count, summary.reused_count) == (6, 0)
    assert counter_course.reports()["alice"].score == 30


def test_a_batch_that_is_run_again_does_the_same(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair]
) -> None:
    CASES["what a test wants"].change(counter_course)
    counter_course.batch(on_regraded=regraded_pairs.append)
    assert run_alone(regraded_pairs) == alone(TWICE)
    assert graded_in_full(regraded_pairs) == STOPPED
    counter_course.assert_as_if_graded_afresh()


def test_a_change_that_is_taken_back_costs_nothing(counter_course: CounterCourse) -> None:
    before = counter_course.reports()
    grading("counting: 10", "counting: 30")(counter_course)
    counter_course.regrade()
    grading("counting: 30", "counting: 10")(counter_course)
    assert counter_course.regrade().reused_count == 6
    assert counter_course.reports() == before


def test_a_test_that_did_not_work_is_run_alone_once_it_is_mended(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair]
) -> None:
    counting("assert got == 2", "assert got == 3")(counter_course)
    assert counter_course.regrade().grader_error_count == 5
    counting("assert got == 3", "assert got == 2")(counter_course)
    counter_course.students.joinpath("alice.py").touch()
    counting("assert got == 2,", "assert got == 2, 'so' +")(counter_course)
    counter_course.regrade(on_regraded=regraded_pairs.append)
    assert run_alone(regraded_pairs) == alone(TWICE)
    assert graded_in_full(regraded_pairs) == STOPPED
    counter_course.assert_as_if_graded_afresh()


def test_a_result_with_a_fault_of_the_graders_is_looked_into_again(counter_course: CounterCourse) -> None:
    counting("assert got == 2", "assert got == 3")(counter_course)
    counter_course.regrade()
    again = counter_course.batch()
    assert (again.reused_count, again.grader_error_count) == (1, 5)


ENDLESS = RIGHT.replace("self.value += 1", "while True: pass").replace("self.value -= 1", "while True: pass")


@pytest.mark.thorough
def test_a_submission_that_was_stopped_once_or_always_is_graded_in_full(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair]
) -> None:
    counter_course.hand_in(gina=ENDLESS)
    counter_course.batch()
    CASES["what a test wants"].change(counter_course)
    counter_course.regrade(on_regraded=regraded_pairs.append)
    assert graded_in_full(regraded_pairs) == {*STOPPED, "gina"}
    assert run_alone(regraded_pairs) == alone(TWICE)
    counter_course.assert_as_if_graded_afresh()


SECOND_ENDLESS = RIGHT.replace("self.value += 1", "while self.value: pass\n        self.value = 1")


def test_a_submission_whose_stopped_test_is_gone_is_graded_in_full(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair]
) -> None:
    counter_course.hand_in(gina=SECOND_ENDLESS)
    counter_course.batch()
    CASES["a test less"].change(counter_course)
    counter_course.regrade(on_regraded=regraded_pairs.append)
    assert graded_in_full(regraded_pairs) == {"gina"}
    counter_course.assert_as_if_graded_afresh()


ENDS_ITSELF = "import os\n\n\n" + RIGHT.replace("self.value -= 1", "os._exit(1)")


def test_a_test_that_a_raised_limit_may_have_stopped_is_run_alone_where_none_timed_out(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair]
) -> None:
    counter_course.hand_in(gina=ENDS_ITSELF)
    counter_course.batch()
    assert [(test.id, test.cause) for test in counter_course.reports()["gina"].tests if test.cause] == [
        (DOWN, "exit")
    ]
    grading("wall_seconds: 3", "wall_seconds: 3, memory_mb: 4096")(counter_course)
    counter_course.regrade(on_regraded=regraded_pairs.append)
    assert run_alone(regraded_pairs) == {"gina": {DOWN}}
    assert graded_in_full(regraded_pairs) == STOPPED
    counter_course.assert_as_if_graded_afresh()
