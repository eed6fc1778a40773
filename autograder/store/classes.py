"""Keep classes: the members of each, and what each member handed in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import and_, bindparam, delete, insert, select, update

from autograder.lateness import HandIns
from autograder.store.keys import HandedIn, Rules, columns
from autograder.store.members import Member, hand_in_columns, member_from, row_of
from autograder.store.names import from_text, to_text
from autograder.store.session import Session
from autograder.store.tables import batches, members
from autograder.submissions.origin import Origin
from autograder.text import clean_name


@dataclass(frozen=True, slots=True)
class Batch:
    """A class that was graded."""

    id: int
    source: Path
    """The folder or zip that its submissions lay in."""
    rules: Rules
    """What it was graded by the last time."""
    platform: str = ""
    """The platform that its submissions came from; empty for a plain folder."""


class Classes:
    """The classes of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def begin(
        self, name: str, source: Path, rules: Rules, class_members: Iterable[Member], platform: str = ""
    ) -> Batch:
        """Record the members of a class before it is graded; members that left it are removed.

        Args:
            name: the class's name; one store may hold many classes.
            source: the folder or zip that the submissions lie in.
            rules: the rules that they are graded by.
            class_members: the members in their order; one without a hand-in keeps that of the last time.
            platform: the platform that the submissions came from; empty for a plain folder.
        """
        values = {
            **columns(rules), "source": to_text(str(source.resolve())), "platform": platform, "ran_at": _now()
        }  # fmt: skip
        where = and_(batches.c.name == to_text(name), batches.c.assignment == rules.assignment)
        with self._session.writing():
            found = self._session.execute(select(batches.c.id).where(where)).scalar()
            if found is None:
                made = self._session.execute(insert(batches).values(name=to_text(name), **values))
                found = made.inserted_primary_key[0] if made.inserted_primary_key else 0
            else:
                self._session.execute(update(batches).where(batches.c.id == found).values(**values))
            before = self._session.all(select(members).where(members.c.batch == found))
            known = {row.name: row for row in before}
            self._session.execute(delete(members).where(members.c.batch == found))
            rows = [
                row_of(found, place, member, known.get(to_text(member.name)))
                for place, member in enumerate(class_members)
            ]
            if rows:
                self._session.execute(insert(members), rows)
        self._session.commit()
        return Batch(found, source, rules, platform)

    def note(self, batch: Batch, name: str, handed_in: HandedIn) -> None:
        """Record what a member of a class handed in."""
        values = {"of": batch.id, "who": to_text(name), "identity": handed_in.identity, "sha256": handed_in.sha256}
        with self._session.writing():
            self._session.execute(NOTE, values)

    def batch(self, name: str, assignment: str = "") -> Batch | None:
        """Return a class by name, the one that was graded last; None if there is none.

        Args:
            name: the class's name.
            assignment: the assignment that it was graded for; any when empty.
        """
        query = select(batches).where(batches.c.name == to_text(name)).order_by(batches.c.ran_at.desc())
        row = self._session.one(query.where(batches.c.assignment == assignment) if assignment else query)
        if row is None:
            return None
        rules = Rules(*(getattr(row, name) for name in Rules.__slots__))
        return Batch(row.id, Path(from_text(row.source)), rules, row.platform)

    def hand_ins(self, batch: Batch) -> HandIns | None:
        """Return who handed in what, and when; None if this is known for no member."""
        rows = {clean_name(one.name): one.hand_in for one in self.members(batch) if one.hand_in}
        return HandIns(rows) if rows else None

    def origins(self, batch: Batch) -> dict[str, Origin]:
        """Return the known origins of submissions, by the submissions' ids."""
        return {clean_name(one.name): one.origin for one in self.members(batch) if one.origin}

    def note_hand_ins(self, batch: Batch, told: HandIns) -> None:
        """Record who handed in what, and when; a member that is not in the table loses what was known."""
        rows = [
            {"of": batch.id, "who": to_text(one.name), **hand_in_columns(told.of(clean_name(one.name)))}
            for one in self.members(batch)
        ]
        if rows:
            with self._session.writing():
                self._session.execute(NOTE_HAND_IN, rows)
            self._session.commit()

    def members(self, batch: Batch) -> Iterator[Member]:
        """Yield the members of a class, in order; at most a thousand at a time are in memory."""
        start = -1
        while True:
            rows = self._session.all(MEMBERS, {"of": batch.id, "start": start})
            if not rows:
                return
            yield from map(member_from, rows)
            start = rows[-1].place


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


NOTE = (
    update(members)
    .where(members.c.batch == bindparam("of"), members.c.name == bindparam("who"))
    .values(identity=bindparam("identity"), sha256=bindparam("sha256"))
)
NOTE_HAND_IN = (
    update(members)
    .where(members.c.batch == bindparam("of"), members.c.name == bindparam("who"))
    .values(**{name: bindparam(name) for name in ("student", "handed_in", "students")})
)
MEMBERS = (
    select(members)
    .where(members.c.batch == bindparam("of"), members.c.place > bindparam("start"))
    .order_by(members.c.place)
    .limit(1000)
)
