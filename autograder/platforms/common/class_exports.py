"""Collect a graded class for export with notes for the staff, and record what an export writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.batch.batch_location import BatchLocation
from autograder.batch.personalized_reports import (
    PersonalizedEntry,
    ReportPersonalizationContext,
    iterate_personalized_reports,
    load_report_context,
)
from autograder.course import Assignment
from autograder.grading.graded_submission import GRADED
from autograder.lateness import SubmissionTimes, select_counting_submissions
from autograder.platforms.common.export_points import compute_counted_points
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportResult,
    Platform,
    SubmissionResult,
)
from autograder.roster.roster import Roster
from autograder.store.audit import (
    AuditAction,
    AuditContext,
    AuditEvent,
    AuditLog,
    AuditState,
    LastExportedValue,
    WrittenKey,
    get_os_user_name,
)
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.store import Store
from autograder.submissions import SubmissionEntry, SubmissionOrigin
from autograder.text import choose_by_count, format_abbreviated_list, format_count


@dataclass(frozen=True, slots=True)
class AdviceByResultProblem:
    """Advice to the staff for each problem that results may have; by default, advice on the command line."""

    provisional: str = "run `autograder batch` again"
    outdated: str = "run `autograder batch` again"
    ungraded: str = "run `autograder batch` again"
    by_other_kit: str = "run `autograder regrade`"
    untimed: str = "run `autograder batch` with --submission-times FILE.csv to apply it"


COMMAND_LINE_ADVICE = AdviceByResultProblem()


def _iterate_result_notes(
    entries: list[PersonalizedEntry],
    rows: list[SubmissionResult],
    students_with_several_untimed: list[str],
    submission_count: int,
    problem_advice: AdviceByResultProblem,
) -> Iterable[str]:
    """Yield a note for each problem that results of the class have.

    Args:
        entries: the results of the class.
        rows: the same, as they would be exported.
        students_with_several_untimed: students with several submissions without a time.
        submission_count: how many submissions the class has.
        problem_advice: what to do about each problem.
    """
    ungraded = [
        f"{row.name} ({row.report.status.outcome})"
        for row in rows
        if row.attempt_counts and row.report.status.outcome != GRADED and not row.points
    ]
    if ungraded:
        count = format_count(len(ungraded), "submission")
        yield f"no points for {count} that could not be graded: {format_abbreviated_list(ungraded)}"
    uncounted_attempts = sum(not row.attempt_counts for row in rows)
    if uncounted_attempts:
        verb_phrase = choose_by_count(uncounted_attempts, "it does", "they do")
        yield f"{format_count(uncounted_attempts, 'attempt')} left out: {verb_phrase} not count"
    if students_with_several_untimed:
        names = ", ".join(sorted(set(students_with_several_untimed)))
        yield f"the best of several submissions without a time counts for {names}"
    results_with_problem = {
        f"graded by an earlier version of the kit: {problem_advice.by_other_kit}": [
            entry.is_by_other_kit for entry in entries
        ],
        f"hit a wall-clock limit, and may change: {problem_advice.provisional}": [
            entry.report.status.provisional for entry in entries
        ],
        f"graded with other tests or settings: {problem_advice.outdated}": [
            not (entry.is_current or entry.is_by_other_kit) for entry in entries
        ],
    }
    for problem, findings in results_with_problem.items():
        if any(findings):
            yield f"{format_count(sum(findings), 'result')} {problem}"
    if submission_count > len(entries):
        missing_count = submission_count - len(entries)
        yield f"{format_count(missing_count, 'submission')} left out for lack of a result: {problem_advice.ungraded}"
    faulty = sum(entry.report.grader_error_count > 0 for entry in entries)
    if faulty:
        yield f"{format_count(faulty, 'result')} with a grader error in a test; it cost no points"


def _iterate_unapplied_lateness_notes(
    rows: list[SubmissionResult], context: ReportPersonalizationContext, problem_advice: AdviceByResultProblem
) -> Iterable[str]:
    """Yield notes on students that may be late but keep all points, because no time is known."""
    submission_times = context.submission_times
    if context.deadline_rules.deadline is None:
        return
    if submission_times is None:
        yield f"no lateness is applied: {problem_advice.untimed}"
        return
    late = [
        row.name
        for row in rows
        if row.origin
        and row.origin.marked_late
        and not submission_times.find_submission_time(row.report.submission.id)
    ]
    if late:
        yield (
            "marked late by the platform; no submission time is known, so no penalty was applied: "
            f"{format_abbreviated_list(late)}"
        )


@dataclass(frozen=True, slots=True)
class ClassResultsWithNotes:
    """The results of a class, and notes for the staff to read before an export."""

    results: ClassResults
    notes: tuple[str, ...]


def gather_class_results_with_notes(
    store: Store,
    stored_class: StoredGradedClass,
    assignment: Assignment,
    bonus_rule: str,
    replacement_roster: Roster | None,
    problem_advice: AdviceByResultProblem = COMMAND_LINE_ADVICE,
) -> ClassResultsWithNotes:
    """Read a class's results from its store.

    Args:
        store: where they are kept.
        stored_class: the class.
        assignment: the assignment that the class handed in.
        bonus_rule: how the bonus counts; see ``export_points``.
        replacement_roster: a roster to use in place of the one known at the time of grading; when None, that one, or
            else the people of a served course.
        problem_advice: what notes tell the staff to do.

    Raises:
        CallerFault: there is no such way to count a bonus.
    """
    context = load_report_context(store, stored_class, assignment.deadline_rules)
    stored_entries = [*iterate_personalized_reports(store, stored_class, context)]
    if replacement_roster is None and not any(one.entry.origin and one.entry.origin.roster for one in stored_entries):
        known = store.list_roster_rows(stored_class.class_name)
        replacement_roster = Roster.from_parsed_rows(known) if known else None
    entries, disputes = _match_with_roster(stored_entries, replacement_roster)
    counting_ids = select_counting_submissions(
        ((entry.report.submission.id, entry.report.final.total) for entry in entries),
        context.submission_times or SubmissionTimes(),
        assignment.deadline_rules.which_attempt_counts,
    )
    rows = [_make_result(entry, bonus_rule, entry.report.submission.id in counting_ids) for entry in entries]
    counted_results, students_with_several = _keep_one_attempt_per_student(rows)
    results = ClassResults(assignment.name, assignment.title, assignment.max_score, tuple(counted_results))
    submission_count = len([*store.classes.iterate_entries(stored_class)])
    notes = (
        *disputes,
        *_iterate_result_notes(entries, rows, students_with_several, submission_count, problem_advice),
        *_iterate_unapplied_lateness_notes(rows, context, problem_advice),
    )
    return ClassResultsWithNotes(results, notes)


def _match_with_roster(
    personalized_entries: list[PersonalizedEntry], roster: Roster | None
) -> tuple[list[PersonalizedEntry], tuple[str, ...]]:
    """Match results with the rows of a roster; return the disputes, too."""
    if roster is None:
        return personalized_entries, ()
    entries = [item.entry for item in personalized_entries]
    match = roster.match_entries_to_rows(
        [SubmissionEntry(entry.name, entry.path, entry.problem, entry.origin) for entry in entries]
    )
    with_roster_origins = [
        replace(item, entry=replace(item.entry, origin=entry.origin))
        for item, entry in zip(personalized_entries, match.entries, strict=True)
    ]
    return with_roster_origins, match.disputes


def _make_result(entry: PersonalizedEntry, bonus_rule: str, attempt_counts: bool) -> SubmissionResult:
    origin = entry.entry.origin
    roster_rows = origin.roster if origin else ()
    return SubmissionResult(
        entry.entry.name,
        entry.report,
        compute_counted_points(entry.report, bonus_rule),
        origin,
        roster_rows,
        attempt_counts,
    )


def _keep_one_attempt_per_student(rows: Iterable[SubmissionResult]) -> tuple[list[SubmissionResult], list[str]]:
    """Return each student's attempt that counts (if untimed, the one with most points), and who has several."""
    best_by_student: dict[str, SubmissionResult] = {}
    students_with_several = []
    for row in rows:
        if not row.attempt_counts:
            continue
        key = _get_owner_key(row.origin) or f"submission {row.name}"
        best = best_by_student.get(key)
        if best is not None:
            students_with_several.append(row.origin.student_or_group_identifier if row.origin else row.name)
        if best is None or row.points > best.points:
            best_by_student[key] = row
    return [*best_by_student.values()], students_with_several


def _get_owner_key(origin: SubmissionOrigin | None) -> str:
    if origin is None or not (origin.people or origin.roster):
        return ""
    return f"{origin.group} {sorted(person.id for person in origin.people)} {origin.student_or_group_identifier}"


NOBODY_THERE = "none of the students of this class is among the platform's"
ANOTHER_COURSE = "is this the worksheet of another course?"


def matches_nobody(export: ExportResult, results: ClassResults) -> bool:
    """Return whether a platform has none of the students of a class, by its table or by what it answers."""
    counted = sum(row.attempt_counts for row in results.rows)
    return not export.changes and 0 < counted <= len(export.unmatched)


def load_last_exported_values(
    location: BatchLocation, platform: Platform, assignment_name: str
) -> Mapping[WrittenKey, LastExportedValue]:
    """Return what the kit wrote last for each student of a class.

    Raises:
        CallerFault: the store cannot be opened.
    """
    with location.open_existing_store(dry_run=True) as store:
        return store.audit.map_last_exported_values(location.class_key_in_store, assignment_name, platform.name)


def record_export(location: BatchLocation, platform: Platform, assignment_name: str, export: ExportResult) -> None:
    """Record each mark and comment that was written into files.

    Raises:
        KitFault: the database fails. The next export then treats these marks as set by people, and keeps them.
    """
    events = make_export_audit_events(export)
    if events:
        with location.open_existing_store() as store:
            store.audit.add_events(
                make_audit_context("export", location, platform, assignment_name), events, "written"
            )


def make_export_audit_events(export: ExportResult) -> list[AuditEvent]:
    """Return each mark and comment that an export writes, as events for the audit table."""
    return [
        _make_audit_event_of_change(change) for change in (*export.changes, *export.comments) if change.has_new_value
    ]


class AuditingUploadObserver:
    """Tells the audit table what an upload does, row by row as it happens.

    See ``common.platform_model.UploadObserver``.
    """

    def __init__(self, audit: AuditLog, action: AuditContext, report_progress: Callable[[int, int], None]) -> None:
        self._audit, self._action, self._progress = audit, action, report_progress

    def __call__(self, done: int, of: int) -> None:
        """Show how many of how many students are done."""
        self._progress(done, of)

    def begin(self, changes: Sequence[ExportChange], as_account: str) -> Sequence[int]:
        """Record changes that are about to be sent; a row without an answer shows that the upload was killed."""
        return self._audit.add_events(self._action, map(_make_audit_event_of_change, changes), "sending", as_account)

    def end(self, begun: Sequence[int], state: AuditState, answer: str) -> None:
        """Record the platform's answer."""
        self._audit.record_outcome(begun, state, answer)


def make_audit_context(
    action: AuditAction, location: BatchLocation, platform: Platform, assignment_name: str
) -> AuditContext:
    """Return what the rows of one command have in common."""
    return AuditContext(action, get_os_user_name(), platform.name, location.class_key_in_store, assignment_name)


def _make_audit_event_of_change(change: ExportChange) -> AuditEvent:
    """Return a change as an event for the audit table."""
    return AuditEvent(
        changed_item=change.what,
        target=change.place,
        student=change.student_key,
        student_label=change.student,
        submission=change.submission,
        before=change.before,
        after=change.after,
        platform_state_before=change.seen,
        overwrote=change.overwrites,
    )
