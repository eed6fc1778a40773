"""Sum up the results of a class for its staff: of each submission what a table shows, without its report."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import URL

from autograder.batch.personalized_reports import ReportPersonalizationContext, personalize_report
from autograder.class_reports.submission_summaries import SubmissionSummary, summarize_report
from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions import ClassDecisionsInForce, map_reopened_attempts_by_student
from autograder.lateness import SubmissionTime, SubmissionTimes
from autograder.store.results.result_model import unpack_report
from autograder.store.results.result_table import choose_result_in_force
from autograder.text import escape_name_unambiguously
from autograder.web.results import EffectiveClassResults

_kept: dict[tuple[URL, str, str], dict[Any, SubmissionSummary]] = {}
"""The summaries of each class that was shown last; its results are read once for many pages."""
_lock = threading.Lock()
OwnDates = tuple[tuple[str, datetime], ...]


@dataclass(frozen=True, slots=True)
class ClassSummaries:
    """What is known of all submissions of a class."""

    by_submission: dict[str, SubmissionSummary]
    """Of all that were graded, by the name of the submission."""
    times: SubmissionTimes
    """Whose they are, and which decisions say which of them counts."""
    names: tuple[str, ...] = ()
    """Those of all submissions, as reports say them."""


def load_class_summaries(results: EffectiveClassResults) -> ClassSummaries:
    """Return the summaries of a class. Those that were made for an earlier page are used again.

    Each is kept by all that it depends on: the stored result, the time and the students, the deadlines of these
    students, and the decisions about it. So none can be out of date, and what no page asks for any more is dropped.
    """
    opened = results.graded_class_if_any
    if opened is None:
        return ClassSummaries({}, SubmissionTimes())
    store, stored_class = opened.store, opened.stored_class
    entries = store.classes.list_entries_without_origin(stored_class)
    versions = store.results.map_stored_results(results.assignment.name)
    decisions = ClassDecisionsInForce(results.decisions_in_force)
    names = {entry.name: escape_name_unambiguously(entry.name) for entry in entries}
    times = SubmissionTimes(
        {names[entry.name]: entry.submission_time for entry in entries if entry.submission_time},
        map_reopened_attempts_by_student(decisions.in_force),
        decisions.ids_with_overridden_whole_score,
    )
    rules_by_student = _DeadlineRulesByStudent(results.effective_deadline_rules)
    class_key = store.url, results.course, results.assignment.name
    known = _kept.get(class_key, {})
    keys: dict[str, Any] = {}
    for entry in entries:
        if entry.submission_identity not in versions:
            continue
        name, time = names[entry.name], entry.submission_time
        version = choose_result_in_force(
            versions[entry.submission_identity], stored_class.rules, entry.last_result_id
        )
        reopening = times.find_reopened_attempt(name)
        about = tuple(decisions.list_decisions_about_submission(name, reopening.since if reopening else None))
        keys[entry.name] = version, name, time, reopening, rules_by_student.cut(time), about
    missing = [key for key in keys.values() if key not in known]
    reports = store.results.load_packed_reports([key[0].row_id for key in missing])
    made = dict(known)
    for key in missing:
        version, name, time, reopening, rules, about = key
        if version.row_id in reports:
            reopened = {time.student: reopening} if time and reopening else {}
            context = ReportPersonalizationContext(
                rules_by_student.restore(rules),
                SubmissionTimes({name: time}, reopened) if time else None,
                decisions=ClassDecisionsInForce(about),
            )
            made[key] = summarize_report(personalize_report(unpack_report(reports[version.row_id]), name, context))
    by_submission = {name: made[key] for name, key in keys.items() if key in made}
    with _lock:
        _kept[class_key] = {key: made[key] for key in keys.values() if key in made}
    return ClassSummaries(by_submission, times, tuple(names.values()))


class _DeadlineRulesByStudent:
    """Cuts the deadlines of a course down to what concerns the students of one submission.

    So an extension of one student is no other deadline for the others.
    """

    def __init__(self, rules: DeadlineRules) -> None:
        self._rules = rules
        self._own_names = {name for name, _ in (*rules.extensions, *rules.deadlines_of_students)}
        self._general = replace(rules, extensions=(), deadlines_of_students=())
        self._general_as_text = repr(self._general)

    def cut(self, time: SubmissionTime | None) -> tuple[str, OwnDates, OwnDates]:
        """Return what the rules say to the students of one submission: in general, as extensions, and by an LMS."""
        names = {time.student, *(name for member in time.members for name in member)} if time else set()
        if self._own_names.isdisjoint(names):
            return self._general_as_text, (), ()
        extensions, own = (
            tuple(pair for pair in pairs if pair[0] in names)
            for pairs in (self._rules.extensions, self._rules.deadlines_of_students)
        )
        return self._general_as_text, extensions, own

    def restore(self, cut_rules: tuple[str, OwnDates, OwnDates]) -> DeadlineRules:
        """Return the rules that ``cut`` gave."""
        _, extensions, own = cut_rules
        return replace(self._general, extensions=extensions, deadlines_of_students=own)
