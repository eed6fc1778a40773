"""``autograder grade``: one submission."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.common import (
    TierWish,
    console,
    course_option,
    find_assignment,
    open_course,
    open_sandbox,
    tier_options,
    told,
)
from autograder.diagnosis.diagnose import Diagnoser, timed
from autograder.faults import CallerFault
from autograder.grading import Grader
from autograder.reports import report_of, terminal, write_report
from autograder.reports.page import write_page
from autograder.reports.write import write_raw


@click.command()
@click.argument("assignment")
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--report", type=click.Path(path_type=Path), help="Write the score report, as JSON, to this file.")
@click.option("--page", type=click.Path(path_type=Path), help="Write the student's web page of it to this file.")
@course_option
@tier_options
@told
def command(
    assignment: str,
    submission: Path,
    report: Path | None,
    page: Path | None,
    course: Path | None,
    wish: TierWish,
) -> None:
    """Grade SUBMISSION (a .py, a notebook, a folder or a zip) and explain the result.

    With --report FILE, pytest's own record goes beside it, to FILE's name with .pytest.json: it shows hidden tests,
    so it is for the staff alone. A page holds what students may see once grades are published.
    """
    chosen = find_assignment(open_course(course, submission), assignment)
    if not submission.exists() and not submission.is_symlink():
        raise CallerFault("does not exist", where=str(submission), advice="name a value.py, a notebook or a folder")
    sandbox = open_sandbox(chosen, wish)
    with Grader(chosen, sandbox) as grader:
        graded = grader.grade(submission)
        diagnosis, seconds = timed(Diagnoser(grader), graded)
        result = report_of(graded, chosen, diagnosis, seconds)
    terminal.show(result, console())
    if grader.faulty:
        console(stderr=True).print(
            f"{len(grader.faulty)} tests do not work here and cost no marks: run `autograder check`"
        )
    if page is not None:
        write_page(result, page)
    if report is not None:
        write_report(result, report)
        raw = report.with_suffix(".pytest.json")
        write_raw(graded.raw, raw) if graded.raw else raw.unlink(missing_ok=True)
