"""The tables about a generated class."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchmarks.class_row import ClassRow, Hanging, Part
from benchmarks.tables import table

COST = [
    *("grader", "at once", "graded", "the class takes, s", "programs a second", "right ones a second"),
    *("right, CPU s each", "wrong, CPU s each", "that end, a second", "times pytest's"),
    *("hanging: mean s", "hanging: longest s", "all processes, MB", "shared memory counted once, MB"),
]
MARKS = [
    *("grader", "right ones that lost marks", "wrong ones with full marks", "wrong ones: killed or no result"),
    *("cannot be graded: full marks", "hanging: ended by themselves", "hanging: had to be killed"),
    *("hanging: no result", "hanging: got full marks"),
]


def class_tables(rows: Sequence[ClassRow]) -> str:
    """Return three tables as Markdown: costs, marks, and each submission that hangs."""
    most = max((row.at_once for row in rows), default=0)
    last = [row for row in rows if row.at_once == most]
    hanging = [row for row in last if row.hanging]
    tables = [table(COST, [_cost(row, rows) for row in rows]), table(MARKS, [_marks(row) for row in last])]
    if hanging:
        names = [one.what for one in hanging[0].hanging]
        lines = [[f"`{name}`", *(_fate(row.hanging[number]) for row in hanging)] for number, name in enumerate(names)]
        tables.append(table(["what hangs", *(row.peer.name for row in hanging)], lines))
    return "\n\n".join(tables)


def _cost(row: ClassRow, rows: Sequence[ClassRow]) -> list[str]:
    plain = next((one for one in rows if one.peer.name.startswith("`pytest") and one.at_once == row.at_once), None)
    each, pytest_each = row.each_that_ends, plain and plain.each_that_ends
    takes = row.seconds
    count = sum(part.stand_for for part in row.parts.values()) + len(row.hanging)
    graded = sum(part.graded for part in row.parts.values()) + len(row.hanging)
    walls = [one.seconds for one in row.hanging]
    least = "" if row.complete else "at least "
    return [
        *(row.peer.name, str(row.at_once), str(graded)),
        "" if takes is None else f"{'' if row.whole else 'about '}{takes:,.1f}",
        "" if takes is None else f"{count / takes:.2f}",
        _rate(row.parts["right"].each),
        *(f"{least}{row.parts[kind].cpu_each:.3f}" if kind in row.parts else "" for kind in ("right", "wrong")),
        "" if each is None else _rate(each),
        f"{pytest_each / each:.2f}" if each and each > 0 and pytest_each else "",
        *((f"{statistics.mean(walls):.1f}", f"{max(walls):.1f}") if walls else ("", "")),
        *((f"{row.whole.together_mb:.0f}", f"{row.whole.proportional_mb:.0f}") if row.whole else ("", "")),
    ]


def _rate(each: float) -> str:
    return f"{1 / each:.2f}" if each > 0 else "spoilt"


def _marks(row: ClassRow) -> list[str]:
    wrong, ungradable = row.parts.get("wrong"), row.parts.get("ungradable")
    fates = [one.fate for one in row.hanging]
    return [
        row.peer.name,
        _of(row.parts["right"].lost_marks, row.parts["right"]),
        _of(wrong.fates.get("full marks", 0), wrong) if wrong else "",
        _of(wrong.fates.get("killed", 0) + wrong.fates.get("no result", 0), wrong) if wrong else "",
        _of(ungradable.fates.get("full marks", 0), ungradable) if ungradable else "",
        *(
            (str(fates.count("graded")), *(str(fates.count(fate)) for fate in ("killed", "no result", "full marks")))
            if fates
            else [""] * 4
        ),
    ]


def _of(count: int, part: Part) -> str:
    return f"{count} of {part.graded}"


def _fate(one: Hanging) -> str:
    if one.fate == "graded":
        return f"{one.seconds:.1f} s, {one.share:.0%} of the marks"
    return f"{one.seconds:.1f} s, {one.fate}"
