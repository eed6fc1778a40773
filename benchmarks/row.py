"""From measurements to a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.measure import Cost
from benchmarks.peers.peer import Kind, Peer

CLASS = 1_000


@dataclass(frozen=True, slots=True)
class Measured:
    """A run."""

    submissions: int
    cost: Cost


@dataclass(frozen=True, slots=True)
class Row:
    """What one grader takes."""

    name: str
    kind: Kind
    at_once: int
    submissions: int
    seconds: float
    """The whole run, start-up included."""
    start_up: float | None
    """Seconds before the first submission and after the last; None where each submission has its own."""
    each: float
    """Seconds for one submission more."""
    cpu_each: float
    """CPU seconds for one submission more, of all processes."""
    complete: bool
    """Whether ``cpu_each`` holds all processes."""
    largest_mb: float
    together_mb: float
    proportional_mb: float

    @property
    def plausible(self) -> bool:
        """Whether more submissions took more of everything; a machine that does other work too may spoil that."""
        return self.each > 0 and self.cpu_each > 0 and (self.start_up or 0.0) >= 0

    @property
    def thousand(self) -> float:
        """Seconds for a class of 1,000, by ``start_up`` and ``each``."""
        return (self.start_up or 0.0) + CLASS * self.each


def row_of(peer: Peer, at_once: int, many: Measured, few: Measured | None) -> Row:
    """Return a row.

    Args:
        peer: who graded.
        at_once: on how many processors.
        many: the run.
        few: a run on fewer submissions, if start-up is to be told from the rest.
    """
    more = many.submissions - (few.submissions if few else 0)
    each = (many.cost.seconds - (few.cost.seconds if few else 0)) / more
    return Row(
        peer.name,
        peer.kind,
        at_once,
        many.submissions,
        many.cost.seconds,
        many.cost.seconds - many.submissions * each if few else None,
        each,
        (many.cost.cpu_seconds - (few.cost.cpu_seconds if few else 0)) / more,
        many.cost.complete,
        many.cost.largest_mb,
        many.cost.together_mb,
        many.cost.proportional_mb,
    )


def middle(rows: Sequence[Row]) -> Row:
    """Of several measurements of one thing, that with the median time for one submission more."""
    return sorted(rows, key=lambda row: row.each)[len(rows) // 2]


HEAD = (
    "| grader | at once | submissions | seconds | of which start-up | a second | CPU s each | 1,000 take, s "
    "| times the kit's | times the floor's | largest process, MB | all processes, MB "
    "| shared memory counted once, MB |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def table(rows: Sequence[Row]) -> str:
    """Show the rows as Markdown.

    Compared with are the kit's first row with the most at once, and the floor's with as many at once as the row has.
    """
    most = max((row.at_once for row in rows), default=0)
    kit = next((row for row in rows if row.kind == "kit" and row.at_once == most), None)
    lines = []
    for row in rows:
        floor = next((one for one in rows if one.kind == "floor" and one.at_once == row.at_once), None)
        cells = [
            *(row.name, str(row.at_once), str(row.submissions), f"{row.seconds:.1f}"),
            *(_derived(row, kit, floor) if row.plausible else ["spoilt", *["?"] * 5]),
            *(f"{row.largest_mb:.0f}", f"{row.together_mb:.0f}", f"{row.proportional_mb:.0f}"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([HEAD, *lines])


def _derived(row: Row, kit: Row | None, floor: Row | None) -> list[str]:
    return [
        "in each" if row.start_up is None else f"{row.start_up:.1f}",
        f"{1 / row.each:.1f}",
        f"{'' if row.complete else 'at least '}{row.cpu_each:.3f}",
        f"{row.thousand:,.0f}",
        *(f"{row.each / other.each:.2f}" if other and other.plausible else "?" for other in (kit, floor)),
    ]
