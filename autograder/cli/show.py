"""``autograder show``: one student, with attempts, versions, decisions, and what was exported when."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from autograder.batch.graded_class import OpenedGradedClass
from autograder.batch.personalized_reports import (
    ReportPersonalizationContext,
    load_report_context,
    personalize_report,
)
from autograder.cli.decide import iterate_audit_log_lines, iterate_decision_lines
from autograder.cli.graded_class import GradedClassOptions, add_graded_class_options
from autograder.cli.students import SubmissionLookup
from autograder.cli.terminal import make_console_without_markup, print_line
from autograder.decisions import Decision
from autograder.faults import CallerFault
from autograder.files import is_standard_output, write_file_atomically
from autograder.lateness import SubmissionTimes, select_counting_submissions
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.terminal_report import print_report
from autograder.reports.wording import format_points
from autograder.store.results.graded_class_table import StoredSubmissionEntry
from autograder.store.results.result_model import unpack_report
from autograder.text import escape_name_unambiguously

COLUMNS = ("submission", "student", "handed in", "late", "points", "final", "counts", "status", "version", "where")


@click.command()
@click.argument("identity", metavar="ID")
@click.option("--version", default="", help="Show the report by this version; its first letters will do.")
@click.option("--page", type=click.Path(path_type=Path), help="Write that report as a web page, for you to look at.")
@add_graded_class_options
def command(identity: str, version: str, page: Path | None, options: GradedClassOptions) -> None:
    """Show what is known of ID, a submission or a student: attempts, results, decisions, exports.

    With --version or --page it shows one report instead. Nothing in OUT is written.
    """
    with options.open_class(dry_run=True) as opened_class:
        entries = [*opened_class.store.classes.iterate_entries(opened_class.stored_class)]
        lookup = SubmissionLookup(entries)
        names = lookup.get_submission_ids_of(identity)
        chosen_entries = [entry for entry in entries if escape_name_unambiguously(entry.name) in names]
        context = load_report_context(
            opened_class.store, opened_class.stored_class, opened_class.assignment.deadline_rules
        )
        if version or page:
            _show_report(opened_class, lookup.get_only_submission_id(identity), entries, context, version, page)
            return
        students = {name for id_ in names for name in lookup.resolve_students(id_)}
        _show_attempts(opened_class, chosen_entries, context)
        for entry in chosen_entries:
            _show_results(opened_class, entry)
        _show_decisions(opened_class, {*names, *students, *lookup.resolve_students(identity)})
        _show_exports(opened_class, {*names, *(entry.name for entry in chosen_entries)})


def _show_attempts(
    opened_class: OpenedGradedClass, entries: list[StoredSubmissionEntry], context: ReportPersonalizationContext
) -> None:
    """Show each submission with its points, and which of them counts."""
    names = {escape_name_unambiguously(entry.name) for entry in entries}
    reports = [
        entry.report for entry in opened_class.load_personalized_entries() if entry.report.submission.id in names
    ]
    times = context.submission_times or SubmissionTimes()
    totals = [(report.submission.id, report.final.total) for report in reports]
    counting_ids = select_counting_submissions(totals, times, context.deadline_rules.which_attempt_counts)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in COLUMNS:
        table.add_column(title, justify="right" if title in ("points", "final") else "left")
    for report in reports:
        name, submission_time = report.submission.id, times.find_submission_time(report.submission.id)
        cells = (
            escape_name_unambiguously(submission_time.student) if submission_time else "",
            submission_time.handed_in.strftime("%Y-%m-%d %H:%M") if submission_time else "",
            f"{report.lateness.percent_off:g} %" if report.lateness and report.lateness.seconds_late else "",
            _format_points_and_bonus(report.score, report.bonus.score, report),
            _format_points_and_bonus(report.final.score, report.final.bonus, report),
            "yes" if name in counting_ids else "no",
            f"{report.status.outcome}{', provisional' if report.status.provisional else ''}",
            report.assignment.version,
            escape_name_unambiguously(context.paths.get(name, "")),
        )
        table.add_row(*map(Text, (name, *cells)))  # a name in a report is escaped already
    print_line(table)


def _show_results(opened_class: OpenedGradedClass, entry: StoredSubmissionEntry) -> None:
    rules = opened_class.stored_class.rules
    print_line(f"\nresults of {escape_name_unambiguously(entry.name)}:")
    for summary in opened_class.store.results.list_result_summaries(entry.submission_identity, rules.assignment):
        suffix = " (shown)" if (summary.version, summary.kit) == (rules.version, rules.kit) else ""
        print_line(
            f"  {summary.graded_at[:16].replace('T', ' ')}  version {summary.version}, kit {summary.kit}: "
            f"{format_points(summary.score)} points, {summary.status}{'' if summary.final else ', not final'}{suffix}"
        )


def _show_decisions(opened_class: OpenedGradedClass, names: set[str]) -> None:
    history: list[Decision] = [
        decision for decision in opened_class.load_decision_history() if decision.who in names or not decision.who
    ]
    lines = [*iterate_decision_lines(history, opened_class.load_decision_history())]
    print_line("\ndecisions:" if lines else "\nnothing was decided")
    for line in lines:
        print_line(f"  {line}")


def _show_exports(opened_class: OpenedGradedClass, submissions: set[str]) -> None:
    events = opened_class.store.audit.load_audit_rows(
        opened_class.class_name, opened_class.stored_class.rules.assignment
    )
    sent_rows = [
        row
        for row in events
        if row.action.platform and (row.event.submission or row.event.student_label) in submissions
    ]
    print_line("\nexported:" if sent_rows else "\nnothing was exported")
    for line in iterate_audit_log_lines(sent_rows):
        print_line(f"  {line}")


def _show_report(
    opened_class: OpenedGradedClass,
    submission: str,
    entries: list[StoredSubmissionEntry],
    context: ReportPersonalizationContext,
    version: str,
    page: Path | None,
) -> None:
    """Show the report of one submission, the latest of a version of the assignment."""
    entry = next(candidate for candidate in entries if escape_name_unambiguously(candidate.name) == submission)
    results = opened_class.store.results.list_result_summaries(
        entry.submission_identity, opened_class.stored_class.rules.assignment
    )
    prefix = version or opened_class.stored_class.rules.version
    versions = {summary.version for summary in results if summary.version.startswith(prefix)}
    if len(versions) != 1:
        choices = ", ".join(dict.fromkeys(summary.version for summary in results))
        phrase = "results by several versions that begin with" if versions else "no result by version"
        advice = f"choose from {choices}" if choices else "run `autograder batch` first"
        raise CallerFault(f"submission {submission} has {phrase} {prefix}", advice=advice)
    result = opened_class.store.results.find_latest_result(
        entry.submission_identity, opened_class.stored_class.rules.assignment, versions.pop()
    )
    assert result is not None
    report = personalize_report(unpack_report(result.packed_report), entry.name, context)
    if page is not None:
        write_file_atomically(page, render_published_page(report))
        print_line(f"wrote {page}", to_stderr=is_standard_output(page))
    else:
        print_report(report, make_console_without_markup())


def _format_points_and_bonus(score: float, bonus: float, report: ScoreReport) -> str:
    return f"{format_points(score)}{f' + {format_points(bonus)}' if report.bonus.max_score else ''}"
