"""``autograder similar``: who handed in the same, or nearly the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from autograder.batch.batch_location import SIMILAR
from autograder.class_reports.code_similarity import (
    CAUTION,
    SimilarCodeFindings,
    SubmittedProgram,
    find_similar_code,
    iterate_given_sources,
    try_read_submission_code,
)
from autograder.class_reports.staff_views import encode_similar_code_page, format_percentage
from autograder.cli.graded_class import GradedClassOptions, add_graded_class_options
from autograder.cli.terminal import print_line
from autograder.course import Assignment
from autograder.faults import CallerFault
from autograder.files import is_standard_output, write_file_atomically
from autograder.platforms.common.opened_submissions import PLAIN, open_class_submissions
from autograder.store.results.graded_class_table import StoredSubmissionEntry
from autograder.submissions import SubmissionEntry
from autograder.text import choose_by_count, escape_name_unambiguously, format_abbreviated_list

MOST = 10


@click.command()
@click.option(
    "--submissions", type=click.Path(path_type=Path), help="Where the submissions are now, if they have moved."
)
@click.option(
    "--given",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Code that students had, such as the lecture's: a .py, a notebook or a folder of them; any number.",
)
@click.option("--page", type=click.Path(path_type=Path), help="Where to write it; OUT/similar.html by default.")
@add_graded_class_options
def command(
    submissions: Path | None, given: tuple[Path, ...], page: Path | None, options: GradedClassOptions
) -> None:
    """Show who handed in the same: letter for letter, but for names, comments and layout, or nearly.

    The template is taken out, what --given names, and what many of the class have. Prints a list, and writes a page
    with near programs side by side.
    """
    with options.open_class(dry_run=True) as opened_class:
        stored_entries = [*opened_class.store.classes.iterate_entries(opened_class.stored_class)]
        stored_class, assignment = opened_class.stored_class, opened_class.assignment
    with _open_entries(submissions or stored_class.submissions_path, stored_class.platform_name or PLAIN) as entries:
        programs, unread = _read_programs(entries, stored_entries, assignment)
    similar = find_similar_code(programs, [*iterate_given_sources(assignment, given)], unread)
    for line in iterate_similarity_summary_lines(similar):
        print_line(line)
    written = page or options.out / SIMILAR
    write_file_atomically(written, encode_similar_code_page(similar, assignment.title, str(options.out)))
    print_line(f"wrote {written}", to_stderr=is_standard_output(written))


def iterate_similarity_summary_lines(findings: SimilarCodeFindings) -> Iterator[str]:
    """Yield the findings, and what they mean, in lines."""
    yield f"{findings.programs} {choose_by_count(findings.programs, 'program was', 'programs were')} compared"
    for kind, groups in (
        ("the same letter for letter", findings.identical),
        ("the same but for names, comments and layout", findings.renamed),
    ):
        yield f"{kind}: {len(groups) or 'none'}"
        yield from (f"  {format_abbreviated_list([*group])}" for group in groups[:MOST])
        if len(groups) > MOST:
            yield f"  ... and {len(groups) - MOST} more"
    yield f"nearly the same: {len(findings.pairs) or 'none'}"
    for pair in findings.pairs[:MOST]:
        owners, other_owners = (format_abbreviated_list([*names]) for names in pair.names)
        share = format_percentage(pair.share)
        others = f"{pair.others} {choose_by_count(pair.others, 'other shares', 'others share')} as much"
        yield f"  {owners} and {other_owners}: {share} in common, {others}"
    if len(findings.pairs) > MOST:
        yield f"  ... and {len(findings.pairs) - MOST} more"
    if findings.unread:
        yield f"could not be read: {format_abbreviated_list([*findings.unread])}"
    if findings.identical or findings.renamed or findings.pairs:
        yield CAUTION


@contextmanager
def _open_entries(source: Path, platform: str) -> Iterator[list[SubmissionEntry]]:
    if not source.exists():
        raise CallerFault(
            "the submissions are no longer here", str(source), "name their new folder or zip with --submissions"
        )
    with open_class_submissions(source, platform) as class_submissions:
        yield class_submissions.entries


def _read_programs(
    entries: Iterable[SubmissionEntry], stored_entries: Iterable[StoredSubmissionEntry], assignment: Assignment
) -> tuple[list[SubmittedProgram], list[str]]:
    """Return the code of the class, and whose could not be read; nothing in it is run."""
    stored_by_name = {stored_entry.name: stored_entry for stored_entry in stored_entries}
    programs, unreadable_names = [], []
    for entry in entries:
        stored_entry = stored_by_name.get(entry.name)
        if stored_entry is None:
            continue
        source = "" if entry.reading_problem else try_read_submission_code(entry.path, assignment)
        if source is None or entry.reading_problem:
            unreadable_names.append(escape_name_unambiguously(entry.name))
            continue
        owners = frozenset(name for names in stored_entry.names_of_each_student for name in names)
        programs.append(
            SubmittedProgram(
                escape_name_unambiguously(entry.name), source, owners or frozenset({f"submission {entry.name}"})
            )
        )
    return programs, unreadable_names
