"""Look up what earlier exports did, and record what one does now, in the audit table of the class's store."""

from __future__ import annotations

import getpass
import os
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence

from autograder.batch.place import Place
from autograder.faults import CallerFault
from autograder.platforms.decisions import ALL, is_called
from autograder.platforms.exchange import Change, Export
from autograder.platforms.model import Platform
from autograder.store.audit import Action, Audit, Event
from autograder.store.written import State, Written, WrittenKey
from autograder.text import clean


def written_last(place: Place, platform: Platform, assignment: str) -> Mapping[WrittenKey, Written]:
    """Return what the kit wrote last for each student of a class.

    Raises:
        CallerFault: the store cannot be opened.
    """
    with place.reopened(dry=True) as store:
        return store.audit.last_written(place.class_name, assignment, platform.name)


def keep_written(place: Place, platform: Platform, assignment: str, made: Export) -> None:
    """Record each mark and comment that was written into files.

    Raises:
        KitFault: the database fails. The next export then takes these marks for decisions of people, and keeps them.
    """
    events = [event_of(change) for change in (*made.changes, *made.comments) if change.is_new]
    if events:
        with place.reopened() as store:
            store.audit.add(action_of("export", place, platform, assignment), events, "written")


class StoredSending:
    """Tells the audit table what an upload does, row by row as it happens; see ``model.Sending``."""

    def __init__(self, audit: Audit, action: Action, progress: Callable[[int, int], None]) -> None:
        self._audit, self._action, self._progress = audit, action, progress

    def __call__(self, done: int, of: int) -> None:
        """Show how many of how many students are done."""
        self._progress(done, of)

    def begin(self, changes: Sequence[Change], as_account: str) -> Sequence[int]:
        """Record what is about to be sent; a row that never gets an answer shows that the upload was killed."""
        return self._audit.add(self._action, map(event_of, changes), "sending", as_account)

    def end(self, begun: Sequence[int], state: State, answer: str) -> None:
        """Record the platform's answer."""
        self._audit.complete(begun, state, answer)


def action_of(kind: str, place: Place, platform: Platform, assignment: str) -> Action:
    """Return what the rows of one command have in common."""
    return Action(kind, account(), platform.name, place.class_name, assignment, uuid.uuid4().hex)


def event_of(change: Change) -> Event:
    """Return a change as an event for the audit table."""
    return Event(
        change.what,
        change.place,
        change.key,
        change.student,
        change.submission,
        change.before,
        change.after,
        change.seen,
        change.overwrites,
    )


def account() -> str:
    """Return the name of the user who runs this, as the machine knows it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may run under a number that has no name
        return f"uid {os.getuid()}"


def check_names(made: Export, overwrite: Iterable[str]) -> None:
    """Check that each student whose marks may be replaced is in the export.

    Raises:
        CallerFault: one of them is not in it; nothing was written.
    """
    changes = (*made.changes, *made.comments)
    for name in overwrite:
        if name != ALL and not any(is_called(change, name) for change in changes):
            advice = "name a student as the list of kept marks does, by id or by submission"
            raise CallerFault("no student in this export is called so", f"--overwrite {clean(name, 80)}", advice)
