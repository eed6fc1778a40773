"""How tests that did not pass are gathered."""

from __future__ import annotations

from msgspec import structs

from autograder.reports import ScoreReport
from autograder.reports.lost import Lost, lost_of, unshown
from autograder.reports.model import TestPart
from tests.reports.sample import a_report


def with_tests(*tests: TestPart) -> ScoreReport:
    return structs.replace(a_report(), tests=list(tests))


def alike(count: int, **more: object) -> list[TestPart]:
    """Tests of one concept that ended in the same way."""
    first = structs.replace(a_report().tests[1], message="a.grad is 1.0", **more)
    return [structs.replace(first, sentence=f"sentence {number}") for number in range(count)]


def only(report: ScoreReport) -> Lost:
    (lost,) = lost_of(report)
    return lost


def test_each_concept_that_lost_a_test_is_told_once() -> None:
    assert [lost.concept.name for lost in lost_of(a_report())] == ["accumulation", "tanh", "robustness"]
    assert list(lost_of(with_tests(a_report().tests[0]))) == []


def test_what_ended_alike_is_one_group_and_of_many_the_first_are_named() -> None:
    (group,) = only(with_tests(*alike(5))).tried
    assert group.sentences == ("sentence 0", "sentence 1", "sentence 2", "and 2 more tests")
    assert group.happened == "failed: a.grad is 1.0"


def test_a_hint_that_was_just_given_is_not_given_again() -> None:
    first, second, third = alike(3)
    tests = (first, structs.replace(second, message="b"), structs.replace(third, message="c", hint="Another."))
    assert [group.hint for group in only(with_tests(*tests)).tried] == ["Use `+=`.", "", "Another."]


def test_what_is_not_written_yet_is_one_line_and_names_each_once() -> None:
    missing = alike(3, outcome="not attempted")
    messages = ("`tanh` is not written yet.", "`exp` is not written yet.", "`tanh` is not written yet.")
    tests = [structs.replace(test, message=text) for test, text in zip(missing, messages, strict=True)]
    (line,) = only(with_tests(*tests)).untried
    assert line.line == "not written yet: `tanh`, `exp` (3 tests)"


def test_a_submission_that_could_not_be_graded_has_lost_no_single_test() -> None:
    report = a_report(status="empty")
    assert list(lost_of(report)) == []
    assert unshown(report) == []


def test_concepts_that_lost_points_out_of_sight_are_named() -> None:
    report = a_report()
    assert unshown(report) == []
    assert unshown(structs.replace(report, tests=report.tests[:3])) == ["tanh", "robustness"]
