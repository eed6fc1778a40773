"""What people decided about points goes before what the tests gave, exactly, and can be told from it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from msgspec import structs

from autograder.decisions import EVERYONE, Decision, apply_decisions_after_lateness, apply_decisions_before_lateness
from autograder.decisions.decision_model import Kind, find_outweighed_decisions, format_decision_line
from autograder.lateness.late_penalty import apply_lateness
from autograder.reports import ScoreReport
from autograder.reports.wording import iterate_decision_lines_for_student, list_decision_lines_for_staff
from tests.reports.sample import LATE, a_report


def decided(report: ScoreReport, *decisions: Decision, late: bool = False) -> ScoreReport:
    """A report as its student gets it: decisions, and a tenth off if it is late."""
    before = apply_decisions_before_lateness(report, decisions)
    after = apply_lateness(before, None)
    if late:
        final = structs.replace(after.final, score=before.score * 0.9, bonus=before.bonus.score * 0.9)
        after = structs.replace(after, final=final, lateness=LATE)
    return apply_decisions_after_lateness(after, decisions)


def test_without_a_decision_a_report_stays_as_it_is() -> None:
    report = a_report()
    assert decided(report) == apply_lateness(report, None)
    assert decided(report).decided is None


def test_a_score_that_a_person_set_is_all_that_counts_beside_the_points_of_the_tests() -> None:
    report = decided(a_report(), Decision("override", "zebra", value="17.5"), late=True)
    assert (report.score, report.final.score, report.final.bonus) == (17.5, 17.5, 0)
    assert report.lateness is not None
    assert (report.lateness.percent_off, report.lateness.days_late) == (0, 1)
    assert "set by the staff" in report.lateness.message
    assert report.decided is not None
    assert (report.decided.score, report.decided.bonus) == (5, 1)


@pytest.mark.parametrize(
    ("made", "score", "bonus", "final", "late_final"),
    [
        ([("override", "accumulation", "10")], 10, 1, 10, 9),
        ([("override", "robustness", "3")], 5, 3, 5, 4.5),
        ([("points", "style", "2.5")], 7.5, 1, 7.5, 7),
        ([("points", "copied header", "-6")], 0, 1, 0, 0),
        ([("points", "style", "18"), ("points", "oral", "4")], 20, 1, 20, 20),
        ([("exempt", "accumulation.second", "")], 10, 1, 10, 9),
        ([("exempt", "accumulation.second", ""), ("override", "accumulation", "3")], 3, 1, 3, 2.7),
    ],
    ids=[
        *("a concept takes the place of its tests", "a bonus is a bonus", "points by hand lose nothing by lateness"),
        *("points by hand never go below none", "or above full marks", "an exempt test gives its points"),
        "a concept that was set does not grow with an exemption",
    ],
)
def test_lateness_is_taken_off_what_people_set_and_exempt_but_not_off_points_by_hand(
    made: list[tuple[Kind, str, str]], score: float, bonus: float, final: float, late_final: float
) -> None:
    decisions = [Decision(kind, "zebra", subject, value) for kind, subject, value in made]
    report = decided(a_report(), *decisions)
    assert (report.score, report.bonus.score, report.final.score, report.final.bonus) == (score, bonus, final, bonus)
    assert decided(a_report(), *decisions, late=True).final.score == pytest.approx(late_final)


def test_a_concept_that_a_person_set_has_these_points() -> None:
    report = decided(a_report(), Decision("override", "zebra", "accumulation", "12.25"))
    assert [concept.score for concept in report.concepts] == [12.25, 0, 1]


def test_sums_are_exact() -> None:
    report = decided(a_report(), *(Decision("points", "zebra", f"part {n}", "0.1") for n in range(3)))
    assert Fraction(str(report.final.score)) == Fraction("5.3")


def test_an_exempt_test_is_marked_and_keeps_its_outcome() -> None:
    tests = decided(a_report(), Decision("exempt", "zebra", "accumulation.second")).tests
    assert [(test.id, test.outcome) for test in tests if test.exempt] == [("accumulation.second", "failed")]


def test_a_test_that_was_passed_gives_no_more_when_it_is_exempt() -> None:
    assert decided(a_report(), Decision("exempt", EVERYONE, "accumulation.first")).score == 5


def test_an_exemption_for_all_gives_nothing_to_what_could_not_be_tried() -> None:
    assert decided(a_report(), Decision("exempt", EVERYONE, "tanh.fourth")).score == 5
    assert decided(a_report(), Decision("exempt", "zebra", "tanh.fourth")).score == 7.5


def test_a_decision_about_other_files_says_so() -> None:
    report = structs.replace(a_report(), submission=structs.replace(a_report().submission, sha256="ab" * 32))
    same, other = (Decision("override", "zebra", value="7", sha256=one * 32) for one in ("ab", "cd"))
    for decision, outdated in ((same, False), (other, True)):
        part = decided(report, decision).decided
        assert part is not None
        assert part.decisions[0].outdated is outdated


SET_SCORE = Decision("override", "zebra", value="8")
STYLE = Decision("points", "zebra", "style", "2", author="Kim")
ACCUMULATION = Decision("override", "zebra", "accumulation", "3")
EXEMPTION = Decision("exempt", "zebra", "accumulation.second")


@pytest.mark.parametrize("other", [STYLE, ACCUMULATION, EXEMPTION])
def test_what_a_set_score_leaves_out_is_told_not_to_count(other: Decision) -> None:
    both = [*iterate_decision_lines_for_student(decided(a_report(), other, SET_SCORE))]
    alone = [*iterate_decision_lines_for_student(decided(a_report(), other))]
    not_counted = "This is not counted: the score that the staff set counts alone."
    assert both[0] == f"{alone[0]} {not_counted}"
    assert not any(not_counted in line for line in [*both[1:], *alone])


def test_a_comment_beside_a_set_score_is_a_comment() -> None:
    report = decided(a_report(), Decision("comment", "zebra", value="Well done."), SET_SCORE)
    assert "From the staff: Well done." in [*iterate_decision_lines_for_student(report)]


def test_the_gradebook_tells_the_staff_what_a_set_score_leaves_out() -> None:
    first, second = list_decision_lines_for_staff(decided(a_report(), STYLE, SET_SCORE))
    assert first == "2 for style [Kim] (not counted: the set score counts alone)"
    assert "not counted" not in second


def test_a_list_of_decisions_marks_those_that_a_set_score_leaves_out() -> None:
    of_another = Decision("points", "okapi", "style", "2")
    outweighed = find_outweighed_decisions([STYLE, of_another, SET_SCORE])
    assert outweighed == {STYLE}
    line = "zebra: 2 points for style (Kim); not counted: the score that was set counts alone"
    assert format_decision_line(STYLE, outweighed) == line


def test_points_for_a_reopened_attempt_are_not_said_to_be_left_out() -> None:
    first, second, third = (f"2025-11-2{day}T12:00:00+00:00" for day in (1, 2, 3))
    before, after = (replace(STYLE, decided_at=at, subject=at) for at in (first, third))
    reopened = Decision("reopen", "z", decided_at=second)
    found = find_outweighed_decisions([replace(SET_SCORE, decided_at=first), before, reopened, after])
    assert found == {before}
