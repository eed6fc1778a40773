"""Record everything that changes or sends a mark, one row each: what, to whom, when, by which account, the answer.

Rows are added, and completed when an answer comes; no row is ever removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import bindparam, insert, select, update

from autograder.store.names import from_text, to_text
from autograder.store.session import Session
from autograder.store.tables import audit
from autograder.store.written import State, Written, WrittenKey


@dataclass(frozen=True, slots=True)
class Action:
    """Who does what to whose marks: what all rows of one command have in common."""

    kind: str
    """The way that marks go: ``export`` into files, ``upload`` to a platform's service."""
    account: str
    """Who runs the command, as this machine knows them."""
    platform: str
    class_name: str
    assignment: str
    run: str
    """The same for all rows of one command, and no other's."""


@dataclass(frozen=True, slots=True)
class Event:
    """One mark or comment that becomes another."""

    what: str
    """``mark`` or ``comment``."""
    place: str
    """Where on the platform, such as a column's id; empty where the platform does not say."""
    student: str
    """The platform's own id of the student."""
    label: str
    """The student for people."""
    submission: str
    before: str
    after: str
    seen: str = ""
    """See ``Written``."""
    overwrote: bool = False
    """See ``Written``."""


class Audit:
    """The audit table of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, action: Action, events: Iterable[Event], state: State, as_account: str = "") -> list[int]:
        """Add a row for each event, and put the rows on the disk.

        Args:
            action: what the events have in common.
            events: what happens.
            state: how far the events are.
            as_account: the sender's account on the platform; empty for files.

        Returns:
            The rows' ids, in the order of the events.
        """
        common = {
            "at": datetime.now(UTC).isoformat(timespec="microseconds"),
            "action": action.kind,
            "account": to_text(action.account),
            "as_account": to_text(as_account),
            "platform": action.platform,
            "class_name": to_text(action.class_name),
            "assignment": action.assignment,
            "run": action.run,
            "state": state,
            "answer": "",
        }
        ids = []
        with self._session.writing():
            for event in events:
                made = self._session.execute(insert(audit).values(**common, **_columns(event)))
                key = made.inserted_primary_key if made.is_insert else None  # none where nothing is put into it
                ids.append(key[0] if key else 0)
        self._session.commit()
        return ids

    def complete(self, ids: Sequence[int], state: State, answer: str) -> None:
        """Record what became of rows that were being sent, and put it on the disk."""
        values = [{"row": row, "now": state, "said": to_text(answer)} for row in ids]
        if values:
            with self._session.writing():
                self._session.execute(COMPLETE, values)
            self._session.commit()

    def last_written(self, class_name: str, assignment: str, platform: str) -> dict[WrittenKey, Written]:
        """Return what the kit wrote last to each place, for each student; refused rows never got there."""
        values = {"in_class": to_text(class_name), "of": assignment, "there": platform}
        return {
            (row.what, from_text(row.place), from_text(row.student)): Written(
                from_text(row.before), from_text(row.after), from_text(row.seen), row.state == "taken", row.overwrote
            )
            for row in self._session.all(WRITTEN, values)
        }


def _columns(event: Event) -> dict[str, str | bool]:
    return {
        "what": event.what,
        "place": to_text(event.place),
        "student": to_text(event.student),
        "label": to_text(event.label),
        "submission": to_text(event.submission),
        "before": to_text(event.before),
        "after": to_text(event.after),
        "seen": to_text(event.seen),
        "overwrote": event.overwrote,
    }


COMPLETE = (
    update(audit)
    .where(audit.c.id == bindparam("row"))
    .values(state=bindparam("now"), answer=bindparam("said"))
)  # fmt: skip
WRITTEN = (
    select(audit)
    .where(
        audit.c.class_name == bindparam("in_class"),
        audit.c.assignment == bindparam("of"),
        audit.c.platform == bindparam("there"),
        audit.c.state != "refused",
    )
    .order_by(audit.c.id)
)
