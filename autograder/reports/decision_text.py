"""Describe the decisions about a submission in sentences, for its student and for the staff."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.reports.report_model import ReportedDecision, ReportedDecisions, ScoreReport
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_for_display

EARLIER = " It was decided about files that were handed in before these."


def describe_decisions_for_student(report: ScoreReport) -> list[str]:
    """Return a sentence for each decision that changed points; see ``list_staff_comments`` for comments."""
    decided = report.decided
    if decided is None:
        return []
    sentences = {test.id: test.sentence for test in report.tests}
    told = [_for_student(one, report, decided, sentences) for one in decided.decisions if one.kind != "comment"]
    return list(dict.fromkeys(told))


def list_staff_comments(report: ScoreReport) -> list[str]:
    """Return the staff's comments to the student."""
    decisions = report.decided.decisions if report.decided else []
    return [one.value for one in decisions if one.kind == "comment"]


def list_decision_lines_for_staff(report: ScoreReport) -> list[str]:
    """Return each decision in a few words, with the reason and who decided."""
    decisions = report.decided.decisions if report.decided else []
    return [f"{_for_staff(one)}{' (about earlier files)' if one.outdated else ''}" for one in decisions]


def _for_student(
    one: ReportedDecision, report: ScoreReport, decided: ReportedDecisions, sentences: dict[str, str]
) -> str:
    earlier = EARLIER if one.outdated else ""
    match one.kind, one.subject:
        case "override", "":
            gave = f"{format_points(decided.score)} of {format_points(report.max_score)} points"
            return f"The staff set the score to {one.value}. The tests alone gave {gave}.{earlier}"
        case "override", concept:
            return f"The staff set the points for {concept} to {one.value}.{earlier}"
        case "points", subject:
            sign = "takes off" if one.value.startswith("-") else "adds"
            points = _format_point_count(one.value.lstrip("-"))
            return f"The staff {sign} {points} for {escape_for_display(subject)}.{earlier}"
        case _, test:
            which = f": {sentences[test]}" if test in sentences else "."
            return f"A test gives its points whatever came of it{which}"


def _for_staff(one: ReportedDecision) -> str:
    what = {
        "override": f"{one.subject or 'score'} set to {one.value}",
        "comment": f"comment: {escape_for_display(one.value, 80)}",
        "exempt": f"{one.subject} exempt",
        "points": f"{one.value} for {one.subject}",
    }[one.kind]
    why = f": {escape_for_display(one.reason, 200)}" if one.reason else ""
    return f"{what}{why} [{escape_for_display(one.author, 80)}]"


def _format_point_count(value: str) -> str:
    return f"{value} point{'' if value == '1' else 's'}"


def iterate_decision_lines_for_student(report: ScoreReport) -> Iterator[str]:
    """Yield lines of plain text about decisions and comments, for the student."""
    yield from describe_decisions_for_student(report)
    for comment in list_staff_comments(report):
        yield from (
            f"From the staff: {escape_for_display(line, 2000)}" for line in comment.splitlines() if line.strip()
        )
