"""Personalize results whenever they are shown: add name, lateness and decisions to a stored report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions import (
    ClassDecisionsInForce,
    Decision,
    apply_decisions_after_lateness,
    apply_decisions_before_lateness,
    apply_extension_decisions,
    map_reopened_attempts_by_student,
    select_decisions_in_force,
)
from autograder.lateness import SubmissionTime, SubmissionTimes, apply_lateness
from autograder.reports import ScoreReport
from autograder.store.results.graded_class_table import StoredGradedClass, StoredSubmissionEntry
from autograder.store.results.result_model import unpack_report
from autograder.store.results.result_table import StoredResult
from autograder.store.store import Store
from autograder.submissions import SubmissionOrigin
from autograder.text import escape_name_unambiguously, normalize_student_name_keeping_case


def apply_lms_deadlines_if_chosen(
    store: Store, class_name: str, assignment_name: str, deadline_rules: DeadlineRules
) -> DeadlineRules:
    """Return the deadlines that count.

    If courses of LMSs state different general deadlines, the latest one counts. Students with another personal
    deadline from an LMS keep that one. Extensions of ``grading.yml`` stay if they give more time. If no LMS states a
    deadline, the one of ``grading.yml`` counts.

    Args:
        store: holds the LMSs' deadlines, and whose deadline counts.
        class_name: the class.
        assignment_name: the assignment.
        deadline_rules: the deadlines of ``grading.yml``.
    """
    said = store.list_chosen_lms_deadlines(class_name, assignment_name)
    if not said:
        return deadline_rules
    zone = deadline_rules.default_zone or (deadline_rules.deadline.tzinfo if deadline_rules.deadline else None) or UTC
    of_students: dict[str, datetime] = {}
    for login, deadline in said:
        name, moment = normalize_student_name_keeping_case(login), deadline.astimezone(zone)
        if name:
            of_students[name] = max(moment, of_students.get(name, moment), key=datetime.timestamp)
    general = [deadline.astimezone(zone) for login, deadline in said if not login]
    general = general or ([deadline_rules.deadline] if deadline_rules.deadline else [*of_students.values()])
    latest = max(general, key=datetime.timestamp)
    extensions = [
        (name, moment)
        for name, moment in deadline_rules.extensions
        if moment.timestamp() > of_students.get(name, latest).timestamp()
    ]
    own = sorted((name, moment) for name, moment in of_students.items() if moment != latest)
    return replace(deadline_rules, deadline=latest, extensions=tuple(extensions), deadlines_of_students=tuple(own))


@dataclass(frozen=True, slots=True)
class ReportPersonalizationContext:
    """Everything besides the results on which a class's reports depend."""

    deadline_rules: DeadlineRules
    submission_times: SubmissionTimes | None = None
    """The students and times of submissions; None if unknown, and then nothing is late."""
    origins: Mapping[str, SubmissionOrigin] = field(default_factory=dict)
    """Origins of submissions, by their ids, where known."""
    decisions: ClassDecisionsInForce = field(default_factory=ClassDecisionsInForce)
    """The decisions of people."""
    paths: Mapping[str, str] = field(default_factory=dict)
    """Paths of submissions within the folder or zip of the class, by their ids."""


def load_report_context(
    store: Store,
    stored_class: StoredGradedClass,
    course_deadline_rules: DeadlineRules,
    decision_history: Iterable[Decision] | None = None,
    entries: Iterable[StoredSubmissionEntry] | None = None,
) -> ReportPersonalizationContext:
    """Return the report context of a class, or of some of its entries.

    Args:
        store: where it is kept.
        stored_class: the class.
        course_deadline_rules: the deadlines of ``grading.yml``. Those of an LMS replace them if the staff chose so;
            decisions about students override both.
        decision_history: decisions to apply in place of the stored ones, for a preview; the stored ones when None.
        entries: the entries to make reports of; the whole class when None, which takes longer for a large one.
    """
    decided = store.decisions.list_all_decisions(stored_class) if decision_history is None else decision_history
    decisions = ClassDecisionsInForce(select_decisions_in_force(decided))
    handed_in: dict[str, SubmissionTime] = {}
    origins: dict[str, SubmissionOrigin] = {}
    paths: dict[str, str] = {}
    for one in store.classes.iterate_entries(stored_class) if entries is None else entries:
        called = escape_name_unambiguously(one.name)
        paths[called] = _format_path_within_class_submissions(one, stored_class.submissions_path)
        if one.submission_time:
            handed_in[called] = one.submission_time
        if one.origin:
            origins[called] = one.origin
    reopened = map_reopened_attempts_by_student(decisions.in_force)
    times = SubmissionTimes(handed_in, reopened=reopened, chosen=decisions.ids_with_overridden_whole_score)
    general = apply_lms_deadlines_if_chosen(
        store, stored_class.class_name, stored_class.rules.assignment, course_deadline_rules
    )
    rules = apply_extension_decisions(general, decisions.in_force)
    return ReportPersonalizationContext(rules, times if handed_in else None, origins, decisions, paths)


def _format_path_within_class_submissions(entry: StoredSubmissionEntry, submissions_path: Path) -> str:
    """Return a submission's path within the download, folder or zip of the class."""
    if entry.origin and entry.origin.names:
        return " + ".join(entry.origin.names)
    if entry.path.is_relative_to(submissions_path):
        return str(entry.path.relative_to(submissions_path))
    return entry.path.name  # in a temporary folder of an unpacked zip


def personalize_report(
    report: ScoreReport, submission_name: str, context: ReportPersonalizationContext
) -> ScoreReport:
    """Turn a result into the whole report of one submission.

    Name, lateness and decisions are added only here; ``filter_report_for_student`` hides parts that students may not
    see.

    Args:
        report: the report as it is kept, without a name.
        submission_name: the submission's name.
        context: what the reports of its class depend on besides the results.
    """
    called, times = escape_name_unambiguously(submission_name), context.submission_times
    lateness = times.compute_lateness_or_none(called, context.deadline_rules) if times else None
    reopening = times.find_reopened_attempt(called) if times else None
    decisions = context.decisions.list_decisions_about_submission(called, reopening.since if reopening else None)
    named = structs.replace(report, submission=structs.replace(report.submission, id=called))
    return apply_decisions_after_lateness(
        apply_lateness(apply_decisions_before_lateness(named, decisions), lateness), decisions
    )


@dataclass(frozen=True, slots=True)
class PersonalizedEntry:
    """One submission entry of a class, a student's or a team's, with its personalized report."""

    entry: StoredSubmissionEntry
    report: ScoreReport
    is_current: bool
    """Whether it is by the rules that the class was graded by last."""
    is_by_other_kit: bool = False
    """Whether it is by another version of the kit than the class was graded by last; False if one version of the
    assignment was requested."""


def iterate_entry_results(
    store: Store,
    stored_class: StoredGradedClass,
    assignment_version: str = "",
    entries: Iterable[StoredSubmissionEntry] | None = None,
) -> Iterator[tuple[StoredSubmissionEntry, StoredResult | None, bool]]:
    """Yield each entry of a class in order, with its result, and whether that is by the class's present rules.

    If there is no result by those rules yet, yield the result that counted before, or None.

    Args:
        store: where results are kept.
        stored_class: the class.
        assignment_version: a version of the assignment, to see only results of that one; they count as current then.
        entries: the entries to look at; the whole class when None.
    """
    for entry in store.classes.iterate_entries(stored_class) if entries is None else entries:
        identity, rules = entry.submission_identity, stored_class.rules
        if assignment_version:
            yield entry, store.results.find_latest_result(identity, rules.assignment, assignment_version), True
        else:
            found = store.results.find_result(identity, rules)
            last_id = entry.last_result_id
            counts = found or store.results.find_last_counted_result(identity, rules.assignment, last_id)
            yield entry, counts, found is not None


def find_result_in_force(
    store: Store, stored_class: StoredGradedClass, entry: StoredSubmissionEntry
) -> StoredResult | None:
    """Return the result that gives an entry its mark: by the class's rules, or else the one that counted before."""
    ((_, found, _),) = iterate_entry_results(store, stored_class, entries=[entry])
    return found


def iterate_personalized_reports(
    store: Store, stored_class: StoredGradedClass, context: ReportPersonalizationContext, assignment_version: str = ""
) -> Iterator[PersonalizedEntry]:
    """Yield the reports of a class, one at a time; see ``iterate_entry_results``."""
    for entry, found, current in iterate_entry_results(store, stored_class, assignment_version):
        if found:
            other_kit = not current and found.kit_version != stored_class.rules.kit
            yield PersonalizedEntry(
                entry,
                personalize_report(unpack_report(found.packed_report), entry.name, context),
                current,
                other_kit,
            )
