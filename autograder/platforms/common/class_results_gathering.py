"""Collect a graded class for export: one result per student, with the student's identity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from autograder.batch.personalized_reports import (
    EntryWithPersonalizedReport,
    ReportPersonalizationContext,
    iterate_entries_with_personalized_reports,
    load_report_context,
)
from autograder.course import Assignment
from autograder.grading.graded_submission import GRADED
from autograder.lateness import SubmissionTimes, select_ids_of_submissions_that_count
from autograder.list_and_count_wording import format_abbreviated_list, format_count
from autograder.platforms.common.export_points import compute_counted_points
from autograder.platforms.common.platform_model import ClassResults, StudentResult
from autograder.roster.roster import Roster
from autograder.store.graded_class_table import StoredGradedClass
from autograder.store.store import Store
from autograder.submissions import SubmissionEntry, SubmissionOrigin


@dataclass(frozen=True, slots=True)
class ClassResultsWithNotes:
    """The results of a class, and notes for the staff to read before an export."""

    results: ClassResults
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AdviceByResultProblem:
    """Advice to the staff for each problem that results may have; by default, advice on the command line."""

    provisional: str = "run `autograder batch` again"
    outdated: str = "run `autograder batch` again"
    ungraded: str = "run `autograder batch` again"
    by_other_kit: str = "run `autograder regrade`"
    untimed: str = "run `autograder batch` with --submission-times FILE.csv to apply it"


COMMAND_LINE = AdviceByResultProblem()


def gather_class_results_with_notes(
    store: Store,
    stored_class: StoredGradedClass,
    assignment: Assignment,
    bonus_rule: str,
    replacement_roster: Roster | None,
    problem_advice: AdviceByResultProblem = COMMAND_LINE,
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
        [*iterate_entries_with_personalized_reports(store, stored_class, context)], replacement_roster
    )
    count = _select_counting(shown, context.submission_times or SubmissionTimes(), assignment)
    rows = [_result(one, bonus_rule, one.report.submission.id in count) for one in shown]
    chosen, twins = _keep_one_attempt_per_student(rows)
    results = ClassResults(assignment.name, assignment.title, assignment.max_score, tuple(chosen))
    names = len([*store.classes.iterate_entries(stored_class)])
    notes = (
        *disputes,
        *_notes(shown, rows, twins, names, problem_advice),
        *_untimed(rows, context, problem_advice),
    )
    return ClassResultsWithNotes(results, notes)


def _match_with_roster(
    shown: list[EntryWithPersonalizedReport], roster: Roster | None
) -> tuple[list[EntryWithPersonalizedReport], tuple[str, ...]]:
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
    shown: list[EntryWithPersonalizedReport], submission_times: SubmissionTimes, assignment: Assignment
) -> set[str]:
    totals = ((one.report.submission.id, one.report.final.total) for one in shown)
    return select_ids_of_submissions_that_count(
        totals, submission_times, assignment.deadline_rules.which_attempt_counts
    )


def _result(one: EntryWithPersonalizedReport, bonus: str, counts: bool) -> StudentResult:
    origin = one.entry.origin
    rows = origin.roster if origin else ()
    return StudentResult(one.entry.name, one.report, compute_counted_points(one.report, bonus), origin, rows, counts)


def _keep_one_attempt_per_student(rows: Iterable[StudentResult]) -> tuple[list[StudentResult], list[str]]:
    """Return each student's attempt that counts (if untimed, the one with most points), and who has several."""
    chosen: dict[str, StudentResult] = {}
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


def _notes(
    shown: list[EntryWithPersonalizedReport],
    rows: list[StudentResult],
    twins: list[str],
    submission_count: int,
    problem_advice: AdviceByResultProblem,
) -> Iterable[str]:
    ungraded = [
        f"{row.name} ({row.report.status.outcome})"
        for row in rows
        if row.attempt_counts and row.report.status.outcome != GRADED and not row.points
    ]
    if ungraded:
        count = format_count(len(ungraded), "submission")
        yield f"no points for {count} that could not be graded: {format_abbreviated_list(ungraded)}"
    earlier = sum(not row.attempt_counts for row in rows)
    if earlier:
        yield f"{format_count(earlier, 'attempt')} left out: {'it does' if earlier == 1 else 'they do'} not count"
    if twins:
        yield f"the best of several submissions without a time counts for {', '.join(sorted(set(twins)))}"
    by_other_kits = sum(one.is_by_other_kit for one in shown)
    if by_other_kits:
        count = format_count(by_other_kits, "result")
        yield f"{count} graded by an earlier version of the kit: {problem_advice.by_other_kit}"
    provisional = sum(one.report.status.provisional for one in shown)
    if provisional:
        count = format_count(provisional, "result")
        yield f"{count} hit a wall-clock limit, and may change: {problem_advice.provisional}"
    outdated = sum(not (one.is_current or one.is_by_other_kit) for one in shown)
    if outdated:
        count = format_count(outdated, "result")
        yield f"{count} graded with other tests or settings: {problem_advice.outdated}"
    if submission_count > len(shown):
        left_out = submission_count - len(shown)
        yield f"{format_count(left_out, 'submission')} left out for lack of a result: {problem_advice.ungraded}"
    faulty = sum(one.report.grader_error_count > 0 for one in shown)
    if faulty:
        yield f"{format_count(faulty, 'result')} with a grader error in a test; it cost no points"


def _untimed(
    rows: list[StudentResult],
    context: ReportPersonalizationContext,
    problem_advice: AdviceByResultProblem,
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
        and not submission_times.find_timed_submission(row.report.submission.id)
    ]
    if late:
        yield (
            "marked late by the platform; no submission time is known, so no penalty was applied: "
            f"{format_abbreviated_list(late)}"
        )
