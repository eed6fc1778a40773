"""Classes: who belongs to one, and what each of them handed in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import and_, bindparam, delete, insert, select, update

from autograder.store.keys import HandedIn, Rules, columns
from autograder.store.names import from_text, to_text
from autograder.store.session import Session
from autograder.store.tables import batches, hand_ins


@dataclass(frozen=True, slots=True)
class HandIn:
    """One member of a class."""

    name: str
    path: Path
    problem: str = ""
    identity: str = ""
    """Empty until it was read."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A class that was graded."""

    id: int
    source: Path
    """The folder or zip that its submissions lay in."""
    rules: Rules
    """What it was graded by the last time."""


class Classes:
    """The classes of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def begin(self, name: str, source: Path, rules: Rules, members: Iterable[HandIn]) -> Batch:
        """Note who belongs to a class before it is graded; who does not belong to it any more is left out.

        Args:
            name: of the class; one store may hold many.
            source: the folder or zip that the submissions lie in.
            rules: what they are graded by.
            members: in their order.
        """
        values = {**columns(rules), "source": to_text(str(source.resolve())), "ran_at": _now()}
        where = and_(batches.c.name == to_text(name), batches.c.assignment == rules.assignment)
        with self._session.writing():
            found = self._session.execute(select(batches.c.id).where(where)).scalar()
            if found is None:
                made = self._session.execute(insert(batches).values(name=to_text(name), **values))
                found = made.inserted_primary_key[0] if made.inserted_primary_key else 0
            else:
                self._session.execute(update(batches).where(batches.c.id == found).values(**values))
            before = self._session.execute(select(hand_ins).where(hand_ins.c.batch == found)).all()
            known = {row.name: (row.identity, row.sha256) for row in before}
            self._session.execute(delete(hand_ins).where(hand_ins.c.batch == found))
            rows = [_member(found, place, member, known) for place, member in enumerate(members)]
            if rows:
                self._session.execute(insert(hand_ins), rows)
        self._session.commit()
        return Batch(found, source, rules)

    def note(self, batch: Batch, name: str, handed_in: HandedIn) -> None:
        """Note what a member of a class handed in."""
        values = {"of": batch.id, "who": to_text(name), "identity": handed_in.identity, "sha256": handed_in.sha256}
        with self._session.writing():
            self._session.execute(NOTE, values)

    def batch(self, name: str, assignment: str = "") -> Batch | None:
        """A class by name, the one that was graded last; None when none was.

        Args:
            name: of the class.
            assignment: of which assignment; any when empty.
        """
        query = select(batches).where(batches.c.name == to_text(name)).order_by(batches.c.ran_at.desc())
        row = self._session.one(query.where(batches.c.assignment == assignment) if assignment else query)
        if row is None:
            return None
        return Batch(row.id, Path(from_text(row.source)), Rules(*(getattr(row, name) for name in Rules.__slots__)))

    def members(self, batch: Batch) -> Iterator[HandIn]:
        """Who belongs to a class, in order; a thousand at a time are in memory."""
        start = -1
        while True:
            rows = self._session.execute(MEMBERS, {"of": batch.id, "start": start}).all()
            if not rows:
                return
            for row in rows:
                path = Path(from_text(row.path))
                yield HandIn(from_text(row.name), path, from_text(row.problem), row.identity)
            start = rows[-1].place


def _member(batch: int, place: int, member: HandIn, known: dict[str, tuple[str, str]]) -> dict[str, Any]:
    name = to_text(member.name)
    identity, sha256 = known.get(name, ("", ""))
    return {
        "batch": batch, "name": name, "place": place, "path": to_text(str(member.path)),
        "problem": to_text(member.problem), "identity": identity, "sha256": sha256,
    }  # fmt: skip


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


NOTE = (
    update(hand_ins)
    .where(hand_ins.c.batch == bindparam("of"), hand_ins.c.name == bindparam("who"))
    .values(identity=bindparam("identity"), sha256=bindparam("sha256"))
)
MEMBERS = (
    select(hand_ins)
    .where(hand_ins.c.batch == bindparam("of"), hand_ins.c.place > bindparam("start"))
    .order_by(hand_ins.c.place)
    .limit(1000)
)
