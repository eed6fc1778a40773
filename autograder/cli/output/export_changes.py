"""Show what an export changes for each student, before or after it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from autograder.cli.output.console import print_line
from autograder.english_wording import choose_by_count, format_abbreviated_list, format_count
from autograder.platforms import ExportChange, ExportResult
from autograder.platforms.common.class_results_gathering import ClassResultsWithNotes
from autograder.platforms.common.manual_mark_protection import is_lower_mark, list_mark_reductions
from autograder.safe_text import escape_for_display


def print_export_changes_and_notes(
    export: ExportResult, gathered_results: ClassResultsWithNotes, show_change_table: bool
) -> None:
    """Show the changes for each student, the students left out, and notes to read before the files are uploaded.

    Args:
        export: the export.
        gathered_results: the class that it was made from.
        show_change_table: whether old and new score of each student are shown.
    """
    mark_reductions = list_mark_reductions(export.changes)
    notable_changes = [change for change in export.changes if change.has_new_value or change.note]
    for line in (*_format_lowered_marks(mark_reductions), *_format_kept_decisions(export)):
        print_line(escape_for_display(line, 500))
    if show_change_table and export.changes:
        table = Table("student", "old", "new", "", box=None, pad_edge=False)
        for change in (*mark_reductions, *(change for change in export.changes if change not in mark_reductions)):
            table.add_row(
                *(
                    escape_for_display(text, 120)
                    for text in (change.student, change.before, change.after, change.note)
                )
            )
        print_line(table)
    if export.changes:
        print_line(
            f"{len(notable_changes)} of {format_count(len(export.changes), 'mark')} "
            f"{choose_by_count(len(export.changes), 'is', 'are')} new, changed or worth a look"
        )
    if export.unmatched:
        matches = choose_by_count(len(export.unmatched), "matches", "match")
        print_line(
            f"{format_count(len(export.unmatched), 'submission')} {matches} no student in the platform's table:"
        )
        for sentence in export.unmatched:
            print_line(f"  {escape_for_display(sentence, 300)}")
    if export.missing:
        print_line(
            f"no result for {format_count(len(export.missing), 'student')} there: "
            f"{format_abbreviated_list([*export.missing])}"
        )
    for note in (*export.notes, *gathered_results.notes, *_format_bonus_note(export, gathered_results)):
        print_line(escape_for_display(note, 500))


def _format_lowered_marks(lowered: Sequence[ExportChange]) -> Iterator[str]:
    """Yield the marks that would be lowered, for the staff to check."""
    if lowered:
        yield f"{format_count(len(lowered), 'mark')} {choose_by_count(len(lowered), 'goes', 'go')} down:"
    for change in lowered:
        replaced = ", set by a person and overwritten" if change.overwrites else ""
        yield f"  {change.student}: {change.before} -> {change.after}{replaced}"


def _format_kept_decisions(export: ExportResult) -> Iterator[str]:
    """Yield marks and comments set by people that the export keeps; those above the new results come first."""
    marks = [change for change in export.changes if change.wanted]
    if marks:
        yield f"{format_count(len(marks), 'mark')} set by a person {choose_by_count(len(marks), 'stays', 'stay')}:"
        for change in sorted(marks, key=lambda mark: not is_lower_mark(mark.wanted, mark.before)):
            remark = ", which is lower" if is_lower_mark(change.wanted, change.before) else ""
            yield f"  {change.student}: {change.before or 'no mark'} stays, results say {change.wanted}{remark}"
    comments = [change for change in export.comments if change.wanted]
    if comments:
        verb = choose_by_count(len(comments), "stays", "stay")
        yield f"{format_count(len(comments), 'comment')} by a person {verb}:"
        yield from (f"  {change.student}: {change.before[:80]}" for change in comments)
    if marks or comments:
        yield "to replace them, use --overwrite STUDENT or --overwrite all"


def _format_bonus_note(export: ExportResult, gathered_results: ClassResultsWithNotes) -> Iterator[str]:
    """Explain why marks are not those of the gradebook."""
    raised_count = sum(row.points > row.report.final.score for row in gathered_results.results.rows)
    if export.changes and raised_count:
        yield f"the bonus raises {format_count(raised_count, 'mark')}; --set bonus=none leaves it out"
