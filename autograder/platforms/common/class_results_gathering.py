"""Collect a graded class for export: one result per student, with the student's identity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from autograder.batch.personalized_reports import (
    PersonalizedEntry,
    iterate_personalized_reports,
    load_report_context,
)
from autograder.course import Assignment
from autograder.lateness import SubmissionTimes, select_counting_submissions
from autograder.platforms.common.class_results_notes import (
    COMMAND_LINE_ADVICE,
    AdviceByResultProblem,
    iterate_result_notes,
    iterate_unapplied_lateness_notes,
)
from autograder.platforms.common.export_points import compute_counted_points
from autograder.platforms.common.platform_model import ClassResults, SubmissionResult
from autograder.roster.roster import Roster
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.store import Store
from autograder.submissions import SubmissionEntry, SubmissionOrigin


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
        replacement_roster: a roster to use in place of the one known at the time of grading; None to keep that one.
        problem_advice: what notes tell the staff to do.

    Raises:
        CallerFault: there is no such way to count a bonus.
    """
    context = load_report_context(store, stored_class, assignment.deadline_rules)
    entries, disputes = _match_with_roster(
        [*iterate_personalized_reports(store, stored_class, context)], replacement_roster
    )
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
        *iterate_result_notes(entries, rows, students_with_several, submission_count, problem_advice),
        *iterate_unapplied_lateness_notes(rows, context, problem_advice),
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
