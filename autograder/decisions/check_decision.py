"""Check that a decision can be made, and write its value in one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches

from autograder.course.deadline_rules import DeadlineRules
from autograder.course.time_parsing import format_time
from autograder.decisions.decision_model import EVERYONE, Decision
from autograder.decisions.decision_values import add_time, parse_moment, parse_new_deadline, parse_points
from autograder.faults import CallerFault
from autograder.reports import ScoreReport
from autograder.reports.report_text import format_points
from autograder.safe_text import clean_text

MOST_LETTERS = 5000


def check_decision(
    wish: Decision, reports: Mapping[str, ScoreReport], due: DeadlineRules, now: datetime, where: str = ""
) -> Decision:
    """Return a decision with its value in one form.

    Args:
        wish: what somebody wrote.
        reports: the reports of the class, by submission.
        due: the deadlines of ``grading.yml``.
        now: when it is decided.
        where: where it was written, for messages; what it is about when empty.

    Raises:
        CallerFault: it cannot be made; the message says what is wrong.
    """
    where = where or clean_text(wish.who, 80) or "everyone"
    reason = wish.reason.strip()
    if len(reason) > MOST_LETTERS or len(wish.value) > MOST_LETTERS:
        raise CallerFault(f"is longer than {MOST_LETTERS} letters", where, "say it in fewer")
    if wish.kind in ("override", "exempt", "extend", "reopen") and not reason:
        raise CallerFault("has no reason", where, "say with --reason why; the audit log keeps it")
    match wish.kind:
        case "override":
            value = _check_score(wish, _report(wish, reports, where), where)
        case "points":
            _report(wish, reports, where)
            if not wish.subject.strip():
                raise CallerFault("says not what the points are for", where, "write it, such as style")
            value = parse_points(wish.value, where)
        case "comment":
            _report(wish, reports, where)
            value = wish.value.strip()
            if not value:
                raise CallerFault("is an empty comment", where, "write what the student is to read")
        case "exempt":
            _check_test(wish, reports, where)
            value = ""
        case "extend":
            value = _check_extension(wish, due, where)
        case "reopen":
            value = parse_moment(wish.value, due.timezone, where) if wish.value.strip() else ""
            if value and datetime.fromisoformat(value) <= now:
                raise CallerFault(f"ends in the past: {value}", where, "name a moment to come")
    return replace(wish, subject=wish.subject.strip(), value=value, reason=reason)


def _report(wish: Decision, reports: Mapping[str, ScoreReport], where: str) -> ScoreReport:
    if wish.who not in reports:
        raise CallerFault("has no report yet", where, "run `autograder batch` first")
    return reports[wish.who]


def _check_score(wish: Decision, report: ScoreReport, where: str) -> str:
    most = {concept.name: concept.max_score for concept in report.concepts}
    concept = wish.subject.strip()
    if concept and concept not in most:
        raise CallerFault(f"'{clean_text(concept, 80)}' is no concept", where, f"known: {', '.join(most)}")
    value = parse_points(wish.value, where)
    full = most[concept] if concept else report.max_score
    if not 0 <= float(value) <= full:
        of = f" of {concept}" if concept else ""
        raise CallerFault(f"must be between 0 and the {format_points(full)} points{of}, not {value}", where)
    return value


def _check_test(wish: Decision, reports: Mapping[str, ScoreReport], where: str) -> None:
    among = [_report(wish, reports, where)] if wish.who != EVERYONE else reports.values()
    known = {test.id for report in among for test in report.tests}
    if wish.subject.strip() not in known:
        near = get_close_matches(wish.subject, sorted(known), 3)
        advice = f"do you mean {' or '.join(near)}?" if near else "name it as the report does"
        raise CallerFault(f"'{clean_text(wish.subject, 80)}' is no test that was run", where, advice)


def _check_extension(wish: Decision, due: DeadlineRules, where: str) -> str:
    if due.deadline is None:
        raise CallerFault("there is no deadline to extend", where, "write `deadline:` into grading.yml")
    value = parse_new_deadline(wish.value, due.timezone, where)
    if add_time(due.deadline, value).timestamp() <= due.deadline.timestamp():
        raise CallerFault(
            f"{value} does not lie after the deadline, which is {format_time(due.deadline)}",
            where,
            "an extension gives more time, never less",
        )
    return value
