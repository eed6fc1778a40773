"""Describe the decisions about a submission in sentences, for its student and for the staff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograder.english_wording import choose_by_count
from autograder.reports.report_model import ReportedDecision, ReportedDecisions, ScoreReport
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_for_display

EARLIER = " It was decided about files that were handed in before these."
OUTWEIGHED = " This is not counted: the score that the staff set counts alone."


def describe_decisions_for_student(report: ScoreReport) -> list[str]:
    """Return a sentence for each decision that changed points; see ``list_staff_comments`` for comments."""
    reported_decisions = report.decided
    if reported_decisions is None:
        return []
    sentence_by_test = {test.id: test.sentence for test in report.tests}
    sentences = [
        _format_for_student(decision, report, reported_decisions, sentence_by_test)
        for decision in reported_decisions.decisions
        if decision.kind != "comment"
    ]
    return list(dict.fromkeys(sentences))


def list_staff_comments(report: ScoreReport) -> list[str]:
    """Return the staff's comments to the student."""
    decisions = report.decided.decisions if report.decided else []
    return [decision.value for decision in decisions if decision.kind == "comment"]


def list_decision_lines_for_staff(report: ScoreReport) -> list[str]:
    """Return each decision in a few words, with the reason and who decided."""
    decisions = report.decided.decisions if report.decided else []
    return [
        f"{_format_for_staff(decision)}{' (about earlier files)' if decision.outdated else ''}"
        f"{' (not counted: the set score counts alone)' if _is_outweighed(decision, decisions) else ''}"
        for decision in decisions
    ]


def _format_for_student(
    decision: ReportedDecision,
    report: ScoreReport,
    reported_decisions: ReportedDecisions,
    sentence_by_test: dict[str, str],
) -> str:
    is_outweighed = _is_outweighed(decision, reported_decisions.decisions)
    note = f"{EARLIER if decision.outdated else ''}{OUTWEIGHED if is_outweighed else ''}"
    match decision.kind, decision.subject:
        case "override", "":
            test_points = f"{format_points(reported_decisions.score)} of {format_points(report.max_score)} points"
            return f"The staff set the score to {decision.value}. The tests alone gave {test_points}.{note}"
        case "override", concept:
            return f"The staff set the points for {concept} to {decision.value}.{note}"
        case "points", subject:
            sign = "takes off" if decision.value.startswith("-") else "adds"
            value = decision.value.lstrip("-")
            points = choose_by_count(float(value), "point", "points")
            return f"The staff {sign} {value} {points} for {escape_for_display(subject)}.{note}"
        case _, test:
            ending = f": {sentence_by_test[test]}" if test in sentence_by_test else "."
            return f"A test gives its points whatever came of it{ending}{note}"


def _is_outweighed(decision: ReportedDecision, decisions: Iterable[ReportedDecision]) -> bool:
    """Return whether a decision changes no points, because the staff set the whole score."""
    return decision.kind != "comment" and not _is_set_score(decision) and any(map(_is_set_score, decisions))


def _is_set_score(decision: ReportedDecision) -> bool:
    return decision.kind == "override" and not decision.subject


def _format_for_staff(decision: ReportedDecision) -> str:
    change = {
        "override": f"{decision.subject or 'score'} set to {decision.value}",
        "comment": f"comment: {escape_for_display(decision.value, 80)}",
        "exempt": f"{decision.subject} exempt",
        "points": f"{decision.value} for {decision.subject}",
    }[decision.kind]
    reason = f": {escape_for_display(decision.reason, 200)}" if decision.reason else ""
    return f"{change}{reason} [{escape_for_display(decision.author, 80)}]"


def iterate_decision_lines_for_student(report: ScoreReport) -> Iterator[str]:
    """Yield lines of plain text about decisions and comments, for the student."""
    yield from describe_decisions_for_student(report)
    for comment in list_staff_comments(report):
        yield from (
            f"From the staff: {escape_for_display(line, 2000)}" for line in comment.splitlines() if line.strip()
        )
