"""Print a batch as it goes, for programs: one JSON object per line on standard output. See docs/batch.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from autograder.batch import BatchSummary
from autograder.batch.output_folder import PAGES
from autograder.batch.tasks import TaskResult
from autograder.course import Assignment
from autograder.kit_version import get_kit_version
from autograder.safe_text import clean_name, clean_text


def print_start(assignment: Assignment, submissions: int, tier: str) -> None:
    """Say what is about to be graded."""
    _say(
        "start",
        kit_version=get_kit_version(),
        assignment=assignment.name,
        assignment_version=assignment.version,
        submissions=submissions,
        max_score=assignment.max_score,
        isolation=tier,
    )


def print_result(result: TaskResult) -> None:
    """Say what came of one submission; if the kit failed, there is no score."""
    failed = bool(result.failure)
    _say(
        "done",
        submission=clean_name(result.name),
        status=None if failed else result.status,
        score=None if failed else result.score,
        seconds=round(result.seconds, 3),
        reused=result.reused,
        provisional=result.provisional,
        failure=clean_text(result.failure, 500),
    )


def print_summary(summary: BatchSummary, out: Path, notes: Sequence[str] = ()) -> None:
    """Say what came of all submissions.

    Args:
        summary: of the batch.
        out: where the results are.
        notes: what people are told about whose submissions these are.
    """
    spread = sorted(summary.scores)
    _say(
        "end",
        submissions=summary.submissions,
        graded=summary.newly_graded_count,
        rescored=summary.rescored,
        reused=summary.reused,
        failed=len(summary.failures),
        seconds=round(summary.seconds, 3),
        statuses=dict(sorted(summary.statuses.items())),
        score={
            "mean": round(summary.mean_score, 4),
            "median": summary.median_score,
            "lowest": spread[0],
            "highest": spread[-1],
        }
        if spread
        else None,
        late=summary.late,
        without_hand_in=summary.timeless,
        misconceptions=[{"title": title, "submissions": n} for title, n in summary.mistakes_by_frequency],
        slowest=[{"submission": clean_name(name), "seconds": round(s, 3)} for name, s in summary.slowest_submissions],
        grader_errors=summary.grader_errors,
        provisional=summary.provisional,
        by_earlier_kit=summary.by_other_kits,
        reports=str(out / "reports"),
        gradebook=str(out / "gradebook.csv"),
        pages=str(out / PAGES) if summary.pages else None,
        notes=[*notes],
    )


def _say(event: str, **what: Any) -> None:
    click.echo(json.dumps({"event": event, **what}))
