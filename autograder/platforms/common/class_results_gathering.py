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
    ResultProblemAdvice,
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
    problem_advice: ResultProblemAdvice = COMMAND_LINE_ADVICE,
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
    shown, disputes = _match_with_roster(
        [*iterate_personalized_reports(store, stored_class, context)], replacement_roster
    )
    count = _select_counting(shown, context.submission_times or SubmissionTimes(), assignment)
    rows = [_result(one, bonus_rule, one.report.submission.id in count) for one in shown]
    chosen, twins = _keep_one_attempt_per_student(rows)
    results = ClassResults(assignment.name, assignment.title, assignment.max_score, tuple(chosen))
    names = len([*store.classes.iterate_entries(stored_class)])
    notes = (
        *disputes,
        *iterate_result_notes(shown, rows, twins, names, problem_advice),
        *iterate_unapplied_lateness_notes(rows, context, problem_advice),
    )
    return ClassResultsWithNotes(results, notes)


def _match_with_roster(
    shown: list[PersonalizedEntry], roster: Roster | None
) -> tuple[list[PersonalizedEntry], tuple[str, ...]]:
    """Match results with the rows of a roster; return the disputes, too."""
    if roster is None:
        return shown, ()
    entries = [one.entry for one in shown]
    found = roster.match_entries_to_rows(
        [SubmissionEntry(one.name, one.path, one.problem, one.origin) for one in entries]
    )
    known = [
        replace(one, entry=replace(one.entry, origin=entry.origin))
        for one, entry in zip(shown, found.entries, strict=True)
    ]
    return known, found.disputes


def _select_counting(
    shown: list[PersonalizedEntry], submission_times: SubmissionTimes, assignment: Assignment
) -> set[str]:
    totals = ((one.report.submission.id, one.report.final.total) for one in shown)
    return select_counting_submissions(totals, submission_times, assignment.deadline_rules.which_attempt_counts)


def _result(one: PersonalizedEntry, bonus: str, counts: bool) -> SubmissionResult:
    origin = one.entry.origin
    rows = origin.roster if origin else ()
    return SubmissionResult(
        one.entry.name, one.report, compute_counted_points(one.report, bonus), origin, rows, counts
    )


def _keep_one_attempt_per_student(rows: Iterable[SubmissionResult]) -> tuple[list[SubmissionResult], list[str]]:
    """Return each student's attempt that counts (if untimed, the one with most points), and who has several."""
    chosen: dict[str, SubmissionResult] = {}
    twins = []
    for row in rows:
        if not row.attempt_counts:
            continue
        key = _get_owner_key(row.origin) or f"submission {row.name}"
        other = chosen.get(key)
        if other is not None:
            twins.append(row.origin.student_or_group_identifier if row.origin else row.name)
        if other is None or row.points > other.points:
            chosen[key] = row
    return [*chosen.values()], twins


def _get_owner_key(origin: SubmissionOrigin | None) -> str:
    if origin is None or not (origin.people or origin.roster):
        return ""
    return f"{origin.group} {sorted(person.id for person in origin.people)} {origin.student_or_group_identifier}"
