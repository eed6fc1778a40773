"""What an export changes for whom, before or after it is written."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from autograder.cli.common import console
from autograder.cli.summary import count
from autograder.platforms import Export
from autograder.platforms.results import Gathered
from autograder.text import clean, some


def show_changes(made: Export, gathered: Gathered, everybody: bool) -> None:
    """What changes for whom, who is left out, and what the staff should know before it leaves.

    Args:
        made: the export.
        gathered: the class that it was made of.
        everybody: whether old and new score of each student are shown.
    """
    changed = [change for change in made.changes if change.before != change.after or change.note]
    if everybody and made.changes:
        table = Table("student", "old", "new", "", box=None, pad_edge=False)
        for change in made.changes:
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


def _of_bonus(made: Export, gathered: Gathered) -> Iterator[str]:
    """Why scores are not those of the gradebook."""
    richer = sum(row.points > row.report.final.score for row in gathered.results.rows)
    if made.changes and richer:
        yield f"the bonus raises {count(richer, 'score')}; --set bonus=none leaves it out"
