"""Collect the names by which extensions find students: of each member of a group, and all that the roster gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autograder.course.deadlines import Due
from autograder.course.load_deadlines import plain_student
from autograder.lateness import HandIn, HandIns, Names, members_of
from autograder.platforms.listed import LOGINS, SURE_IDS, cells_of, mails_of
from autograder.platforms.roster import Roster
from autograder.submissions import Origin
from autograder.submissions.origin import TOGETHER
from autograder.text import clean_name


@dataclass(frozen=True, slots=True)
class Source:
    """What is known of whose a submission is, whatever a table of hand-ins says."""

    name: str
    """The submission's."""
    origin: Origin | None
    members: tuple[Names, ...] = ()
    """Those who handed it in, as it was kept; empty where nothing was."""


def with_members(table: HandIns, sources: Iterable[Source], roster: Roster | None = None) -> HandIns:
    """Return the hand-ins, each with the students who handed it in, by all names that are surely theirs.

    Args:
        table: who handed in what.
        sources: the submissions. If the table names other people than they do, the table is right.
        roster: who is who.
    """
    rows = dict(table.rows)
    for one in sources:
        row = rows.get(clean_name(one.name))
        if row:
            rows[clean_name(one.name)] = replace(row, members=_members(row, one, roster))
    return HandIns(rows)


def as_extensions_call(table: HandIns, roster: Roster | None, due: Due) -> HandIns:
    """Return the hand-ins, with each student called as in ``extensions``, where the roster knows that name too.

    Args:
        table: who handed in what, by any name of theirs.
        roster: who is who.
        due: the deadlines, with the extensions.
    """
    if roster is None:
        return table
    by_moment = sorted(due.extensions, key=lambda extension: extension[1])
    names = {plain_student(other): name for other, name in roster.other_names(name for name, _ in by_moment).items()}
    return HandIns({submission: _called(row, names) for submission, row in table.rows.items()})


def _called(row: HandIn, names: Mapping[str, str]) -> HandIn:
    members = tuple(
        tuple(dict.fromkeys((*student, *(names[name] for name in student if name in names))))
        for student in row.members
    )
    return replace(row, student=names.get(row.student, row.student), members=members)


def _members(row: HandIn, source: Source, roster: Roster | None) -> tuple[Names, ...]:
    """Return who handed in: the known members, if the table names all of them, their group or one of them."""
    origin = source.origin
    if row.student in _called_together(source.members):
        return source.members
    if origin:
        listed = roster.called(row.student) if roster else None
        called = {*_called_together(members_of(origin)), plain_student(origin.student), plain_student(origin.group)}
        if row.student in called or any(one is listed for one in origin.roster):
            return _of_origin(origin, roster)
    found = [_listed(name, roster) for name, *_ in row.members or ((row.student,),)]
    return tuple(found) if row.members or len(found[0]) > 1 else ()


def _called_together(members: tuple[Names, ...]) -> set[str]:
    """Return the names that a table may give to students who handed in together: all joined, or any one."""
    whole = TOGETHER.join(first for first, *_ in members)
    return {whole, *(name for student in members for name in student)}


def _of_origin(origin: Origin, roster: Roster | None) -> tuple[Names, ...]:
    if origin.roster and roster:
        return tuple(_names(row, roster) for row in origin.roster)
    return members_of(origin)


def _listed(name: str, roster: Roster | None) -> Names:
    """Return all names of a student whom a table names."""
    row = roster.called(name) if roster else None
    return tuple(dict.fromkeys((name, *_names(row, roster)))) if row and roster else (name,)


def _names(row: Mapping[str, str], roster: Roster) -> Names:
    """Return the first cell of a row, and each address, login and id; not names, which another may get later."""
    first = next(iter(row.values()))
    cells = (*mails_of(row), *cells_of(row, LOGINS), *cells_of(row, SURE_IDS))
    own = (cell for cell in cells if roster.called(cell) is row)
    return tuple(dict.fromkeys(plain_student(name) for name in (first, *own)))
