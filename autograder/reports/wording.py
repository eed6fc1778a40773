"""Format the sentences and numbers of a report that are the same wherever it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from autograder.diagnosis import EvidenceCounts
from autograder.reports.report_model import (
    ReportedConcept,
    ReportedDecision,
    ReportedDecisions,
    ReportedLateness,
    ScoreReport,
)
from autograder.text import choose_by_count, escape_for_display, format_count

INCOMPLETE = "the core is not complete"
PROGRAM_HEADING = "the smallest program found that goes wrong"
PROVISIONAL = (
    "This result is provisional: something ran out of waiting time, perhaps because the machine was busy. "
    "It will be looked at again. The points may still change."
)
SMALLEST_SHOWN_POINTS = 0.005
"""Points below this are shown as 0."""
CODE = re.compile(r"`([^`\n]+)`")


def format_points(points: float) -> str:
    """Format points without a useless fraction: 7, 7.5, 7.25.

    >>> format_points(7.0), format_points(7.5), format_points(7.256)
    ('7', '7.5', '7.26')
    """
    return f"{points:.2f}".rstrip("0").rstrip(".")


def add_full_stop(text: str) -> str:
    """Return a text with the full stop that a title lacks."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def format_final_points(report: ScoreReport) -> str:
    """Return in words the points that count in the end, core and bonus apart.

    If the core is not complete, but core and bonus together look like full marks, the words say so: beside them a
    platform may show one number for both.
    """
    final_score = report.final
    points = _format_points_and_bonus(report, final_score.score, final_score.bonus)
    looks_full = report.score < report.max_score and final_score.total >= final_score.max_score
    return f"{points}; {INCOMPLETE}" if looks_full else points


def format_points_ignoring_lateness(report: ScoreReport) -> str:
    """Return in words what the program is worth, whenever it was handed in."""
    return _format_points_and_bonus(report, report.score, report.bonus.score)


def format_bonus_suffix(report: ScoreReport, bonus: float | Decimal) -> str:
    """Return the words after a sum of core and bonus: ``, of which 1.8 bonus; the core is not complete``.

    Args:
        report: the report that the number is from.
        bonus: how much of the number is bonus; without any, the words are empty.
    """
    if bonus < SMALLEST_SHOWN_POINTS:
        return ""
    core = f"; {INCOMPLETE}" if report.score < report.max_score else ""
    return f", of which {format_points(float(bonus))} bonus{core}"


def format_full_marks_line(report: ScoreReport) -> str:
    """Return what stands first where everything holds that is asked for; empty elsewhere."""
    asked_for = [concept for concept in report.concepts if not concept.bonus]
    if report.status.message or not report.max_score or any(one.score < one.max_score for one in asked_for):
        return ""
    return "All of it holds." + (" What is left is bonus." if report.bonus.score < report.bonus.max_score else "")


def format_concept_name(concept: ReportedConcept) -> str:
    """Return the name of a concept, which says so where it is a bonus."""
    return f"{concept.name} (bonus)" if concept.bonus else concept.name


def format_provisional_notice(report: ScoreReport) -> str:
    """Return a notice that a result is not final; empty if it is final."""
    return PROVISIONAL if report.status.provisional else ""


def format_lateness_line(report: ScoreReport, lateness: ReportedLateness) -> str:
    """Return in words what is left of the points after lateness, and why."""
    if not lateness.percent_off:
        return lateness.message
    points = []
    if report.score:
        points.append(f"{format_points(report.final.score)} of the {format_points(report.score)} points")
    if report.bonus.score:
        points.append(f"{format_points(report.final.bonus)} of the {format_points(report.bonus.score)} bonus points")
    return f"{' and '.join(points)} count. {lateness.message}" if points else lateness.message


def list_notes_beyond_status(report: ScoreReport) -> list[str]:
    """Return the notes that the status does not say already."""
    return [note for note in report.notes if note not in report.status.message]


def format_proof_phrase(evidence: EvidenceCounts) -> str:
    """Return in words why a mistake is named.

    >>> format_proof_phrase(EvidenceCounts(tests=4, programs=30, failing_programs=12))
    'proof: 4 failed tests and 30 fresh programs (12 of them wrong) gave exactly what this mistake gives'
    """
    tests = format_count(evidence.tests, "failed test")
    wrong = f"{evidence.failing_programs} of them wrong" if evidence.failing_programs else "all of them right"
    return f"proof: {tests} and {evidence.programs} fresh programs ({wrong}) gave exactly what this mistake gives"


def format_mistakes_heading(cause_count: int) -> str:
    """Return the heading over the named mistakes."""
    return f"what went wrong: {cause_count} mistakes at once" if cause_count > 1 else "what went wrong"


def _format_points_and_bonus(report: ScoreReport, score: float, bonus: float) -> str:
    points = f"{format_points(score)} of {format_points(report.max_score)} points"
    max_bonus = report.bonus.max_score
    return f"{points} and {format_points(bonus)} of {format_points(max_bonus)} bonus points" if max_bonus else points


def split_code_spans(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text by the course, each with whether it is code, that is, between backticks.

    >>> [*split_code_spans("Multiply by `out.grad`.")]
    [('Multiply by ', False), ('out.grad', True), ('.', False)]
    """
    for index, part in enumerate(CODE.split(text)):
        if part:
            yield part, index % 2 == 1


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
