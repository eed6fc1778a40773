"""Print the events of a batch for programs: one JSON object per line on standard output. See docs/batch.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from autograder.batch import BatchSummary
from autograder.batch.class_explanations import Explained
from autograder.batch.output_layout import PAGES_FOLDER
from autograder.course import Assignment
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.safe_text import escape_for_display, escape_name_unambiguously
from autograder.workers.grading_tasks import GradingTaskResult


def print_start_event(assignment: Assignment, submission_count: int, isolation_tier: str) -> None:
    """Print the start event: what is about to be graded."""
    _print_event(
        "start",
        kit_version=get_kit_version_with_code_digest(),
        assignment=assignment.name,
        assignment_version=assignment.version,
        submissions=submission_count,
        max_score=assignment.max_score,
        isolation=isolation_tier,
    )


def print_result_event(result: GradingTaskResult) -> None:
    """Print the result of one submission; if the kit failed, there is no score."""
    has_failed = bool(result.kit_failure)
    _print_event(
        "done",
        submission=escape_name_unambiguously(result.name),
        status=None if has_failed else result.status,
        score=None if has_failed else result.score,
        seconds=round(result.seconds, 3),
        reused=result.was_reused,
        provisional=result.is_provisional,
        failure=escape_for_display(result.kit_failure, 500),
    )


def print_explained_event(explained: Explained) -> None:
    """Print that the repair of one submission was looked for, once all marks are written."""
    _print_event(
        "explained",
        submission=escape_name_unambiguously(explained.submission),
        edits=explained.edit_count,
        explained=explained.done,
        wrong=explained.total,
        failure=escape_for_display(explained.failure, 500),
    )


def print_summary_event(summary: BatchSummary, output_folder: Path, staff_notes: Sequence[str] = ()) -> None:
    """Print the summary of all submissions.

    Args:
        summary: of the batch.
        output_folder: where the results are.
        staff_notes: notes about the owners of the submissions.
    """
    spread = sorted(summary.score_counts)
    _print_event(
        "end",
        submissions=summary.submission_count,
        graded=summary.newly_graded_count,
        rescored=summary.rescored_count,
        reused=summary.reused_count,
        failed=len(summary.failures),
        displaced=[escape_name_unambiguously(name) for name in summary.displaced_results],
        seconds=round(summary.seconds, 3),
        statuses=dict(sorted(summary.status_counts.items())),
        score={
            "mean": round(summary.mean_score_or_zero, 4),
            "median": summary.median_score_or_zero,
            "lowest": spread[0],
            "highest": spread[-1],
        }
        if spread
        else None,
        late=summary.late_count,
        without_hand_in=summary.untimed_count,
        misconceptions=[{"title": title, "submissions": n} for title, n in summary.mistakes_by_frequency],
        slowest=[
            {"submission": escape_name_unambiguously(name), "seconds": round(s, 3)}
            for name, s in summary.slow_submissions
        ],
        grader_errors=summary.grader_error_count,
        provisional=summary.provisional_count,
        by_earlier_kit=summary.other_kit_count,
        reports=str(output_folder / "reports"),
        gradebook=str(output_folder / "gradebook.csv"),
        pages=str(output_folder / PAGES_FOLDER) if summary.wrote_student_pages else None,
        notes=[*staff_notes],
    )


def _print_event(event: str, **fields: Any) -> None:
    click.echo(json.dumps({"event": event, **fields}))
