"""``autograder grade``: grade one submission."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from tempfile import mkdtemp

import click

from autograder.atomic_file_writing import is_standard_output, is_written_through, write_file_atomically
from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.options.isolation_tier_options import (
    IsolationTierOptions,
    add_isolation_tier_options,
    choose_sandbox_and_warn_if_weak,
)
from autograder.cli.options.shared_options import (
    course_option,
    get_assignment,
    load_course_and_set_output_permissions,
)
from autograder.cli.output.console import make_console_without_markup, print_line
from autograder.diagnosis import NONE
from autograder.diagnosis.naming.mistake_naming import add_repair
from autograder.diagnosis.submission_diagnoser import SubmissionDiagnoser
from autograder.english_wording import choose_by_count, format_count
from autograder.faults import CallerFault
from autograder.grading import GradedSubmission, Grader
from autograder.repair.repair_search import find_repair_of_graded
from autograder.reports import ScoreReport, make_score_report, terminal_report, write_report_json
from autograder.reports.html_report import render_published_page
from autograder.reports.report_json_files import write_pytest_record

OUTPUT_SUFFIXES = (".json", ".html")
"""Suffixes of this command's output; in a submission's folder, it may overwrite only files with these."""


@click.command()
@click.argument("assignment")
@click.argument("submission", type=click.Path(path_type=Path))
@click.option("--report", type=click.Path(path_type=Path), help="Write the score report, as JSON, to this file.")
@click.option("--page", type=click.Path(path_type=Path), help="Write the student's web page of it to this file.")
@click.option(
    "--open", "open_page", is_flag=True, help="Open that page in a browser; without --page, in a new folder."
)
@click.option("--explain", is_flag=True, help="Look for the smallest change that makes it right, too.")
@course_option
@add_isolation_tier_options
@exit_on_fault
def command(  # noqa: PLR0913 - a parameter for each option
    assignment: str,
    submission: Path,
    report: Path | None,
    page: Path | None,
    open_page: bool,
    explain: bool,
    course: Path | None,
    tiers: IsolationTierOptions,
) -> None:
    """Grade SUBMISSION (a .py, a notebook, a folder or a zip) and explain the result.

    With --report FILE, pytest's own record goes beside it, to FILE's name with .pytest.json: it shows hidden tests,
    so it is for the staff alone. A page holds what students may see once grades are published. With /dev/stdout as
    FILE, the explanation goes to standard error, and no record is written.
    """
    chosen_assignment = get_assignment(load_course_and_set_output_permissions(course, submission), assignment)
    require_submission(submission)
    _refuse_overwriting_submission(submission, report, page)
    sandbox = choose_sandbox_and_warn_if_weak(chosen_assignment, tiers)
    with Grader(chosen_assignment, sandbox) as grader:
        graded, result = grade_with_report(grader, submission, explains=explain)
    takes_stdout = any(path is not None and is_standard_output(path) for path in (report, page))
    terminal_report.print_report(result, make_console_without_markup(stderr=takes_stdout))
    if grader.faulty_test_ids:
        count = len(grader.faulty_test_ids)
        print_line(
            f"{format_count(count, 'test')} {choose_by_count(count, 'does', 'do')} not work here and "
            f"{choose_by_count(count, 'costs', 'cost')} no marks: run `autograder check`",
            to_stderr=True,
        )
    if sys.stderr.isatty():  # elsewhere a platform may show it to the student
        for error in dict.fromkeys(
            test_result.own_error for test_result in graded.test_results if test_result.own_error
        ):
            print_line(f"{error} (fix the test)", to_stderr=True)
    if open_page and page is None:
        page = Path(mkdtemp(prefix="autograder-")) / "page.html"
    if page is not None:
        write_file_atomically(page, render_published_page(result))
    if page is not None and open_page:
        _open_in_browser(page)
    if report is not None:
        write_report_json(result, report)
        record_path = _get_pytest_record_path(report)
        if record_path is not None and graded.pytest_record:
            write_pytest_record(graded.pytest_record, record_path)
        elif record_path is not None:
            record_path.unlink(missing_ok=True)


def grade_with_report(
    grader: Grader, submission_path: Path, submission_id: str = "", *, explains: bool = False
) -> tuple[GradedSubmission, ScoreReport]:
    """Grade a submission and look for its mistakes; do so once more if a wall clock struck.

    Args:
        grader: the grader of its assignment.
        submission_path: where it lies.
        submission_id: its id; from the path when empty.
        explains: whether its repair is looked for, too.

    Raises:
        KitFault: the kit or the machine failed; nothing is said about the submission.
    """
    graded, report = _grade_once(grader, submission_path, submission_id, explains=explains)
    if report.status.provisional:
        graded, report = _grade_once(grader, submission_path, submission_id, explains=explains)
    return graded, report


def require_submission(submission: Path) -> None:
    """Check that there is something at the path of a submission.

    Raises:
        CallerFault: there is not.
    """
    if not submission.exists() and not submission.is_symlink():
        raise CallerFault(
            "this submission does not exist", where=str(submission), advice="name a value.py, a notebook or a folder"
        )


def _grade_once(
    grader: Grader, submission_path: Path, submission_id: str, *, explains: bool
) -> tuple[GradedSubmission, ScoreReport]:
    graded = grader.grade(submission_path, submission_id)
    started = time.perf_counter()
    diagnosis = SubmissionDiagnoser(grader).diagnose(graded)
    if explains and diagnosis is not NONE:
        repair = find_repair_of_graded(grader, graded)
        diagnosis = add_repair(diagnosis, repair, grader.assignment, grader.test_specs)
    return graded, make_score_report(graded, grader.assignment, diagnosis, time.perf_counter() - started)


def _open_in_browser(page: Path) -> None:
    import webbrowser  # rarely needed

    is_opened = webbrowser.open(page.resolve().as_uri())
    print_line(f"{'the page is' if is_opened else 'no browser can be opened here; open'} {page}")


def _get_pytest_record_path(report: Path | None) -> Path | None:
    """Return where pytest's own record goes; None beside a report that is no file of its own, such as /dev/stdout."""
    if report is None or not report.name or is_written_through(report):  # a folder such as . has no name
        return None
    return report.with_suffix(".pytest.json")


def _refuse_overwriting_submission(submission: Path, report: Path | None, page: Path | None) -> None:
    """Check that no result would overwrite the submission or another result.

    Raises:
        CallerFault: one would.
    """
    paths = (report, _get_pytest_record_path(report), page)
    outputs = [path for path in paths if path is not None and not is_written_through(path)]
    for path in outputs:
        is_inside = submission.is_dir() and path.resolve().is_relative_to(submission.resolve())
        if os.path.isfile(path) and (path.samefile(submission) or (is_inside and path.suffix not in OUTPUT_SUFFIXES)):
            raise CallerFault(
                "this file is the submission itself", where=str(path), advice="write the result to another file"
            )
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise CallerFault(
            "two results would go to this file", where=str(page), advice="name another file with --page"
        )
