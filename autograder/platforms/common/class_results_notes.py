"""Tell the staff what to know about the results of a class before they are exported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autograder.batch.personalized_reports import (
    PersonalizedEntry,
    ReportPersonalizationContext,
)
from autograder.english_wording import choose_by_count, format_abbreviated_list, format_count
from autograder.grading.graded_submission import GRADED
from autograder.platforms.common.platform_model import SubmissionResult


@dataclass(frozen=True, slots=True)
class AdviceByResultProblem:
    """Advice to the staff for each problem that results may have; by default, advice on the command line."""

    provisional: str = "run `autograder batch` again"
    outdated: str = "run `autograder batch` again"
    ungraded: str = "run `autograder batch` again"
    by_other_kit: str = "run `autograder regrade`"
    untimed: str = "run `autograder batch` with --submission-times FILE.csv to apply it"


COMMAND_LINE_ADVICE = AdviceByResultProblem()


def iterate_result_notes(
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


def iterate_unapplied_lateness_notes(
    rows: list[SubmissionResult],
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
        and not submission_times.find_submission_time(row.report.submission.id)
    ]
    if late:
        yield (
            "marked late by the platform; no submission time is known, so no penalty was applied: "
            f"{format_abbreviated_list(late)}"
        )
