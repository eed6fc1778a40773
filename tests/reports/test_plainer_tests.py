"""A failed test follows the plain one of its concept that failed too, and then its hint only points there."""

from __future__ import annotations

from fractions import Fraction

from msgspec import structs

from autograder.grading import HiddenTestResult
from autograder.grading.results import HiddenTestSpec, Outcome
from autograder.reports.causes import map_failed_tests_to_plainer_ones
from autograder.reports.unpassed_tests import FOLLOWING, iterate_unexplained_tests_by_concept
from tests.reports.sample import a_report, unnamed


def result(
    name: str,
    *tested: str,
    needs: tuple[str, ...] = (),
    outcome: Outcome = "failed",
    said: str = "",
    concept: str = "c",
) -> HiddenTestResult:
    spec = HiddenTestSpec(name, concept, f"{name} holds.", "", (*tested, *needs), tested, Fraction(1))
    return HiddenTestResult(spec, outcome, said or name)


def follows(*results: HiddenTestResult) -> dict[str, str]:
    return {name: plain.spec.id for name, plain in map_failed_tests_to_plainer_ones(results).items()}


def test_a_test_follows_the_first_one_about_the_same() -> None:
    assert follows(result("plain", "f"), result("twice", "f"), result("deep", "f")) == {
        "twice": "plain",
        "deep": "plain",
    }


def test_a_test_follows_none_where_the_plain_one_passes() -> None:
    assert follows(result("plain", "f", outcome="passed"), result("twice", "f"), result("deep", "f")) == {}


def test_a_test_follows_what_it_needs_and_nothing_else() -> None:
    results = result("plain", "f"), result("other", "g"), result("both", "g", needs=("f",)), result("alone", "h")
    assert follows(*results) == {"both": "plain"}


def test_a_chain_ends_at_its_first() -> None:
    results = result("plain", "f"), result("g", "g", needs=("f",)), result("h", "h", needs=("g",))
    assert follows(*results) == {"g": "plain", "h": "plain"}


def test_another_concept_another_exception_and_what_was_not_tried_follow_nothing() -> None:
    plain = result("plain", "f")
    assert follows(plain, result("far", "f", concept="d")) == {}
    assert follows(plain, result("raises", "f", outcome="error")) == {}
    assert follows(plain, result("blocked", "f", outcome="blocked")) == {}


def test_one_exception_in_all_of_them_is_one_group() -> None:
    first = result("plain", "f", outcome="error", said="raised")
    assert follows(first, result("twice", "f", outcome="error", said="raised")) == {"twice": "plain"}


def test_tests_that_follow_are_told_in_one_place_with_one_pointer() -> None:
    report = unnamed(a_report())
    plain = structs.replace(report.tests[1], id="plain", message="it is 1.0", hint="Look there.")
    others = [
        structs.replace(
            plain, id=f"n{n}", sentence=f"sentence {n}", message=f"it is {n}", hint="First.", follows="plain"
        )
        for n in range(5)
    ]
    (concept,) = iterate_unexplained_tests_by_concept(structs.replace(report, tests=[plain, *others]))
    first, rest = concept.tried
    assert (first.happened, first.hint) == ("failed: it is 1.0", "Look there.")
    assert (rest.happened, rest.hint) == (FOLLOWING, "First.")
    assert rest.sentences == ("sentence 0", "sentence 1", "sentence 2", "and 2 more tests")
