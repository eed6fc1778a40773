"""Causes as students read them: what a title says once, and which failed tests follow from it."""

from __future__ import annotations

from msgspec import structs

from autograder.diagnosis import Cause
from autograder.reports import ScoreReport
from autograder.reports.causes import list_causes, redirect_hints_to_first_fix
from autograder.reports.report_model import filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text
from tests.reports.sample import SUSPECT, a_report, cause_of, named, shown

SECOND, THIRD = "accumulation.second", "accumulation.third"


def hints(report: ScoreReport) -> dict[str, str]:
    return {test.id: test.hint for test in redirect_hints_to_first_fix(report).tests}


def test_a_cause_says_how_many_failed_tests_it_explains_and_what_the_first_saw() -> None:
    (cause,) = list_causes(named(a_report(), cause_of(SECOND, THIRD)))
    assert cause.explained_tests_phrase == "explains 2 failed tests"
    assert cause.first_failure_text == "failed: a.grad is 1.0 zebra"
    assert cause.list_test_sentences(2) == (
        "It holds that second, as in `a + a`.",
        "It holds that third, as in `a + a`.",
    )
    assert cause.list_test_sentences(1) == ("It holds that second, as in `a + a`.", "and 1 more test")


def test_tests_that_could_not_be_run_are_counted_apart() -> None:
    report = named(a_report(), cause_of(SECOND, THIRD))
    blocked = [structs.replace(test, outcome="blocked") if test.id == THIRD else test for test in report.tests]
    (cause,) = list_causes(structs.replace(report, tests=tuple(blocked)))
    assert cause.explained_tests_phrase == "explains 1 failed test and 1 that could not be run"
    (cause,) = list_causes(structs.replace(named(a_report(), cause_of(THIRD)), tests=tuple(blocked)))
    assert cause.explained_tests_phrase == "explains 1 test that could not be run"


def test_a_test_stands_below_the_first_cause_that_explains_it() -> None:
    first, second = list_causes(named(a_report(), cause_of(SECOND), cause_of(SECOND, THIRD, title="Another")))
    assert ([test.id for test in first.tests], first.explained_tests_phrase) == ([SECOND], "explains 1 failed test")
    assert ([test.id for test in second.tests], second.explained_tests_phrase) == (
        [THIRD],
        "explains 1 more failed test",
    )


def test_tests_that_are_not_shown_are_not_named_by_a_cause() -> None:
    report = filter_report_for_student(shown(a_report(), "hidden", "visible"), "handed in")
    (cause,) = list_causes(report)
    assert (cause.joined_titles, cause.tests) == (SUSPECT.title, ())


def test_look_alikes_with_the_same_title_are_told_once_with_the_hints_of_the_first() -> None:
    twin = structs.replace(SUSPECT, id="twin", hints=("Another question?",))
    other = structs.replace(SUSPECT, id="other", title="A number is lost")
    (cause,) = list_causes(
        named(a_report(), Cause(misconceptions=(SUSPECT, twin, other), concepts=("tanh",), tests=(SECOND,)))
    )
    assert cause.suspects_with_prefix == (("either: ", SUSPECT), ("or: ", other))
    (cause,) = list_causes(named(a_report(), Cause(misconceptions=(SUSPECT, twin), concepts=("tanh",), tests=())))
    assert cause.suspects_with_prefix == (("", SUSPECT),)


def test_where_each_test_is_shown_alone_its_hint_gives_way_to_the_first_step_of_the_ladder() -> None:
    found = hints(named(a_report(), cause_of(SECOND, title="`*` passes nothing on to its right operand.")))
    assert found[SECOND] == "Fix this first: `*` passes nothing on to its right operand. How often is a paid?"
    assert found[THIRD] == "Add to it."


def test_as_long_as_the_cause_is_not_shown_a_test_keeps_its_own_hint() -> None:
    assert hints(shown(a_report(), "visible", "after_published"))[SECOND] == "Add to it."
    assert hints(shown(a_report(), "after_due_date", "after_due_date"))[SECOND] != "Add to it."


def test_no_hint_stands_twice_in_a_report() -> None:
    report = a_report()
    failed = [structs.replace(test, outcome="failed", hint="Add to it.", message=test.id) for test in report.tests]
    report = structs.replace(report, tests=failed, diagnosis=structs.replace(report.diagnosis, causes=()))
    assert render_report_as_plain_text(report).count("Add to it.") == 1
    assert [test.hint for test in redirect_hints_to_first_fix(report).tests].count("Add to it.") == 1
