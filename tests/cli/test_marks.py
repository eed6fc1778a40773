"""Marks that a regrade changes: lowered ones are told first, each with the concepts that changed."""

from __future__ import annotations

from msgspec import structs

from autograder.batch.mark_changes import ClassMarkComparison, RegradedReportPair
from autograder.cli.regrade import iterate_mark_change_lines
from autograder.reports import ScoreReport
from tests.reports.sample import a_report, with_test


def scored(accumulation: float = 5.0, tanh: float = 0.0, bonus: float = 1.0) -> ScoreReport:
    """A report with so many points."""
    report = a_report(bonus=bonus)
    points = {"accumulation": accumulation, "tanh": tanh, "robustness": bonus}
    concepts = [structs.replace(one, score=points[one.name]) for one in report.concepts]
    final = structs.replace(report.final, score=accumulation + tanh, bonus=bonus)
    return structs.replace(report, score=accumulation + tanh, concepts=concepts, final=final)


def regraded(name: str, before: ScoreReport, after: ScoreReport, reason: str = "") -> RegradedReportPair:
    return RegradedReportPair(name, before, after, reason)


def mark_change_lines(*ones: RegradedReportPair, untouched: int = 0, most: int | None = None) -> list[str]:
    marks = ClassMarkComparison()
    for one in ones:
        marks.add_regraded_submission(one)
    return [*iterate_mark_change_lines(marks, untouched, most)]


def test_lowered_marks_come_first_then_raised_ones_then_how_many_stay() -> None:
    lines = mark_change_lines(
        regraded("eve", scored(5), scored(12.5)),
        regraded("bob", scored(5), scored(5)),
        regraded("ada", scored(5), scored(1.63)),
        untouched=3,
    )
    assert lines == [
        "1 mark goes down:",
        "  ada: 5 -> 1.63, accumulation -3.37",
        "1 mark goes up:",
        "  eve: 5 -> 12.5, accumulation +7.5",
        "4 marks stay as they are",
    ]


def test_the_largest_loss_is_first_and_so_is_the_largest_gain() -> None:
    lines = mark_change_lines(
        regraded("a", scored(5), scored(4)),
        regraded("b", scored(5), scored(2)),
        regraded("c", scored(5), scored(6)),
        regraded("d", scored(5), scored(9)),
    )
    assert [line.strip()[0] for line in lines if "->" in line] == ["b", "a", "d", "c"]


def test_every_concept_that_changed_is_named() -> None:
    lines = mark_change_lines(regraded("ada", scored(5, 3), scored(3, 4)))
    assert "  ada: 8 -> 7, accumulation -2, tanh +1" in lines


def test_a_mark_whose_bonus_falls_is_lowered_whatever_the_points_gained() -> None:
    lines = mark_change_lines(regraded("ada", scored(5, bonus=4), scored(9, bonus=1)))
    assert lines[:2] == ["1 mark goes down:", "  ada: 5 + 4 bonus -> 9 + 1 bonus, accumulation +4, robustness -3"]


def test_no_more_of_each_kind_are_listed_than_are_asked_for() -> None:
    lowered = (regraded(f"l{number}", scored(5), scored(4)) for number in range(3))
    raised = (regraded(f"r{number}", scored(5), scored(6)) for number in range(4))
    lines = mark_change_lines(*lowered, *raised, most=2)
    assert [line for line in lines if "more" in line] == ["  ... and 1 more", "  ... and 2 more"]
    assert sum("->" in line for line in lines) == 4


def explained(*ones: RegradedReportPair) -> list[str]:
    marks = ClassMarkComparison()
    for one in ones:
        marks.add_regraded_submission(one)
    return [*iterate_mark_change_lines(marks, 0, with_reasons=True)]


def test_only_changed_final_marks_are_explained() -> None:
    same = regraded("ada", scored(), scored(), "the hidden tests changed")
    swapped = regraded("bob", scored(5, 0), scored(4, 1))
    assert explained(same, swapped) == ["2 marks stay as they are"]


def test_other_points_for_the_same_outcome_are_explained() -> None:
    after = with_test(scored(8), 0, score=8.0)
    lines = explained(regraded("ada", scored(5), after))
    assert lines[2:5] == ["    no test was run again", "    accumulation +3", "      accumulation.first: passed, +3"]


def test_a_test_that_is_gone_and_a_status_that_changed_are_told() -> None:
    report = scored(0)
    gone = structs.replace(report, tests=report.tests[1:], status=structs.replace(report.status, outcome="empty"))
    lines = explained(regraded("ada", scored(5), gone))
    assert "    graded -> empty" in lines
    assert "      accumulation.first: passed -> not there, -5" in lines


def test_a_name_does_nothing_to_the_terminal() -> None:
    assert "\x1b" not in "".join(mark_change_lines(regraded("a\x1b[31m", scored(5), scored(4))))
