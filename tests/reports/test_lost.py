"""How tests that did not pass are gathered."""

from __future__ import annotations

from msgspec import structs

from autograder.reports import ScoreReport
from autograder.reports.report_model import ReportedTest
from autograder.reports.unpassed_tests import (
    UnpassedTestsOfConcept,
    iterate_concepts_to_fix,
    iterate_unexplained_tests_by_concept,
    list_concepts_without_shown_failure,
)
from tests.reports.sample import a_report, cause_of, named, unnamed


def with_tests(*tests: ReportedTest) -> ScoreReport:
    return structs.replace(a_report(), tests=list(tests))


def alike(count: int, **more: object) -> list[ReportedTest]:
    """Tests of one concept that ended in the same way."""
    first = structs.replace(a_report().tests[1], message="a.grad is 1.0", **more)
    return [structs.replace(first, id=f"a.{number}", sentence=f"sentence {number}") for number in range(count)]


def only(report: ScoreReport) -> UnpassedTestsOfConcept:
    (lost,) = iterate_unexplained_tests_by_concept(report)
    return lost


def test_each_concept_that_lost_a_test_is_told_once() -> None:
    assert [lost.concept.name for lost in iterate_unexplained_tests_by_concept(a_report())] == [
        "accumulation",
        "tanh",
        "robustness",
    ]
    assert list(iterate_unexplained_tests_by_concept(with_tests(a_report().tests[0]))) == []


def test_what_ended_alike_is_one_group_and_of_many_the_first_are_named() -> None:
    (group,) = only(with_tests(*alike(5))).tried
    assert group.sentences == ("sentence 0", "sentence 1", "sentence 2", "and 2 more tests")
    assert group.happened == "failed: a.grad is 1.0"


def test_the_cases_of_a_parametrized_test_are_named_by_one_sentence_with_their_number() -> None:
    cases = [structs.replace(test, sentence="It holds.") for test in alike(4)]
    others = [structs.replace(test, id=f"b.{test.id}") for test in alike(4)]
    (group,) = only(with_tests(*cases, *others)).tried
    assert group.sentences == ("It holds. (4 tests)", "sentence 0", "sentence 1", "and 2 more tests")


def test_what_is_not_written_yet_is_one_line_and_names_each_once() -> None:
    missing = alike(3, outcome="not attempted")
    messages = ("`tanh` is not written yet.", "`exp` is not written yet.", "`tanh` is not written yet.")
    tests = [structs.replace(test, message=text) for test, text in zip(missing, messages, strict=True)]
    (line,) = only(with_tests(*tests)).untried
    assert line.line == "not written yet: `tanh`, `exp` (3 tests)"


def test_a_submission_that_could_not_be_graded_has_lost_no_single_test() -> None:
    report = a_report(status="empty")
    assert list(iterate_unexplained_tests_by_concept(report)) == []
    assert list_concepts_without_shown_failure(report) == []


def test_concepts_that_lost_points_out_of_sight_are_named() -> None:
    report = a_report()
    assert list_concepts_without_shown_failure(report) == []
    assert list_concepts_without_shown_failure(structs.replace(report, tests=report.tests[:3])) == [
        "tanh",
        "robustness",
    ]


def test_what_waits_for_something_else_is_one_line_for_each_missing_name() -> None:
    waiting = alike(3, outcome="blocked")
    names = ("backward", "tanh", "backward")
    tests = [
        structs.replace(test, message=f"This needs `{name}`, which is not written yet.")
        for test, name in zip(waiting, names, strict=True)
    ]
    assert [line.line for line in only(with_tests(*tests)).untried] == [
        "waits for `backward`, which is not written yet (2 tests)",
        "waits for `tanh`, which is not written yet (1 test)",
    ]


# What a cause explains


def test_a_test_that_a_cause_explains_is_not_told_a_second_time() -> None:
    (accumulation, *_) = iterate_unexplained_tests_by_concept(named(a_report(), cause_of("accumulation.second")))
    assert [sentence for tried in accumulation.tried for sentence in tried.sentences] == [
        "It holds that third, as in `a + a`."
    ]


def test_in_a_list_without_causes_what_follows_from_one_says_what_to_mend_and_never_its_own_hint() -> None:
    (accumulation, *_) = iterate_concepts_to_fix(named(a_report(), cause_of("accumulation.second")))
    second, third = accumulation.tried
    assert (second.explained, second.hint) == (
        True,
        "Fix this first: Gradients are assigned with `=`. How often is a paid?",
    )
    assert (third.explained, third.hint) == (False, "Add to it.")


# What has no name


def failing(*concepts: str) -> ScoreReport:
    """A report without a name for its mistake, with a failed test in each of these concepts."""
    first = a_report().tests[1]
    tests = [structs.replace(first, id=f"{one}.x", concept=one, hint=f"Hint on {one}.") for one in concepts]
    return unnamed(with_tests(*tests))


def test_without_a_name_the_first_concept_has_its_hints_open_and_later_ones_have_them_folded() -> None:
    lost = list(iterate_unexplained_tests_by_concept(failing("accumulation", "tanh", "robustness")))
    assert [one.tried[0].hint for one in lost] == ["Hint on accumulation.", "", ""]
    assert [one.tried[0].folded_hint for one in lost] == ["", "Hint on tanh.", "Hint on robustness."]


def test_that_another_concept_comes_first_is_said_once_above_those_that_follow() -> None:
    lost = list(iterate_unexplained_tests_by_concept(failing("accumulation", "tanh", "robustness")))
    assert [one.above for one in lost] == ["", "First fix accumulation. What fails below may follow from it.", ""]


def test_what_is_not_written_yet_does_not_come_first() -> None:
    missing = a_report().tests[3]
    report = failing("tanh", "robustness")
    report = structs.replace(report, tests=[structs.replace(missing, concept="accumulation"), *report.tests])
    assert [bool(tried.hint) for lost in iterate_unexplained_tests_by_concept(report) for tried in lost.tried] == [
        True,
        False,
    ]


def test_where_only_the_bonus_fails_every_hint_is_open() -> None:
    (lost,) = iterate_unexplained_tests_by_concept(failing("robustness"))
    assert (lost.above, lost.tried[0].hint) == ("", "Hint on robustness.")
