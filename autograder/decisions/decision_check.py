"""Check that a decision is valid, and normalize its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches

from autograder.course.deadline_rules import DeadlineRules
from autograder.course.time_format import format_time_for_people
from autograder.decisions.decision_model import EVERYONE, Decision
from autograder.decisions.decision_values import (
    compute_moved_deadline,
    normalize_extension,
    normalize_moment_to_iso,
    normalize_points,
)
from autograder.faults import CallerFault
from autograder.reports import ScoreReport
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_for_display

MOST_CHARACTERS = 5000


def check_and_normalize_decision(
    written_decision: Decision,
    report_by_submission_id: Mapping[str, ScoreReport],
    deadline_rules: DeadlineRules,
    now: datetime,
    source_location: str = "",
) -> Decision:
    """Check a decision, and return it with a normalized value.

    Args:
        written_decision: the decision as it was written.
        report_by_submission_id: the reports of the class, by submission.
        deadline_rules: the deadlines of ``grading.yml``, or of an LMS, before decisions.
        now: when it is decided.
        source_location: where it was written, for messages; if empty, the decision's student or submission,
            or ``everyone``.

    Raises:
        CallerFault: it is invalid; the message says what is wrong.
    """
    source_location = source_location or escape_for_display(written_decision.who, 80) or "everyone"
    reason = written_decision.reason.strip()
    for text_name, text in (("reason", reason), ("text", written_decision.value.strip())):
        check_text_length(text_name, text, source_location)
    if written_decision.kind in ("override", "exempt", "extend", "reopen") and not reason:
        raise CallerFault(
            "the decision has no reason", source_location, "give one with --reason; the audit log keeps it"
        )
    match written_decision.kind:
        case "override":
            value = _check_score(
                written_decision,
                _require_report(written_decision, report_by_submission_id, source_location),
                source_location,
            )
        case "points":
            _require_report(written_decision, report_by_submission_id, source_location)
            if not written_decision.subject.strip():
                raise CallerFault(
                    "the decision does not say what the points are for", source_location, "name it, such as style"
                )
            value = normalize_points(written_decision.value, source_location)
        case "comment":
            _require_report(written_decision, report_by_submission_id, source_location)
            value = written_decision.value.strip()
            if not value:
                raise CallerFault("the comment is empty", source_location, "write what the student is to read")
        case "exempt":
            _check_test(written_decision, report_by_submission_id, source_location)
            value = ""
        case "extend":
            value = _check_extension(written_decision, deadline_rules, source_location)
        case "reopen":
            value = (
                normalize_moment_to_iso(written_decision.value, deadline_rules.default_zone, source_location)
                if written_decision.value.strip()
                else ""
            )
            if value and datetime.fromisoformat(value) <= now:
                raise CallerFault(
                    f"the attempt would end in the past: {value}", source_location, "name a time in the future"
                )
    return replace(written_decision, subject=written_decision.subject.strip(), value=value, reason=reason)


def check_text_length(text_name: str, text: str, source_location: str = "") -> None:
    """Check that a text of a decision is not too long.

    Raises:
        CallerFault: it is, by this name.
    """
    if len(text) > MOST_CHARACTERS:
        problem = f"the {text_name} has {len(text):,} characters, and may have {MOST_CHARACTERS:,}"
        raise CallerFault(problem, source_location, "shorten it")


def _require_report(
    decision: Decision, report_by_submission_id: Mapping[str, ScoreReport], source_location: str
) -> ScoreReport:
    if decision.who not in report_by_submission_id:
        raise CallerFault("the submission has no report yet", source_location, "run `autograder batch` first")
    return report_by_submission_id[decision.who]


def _check_score(decision: Decision, report: ScoreReport, source_location: str) -> str:
    max_scores = {concept.name: concept.max_score for concept in report.concepts}
    concept = decision.subject.strip()
    if concept and concept not in max_scores:
        raise CallerFault(
            f"unknown concept '{escape_for_display(concept, 80)}'",
            source_location,
            f"choose from {', '.join(max_scores)}",
        )
    value = normalize_points(decision.value, source_location)
    max_score = max_scores[concept] if concept else report.max_score
    if not 0 <= float(value) <= max_score:
        concept_phrase = f" of {concept}" if concept else ""
        message = (
            f"the score must be between 0 and the {format_points(max_score)} points{concept_phrase}, not {value}"
        )
        raise CallerFault(message, source_location)
    return value


def _check_test(decision: Decision, report_by_submission_id: Mapping[str, ScoreReport], source_location: str) -> None:
    reports = (
        [_require_report(decision, report_by_submission_id, source_location)]
        if decision.who != EVERYONE
        else report_by_submission_id.values()
    )
    test_ids = {test.id for report in reports for test in report.tests}
    if decision.subject.strip() not in test_ids:
        near_ids = get_close_matches(decision.subject, sorted(test_ids), 3)
        advice = f"did you mean {' or '.join(near_ids)}?" if near_ids else "name it as the report does"
        raise CallerFault(f"unknown test '{escape_for_display(decision.subject, 80)}'", source_location, advice)


def _check_extension(decision: Decision, deadline_rules: DeadlineRules, source_location: str) -> str:
    if deadline_rules.deadline is None:
        raise CallerFault(
            "the assignment has no deadline to extend", source_location, "write `deadline:` into grading.yml"
        )
    value = normalize_extension(decision.value, deadline_rules.default_zone, source_location)
    if compute_moved_deadline(deadline_rules.deadline, value).timestamp() <= deadline_rules.deadline.timestamp():
        raise CallerFault(
            f"{value} is not after the deadline, which is {format_time_for_people(deadline_rules.deadline)}",
            source_location,
            "choose a later time",
        )
    return value
