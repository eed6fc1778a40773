"""``autograder grade``: grade one submission."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import mkdtemp

import click
from msgspec import structs

from autograder.cli.options import (
    CourseOption,
    IsolationTierOptions,
    add_isolation_tier_options,
    course_option,
    no_explain_option,
)
from autograder.cli.terminal import make_console_without_markup, print_line
from autograder.diagnosis.diagnoser import SubmissionDiagnoser, diagnose_with_duration
from autograder.diagnosis.naming import add_repair
from autograder.faults import CallerFault, Fault
from autograder.files import is_standard_output, is_written_through, write_file_atomically
from autograder.grading import GradedSubmission, Grader
from autograder.repair.search import find_repair_of_graded
from autograder.reports import ScoreReport, make_score_report, terminal_report, write_report_json
from autograder.reports.html_report import render_published_page
from autograder.reports.report_files import write_pytest_record
from autograder.reports.score_report_maker import escape_repair
from autograder.text import choose_by_count, escape_for_display, format_count

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
@no_explain_option
@course_option
@add_isolation_tier_options
def command(  # noqa: PLR0913 - a parameter for each option
    assignment: str,
    submission: Path,
    report: Path | None,
    page: Path | None,
    open_page: bool,
    no_explain: bool,
    course: CourseOption,
    tiers: IsolationTierOptions,
) -> None:
    """Grade SUBMISSION (a .py, a notebook, a folder or a zip) and explain the result.

    With --report FILE, pytest's own record goes beside it, to FILE's name with .pytest.json: it shows hidden tests,
    so it is for the staff alone. A page holds what students may see once grades are published. With /dev/stdout as
    FILE, the explanation goes to standard error, and no record is written.

    Of a wrong submission, the smallest change is looked for that makes it right. Ctrl-C ends that, and the report
    comes without it.
    """
    chosen_assignment = course.load_assignment(assignment, submission)
    require_submission(submission)
    _refuse_overwriting_submission(submission, report, page)
    sandbox = tiers.choose_sandbox(chosen_assignment)
    with Grader(chosen_assignment, sandbox) as grader:
        graded, result = grade_with_report(
            grader, submission, most_tried=0 if no_explain else chosen_assignment.feedback.repair_candidates
        )
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
    grader: Grader, submission_path: Path, submission_id: str = "", *, most_tried: int
) -> tuple[GradedSubmission, ScoreReport]:
    """Grade a submission and look for its mistakes and its repair; do so once more if a wall clock struck.

    Args:
        grader: the grader of its assignment.
        submission_path: where it lies.
        submission_id: its id; from the path when empty.
        most_tried: how many changes are tried for each mistake; 0 if no repair is looked for.

    Raises:
        KitFault: the kit or the machine failed; nothing is said about the submission.
    """
    graded, report = _grade_once(grader, submission_path, submission_id)
    if report.status.provisional:
        graded, report = _grade_once(grader, submission_path, submission_id)
    if most_tried and report.diagnosis.is_unexplained:
        report = _add_repair_if_possible(grader, graded, report, most_tried)
    return graded, report


def _add_repair_if_possible(
    grader: Grader, graded: GradedSubmission, report: ScoreReport, most_tried: int
) -> ScoreReport:
    """Return a report with its repair; what fails here, or is interrupted, costs nothing but the repair."""
    if sys.stderr.isatty():
        print_line(
            "looking for the smallest change that makes it right ... (Ctrl-C: report without it)", to_stderr=True
        )
    try:
        repair = find_repair_of_graded(grader, graded, most_tried)
    except (Exception, KeyboardInterrupt) as error:
        reason = _explain_lack_of_repair(error)
        print_line(f"the smallest change that makes it right is not in the report: {reason}", to_stderr=True)
        return report
    diagnosis = add_repair(report.diagnosis, escape_repair(repair), grader.assignment, grader.test_specs)
    return structs.replace(report, diagnosis=diagnosis)


def _explain_lack_of_repair(error: BaseException) -> str:
    """Return why a search ended, without what an unforeseen error says: a platform may show it to the student."""
    if isinstance(error, KeyboardInterrupt):
        return "it was stopped"
    return (
        escape_for_display(str(error), 500) if isinstance(error, Fault) else f"internal error, {type(error).__name__}"
    )


def require_submission(submission: Path) -> None:
    """Check that there is something at the path of a submission.

    Raises:
        CallerFault: there is not.
    """
    if not submission.exists() and not submission.is_symlink():
        raise CallerFault(
            "this submission does not exist", where=str(submission), advice="name a value.py, a notebook or a folder"
        )


def _grade_once(grader: Grader, submission_path: Path, submission_id: str) -> tuple[GradedSubmission, ScoreReport]:
    graded = grader.grade(submission_path, submission_id)
    diagnosis, seconds = diagnose_with_duration(SubmissionDiagnoser(grader), graded)
    return graded, make_score_report(graded, grader.assignment, diagnosis, seconds)


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
