"""Show what an export changes for each student, before or after it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from autograder.cli.common import console
from autograder.cli.summary import count
from autograder.platforms import Change, Export
from autograder.platforms.decisions import is_lower
from autograder.platforms.results import Gathered
from autograder.text import clean, some


def show_changes(made: Export, gathered: Gathered, everybody: bool) -> None:
    """Show what changes for each student, who is left out, and what the staff should know before the export leaves.

    Args:
        made: the export.
        gathered: the class that it was made from.
        everybody: whether old and new score of each student are shown.
    """
    lowered = [change for change in made.changes if change.is_new and is_lower(change.after, change.before)]
    changed = [change for change in made.changes if change.is_new or change.note]
    for line in (*_of_lowered(lowered), *_of_kept(made)):
        console().print(clean(line, 500))
    if everybody and made.changes:
        table = Table("student", "old", "new", "", box=None, pad_edge=False)
        for change in (*lowered, *(change for change in made.changes if change not in lowered)):
            table.add_row(*(clean(text, 120) for text in (change.student, change.before, change.after, change.note)))
        console().print(table)
    if made.changes:
        console().print(f"{len(changed)} of {len(made.changes)} scores are new, changed or worth a look")
    if made.unmatched:
        console().print(f"{count(len(made.unmatched), 'submission')} of nobody there:")
        for sentence in made.unmatched:
            console().print(f"  {clean(sentence, 300)}")
    if made.missing:
        console().print(f"no result for {count(len(made.missing), 'student')} there: {some([*made.missing])}")
    for note in (*made.notes, *gathered.notes, *_of_bonus(made, gathered)):
        console().print(clean(note, 500))


def _of_lowered(lowered: Sequence[Change]) -> Iterator[str]:
    """Yield the marks that go down, which staff must answer for."""
    if lowered:
        yield f"{count(len(lowered), 'mark')} {'goes' if len(lowered) == 1 else 'go'} down:"
    for change in lowered:
        replaced = ", set by a person and overwritten" if change.overwrites else ""
        yield f"  {change.student}: {change.before} -> {change.after}{replaced}"


def _of_kept(made: Export) -> Iterator[str]:
    """Yield what people decided and the export keeps; marks that results would lower come first."""
    marks = [change for change in made.changes if change.wanted]
    if marks:
        yield f"{count(len(marks), 'mark')} of a person's {'stays' if len(marks) == 1 else 'stay'} as set:"
        for change in sorted(marks, key=lambda one: not is_lower(one.wanted, one.before)):
            lower = ", which is lower" if is_lower(change.wanted, change.before) else ""
            yield f"  {change.student}: {change.before or 'no mark'} stays, results say {change.wanted}{lower}"
    comments = [change for change in made.comments if change.wanted]
    if comments:
        yield f"{count(len(comments), 'comment')} of a person's {'stays' if len(comments) == 1 else 'stay'}:"
        yield from (f"  {change.student}: {change.before[:80]}" for change in comments)
    if marks or comments:
        yield "replace them, if you must, with --overwrite STUDENT, or --overwrite all"


def _of_bonus(made: Export, gathered: Gathered) -> Iterator[str]:
    """Explain why scores are not those of the gradebook."""
    richer = sum(row.points > row.report.final.score for row in gathered.results.rows)
    if made.changes and richer:
        yield f"the bonus raises {count(richer, 'score')}; --set bonus=none leaves it out"
