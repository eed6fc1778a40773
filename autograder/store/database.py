"""The store itself: what is written to the database and read from it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Row, Select, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from autograder.faults import CallerFault
from autograder.reports import ScoreReport
from autograder.store.connect import connected, told
from autograder.store.keys import ANY, HandedIn, Rules
from autograder.store.names import from_text, to_text
from autograder.store.record import Record, is_final
from autograder.store.tables import batches, hand_ins, results, versions

MOST_UNWRITTEN = 20
MOST_SECONDS = 0.5
"""A commit waits for the disk, so results share one: a kill loses so many of them, or what came within this time."""


@dataclass(frozen=True, slots=True)
class Found:
    """A row of results, without its largest parts."""

    row: int
    version: str
    known: str
    final: bool
    report: bytes
    has_raw: bool


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


class Store:
    """Results, classes and versions in one database. Raises ``KitFault`` wherever that fails."""

    def __init__(self, connection: Connection, url: URL) -> None:
        self._connection, self._url = connection, url
        dialect = postgresql if url.get_backend_name() == "postgresql" else sqlite
        self._keep_first: Any = dialect.insert(results).on_conflict_do_nothing()
        self._unwritten, self._since = 0, 0.0

    # Results

    def find(self, identity: str, rules: Rules) -> Found | None:
        """The result of what was handed in, by these rules; None when there is none yet."""
        row = self._one(FIND, {"identity": identity, **_columns(rules)})
        return _found(row) if row else None

    def earlier(self, identity: str, rules: Rules) -> list[Found]:
        """Results of other versions of the assignment, otherwise by the same rules; the latest first."""
        with told(self._url):
            rows = self._connection.execute(EARLIER, {"identity": identity, **_columns(rules)}).all()
        return [_found(row) for row in rows]

    def latest(self, identity: str, assignment: str, version: str = "") -> Found | None:
        """The latest result by whatever rules.

        Args:
            identity: of what was handed in.
            assignment: of which assignment.
            version: of the assignment; any when empty.
        """
        query = LATEST.where(results.c.version == version) if version else LATEST
        row = self._one(query, {"identity": identity, "assignment": assignment})
        return _found(row) if row else None

    def record(self, found: Found) -> Record:
        """All of a result."""
        row = self._one(RECORD, {"row": found.row})
        if row is None:
            raise CallerFault("a result is gone", where=self._url.render_as_string(), advice="run it again")
        return Record(row.report, row.raw, row.kept)

    def put(self, handed_in: HandedIn, rules: Rules, report: ScoreReport, record: Record) -> bool:
        """Keep a result, and say whether it was; not so if a final one was. It is on the disk after ``commit``."""
        known = ANY if report.diagnosis.verdict == "none" else rules.known
        key = {"identity": handed_in.identity, **_columns(rules), "known": known}
        row = {
            **key, "sha256": handed_in.sha256, "final": is_final(report), "status": report.status.outcome,
            "score": report.score, "graded_at": report.timing.graded_at,
            "report": record.report, "kept": record.kept, "raw": record.raw,
        }  # fmt: skip
        with self._writing():
            self._connection.execute(FORGET, key)
            return self._connection.execute(self._keep_first, row).rowcount == 1

    # Versions

    def manifest(self, assignment: str, version: str, known: str) -> str:
        """What a version of an assignment was, as it was kept; empty when it was not.

        Args:
            assignment: which.
            version: of it.
            known: the state of the known mistakes then; ``ANY`` for whichever.
        """
        query = MANIFEST if known == ANY else MANIFEST.where(versions.c.known == known)
        found = self._one(query, {"assignment": assignment, "version": version})
        return found.manifest if found else ""

    def keep_manifest(self, rules: Rules, manifest: str) -> None:
        """Keep what this version is; what was kept of it before is the same."""
        key = {"assignment": rules.assignment, "version": rules.version, "known": rules.known}
        with self._writing():
            if not self.manifest(**key):
                self._connection.execute(insert(versions).values(**key, manifest=manifest))
        self.commit()

    def versions(self, assignment: str) -> list[str]:
        """The versions that there are results of."""
        query = select(results.c.version).where(results.c.assignment == assignment).group_by(results.c.version)
        with told(self._url):
            return list(self._connection.execute(query.order_by(func.min(results.c.id))).scalars())

    # Classes

    def begin(self, name: str, source: Path, rules: Rules, members: Iterable[HandIn]) -> Batch:
        """Note who belongs to a class before it is graded; who does not belong to it any more is left out.

        Args:
            name: of the class; one store may hold many.
            source: the folder or zip that the submissions lie in.
            rules: what they are graded by.
            members: in their order.
        """
        values = {**_columns(rules), "source": to_text(str(source.resolve())), "ran_at": _now()}
        where = and_(batches.c.name == name, batches.c.assignment == rules.assignment)
        with self._writing():
            found = self._connection.execute(select(batches.c.id).where(where)).scalar()
            if found is None:
                made = self._connection.execute(insert(batches).values(name=name, **values))
                found = made.inserted_primary_key[0] if made.inserted_primary_key else 0
            else:
                self._connection.execute(update(batches).where(batches.c.id == found).values(**values))
            before = self._connection.execute(select(hand_ins).where(hand_ins.c.batch == found)).all()
            known = {row.name: (row.identity, row.sha256) for row in before}
            self._connection.execute(delete(hand_ins).where(hand_ins.c.batch == found))
            rows = [_member(found, place, member, known) for place, member in enumerate(members)]
            if rows:
                self._connection.execute(insert(hand_ins), rows)
        self.commit()
        return Batch(found, source, rules)

    def note(self, batch: Batch, name: str, handed_in: HandedIn) -> None:
        """Note what a member of a class handed in."""
        values = {"of": batch.id, "who": to_text(name), "identity": handed_in.identity, "sha256": handed_in.sha256}
        with self._writing():
            self._connection.execute(NOTE, values)

    def batch(self, name: str, assignment: str = "") -> Batch | None:
        """A class by name, the one that was graded last; None when none was.

        Args:
            name: of the class.
            assignment: of which assignment; any when empty.
        """
        query = select(batches).where(batches.c.name == name).order_by(batches.c.ran_at.desc(), batches.c.id.desc())
        row = self._one(query.where(batches.c.assignment == assignment) if assignment else query, {})
        if row is None:
            return None
        return Batch(row.id, Path(from_text(row.source)), Rules(*(getattr(row, name) for name in Rules.__slots__)))

    def members(self, batch: Batch) -> Iterator[HandIn]:
        """Who belongs to a class, in order; a thousand at a time are in memory."""
        start = -1
        while True:
            with told(self._url):
                rows = self._connection.execute(MEMBERS, {"of": batch.id, "start": start}).all()
            if not rows:
                return
            for row in rows:
                path = Path(from_text(row.path))
                yield HandIn(from_text(row.name), path, from_text(row.problem), row.identity)
            start = rows[-1].place

    # Writing

    def commit(self) -> None:
        """Put everything on the disk."""
        self._unwritten = 0
        with told(self._url):
            self._connection.commit()

    def tick(self) -> None:
        """Put on the disk what has waited for long enough; to be called while nothing else is to be done."""
        if self._unwritten and time.monotonic() - self._since > MOST_SECONDS:
            self.commit()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if not self._unwritten:
            self._since = time.monotonic()
        with told(self._url):
            yield
        self._unwritten += 1
        if self._unwritten >= MOST_UNWRITTEN or time.monotonic() - self._since > MOST_SECONDS:
            self.commit()

    def _one(self, query: Select[Any], values: dict[str, Any]) -> Row[Any] | None:
        with told(self._url):
            return self._connection.execute(query, values).first()


@contextmanager
def open_store(url: URL) -> Iterator[Store]:
    """A store; what was put into it is on the disk in the end, whatever happens meanwhile.

    Raises:
        CallerFault: it cannot be opened, is no store, or a later version of the kit wrote it.
    """
    with connected(url) as connection:
        store = Store(connection, url)
        try:
            yield store
        finally:
            store.commit()


def _found(row: Row[Any]) -> Found:
    return Found(row[0], row[1], row[2], bool(row[3]), row[4], bool(row[5]))


def _columns(rules: Rules) -> dict[str, str]:
    return {name: getattr(rules, name) for name in Rules.__slots__}


def _member(batch: int, place: int, member: HandIn, known: dict[str, tuple[str, str]]) -> dict[str, Any]:
    name = to_text(member.name)
    identity, sha256 = known.get(name, ("", ""))
    return {
        "batch": batch, "name": name, "place": place, "path": to_text(str(member.path)),
        "problem": to_text(member.problem), "identity": identity, "sha256": sha256,
    }  # fmt: skip


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _given(*names: str) -> Any:
    return and_(*(results.c[name] == bindparam(name) for name in names))


FOUND = select(
    results.c.id,
    results.c.version,
    results.c.known,
    results.c.final,
    results.c.report,
    func.length(results.c.raw) > 0,
)
SAME = ("identity", "assignment", "kit", "conditions")
HOLDS = results.c.known.in_([bindparam("known"), ANY])
FIND = FOUND.where(_given(*SAME, "version"), HOLDS).order_by(results.c.final.desc(), results.c.id.desc()).limit(1)
EARLIER = FOUND.where(_given(*SAME)).order_by(results.c.id.desc()).limit(10)
LATEST = FOUND.where(_given("identity", "assignment")).order_by(results.c.id.desc()).limit(1)
RECORD = select(results.c.report, results.c.raw, results.c.kept).where(results.c.id == bindparam("row"))
FORGET = delete(results).where(_given(*SAME, "version", "known"), results.c.final.is_(False))
MANIFEST = select(versions.c.manifest).where(
    *(versions.c[name] == bindparam(name) for name in ("assignment", "version"))
)
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
