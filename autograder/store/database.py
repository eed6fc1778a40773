"""Open the store: results, classes and versions in one database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import URL

from autograder.faults import Fault
from autograder.store.audit import Audit
from autograder.store.classes import Classes
from autograder.store.connect import connected
from autograder.store.results import Results
from autograder.store.session import ReadingSession, Session


class Store:
    """What is kept.

    Attributes:
        results: what was graded, and by what.
        classes: who handed in what.
        audit: what changed or sent a mark.
    """

    def __init__(self, session: Session) -> None:
        self.results, self.classes, self.audit = Results(session), Classes(session), Audit(session)
        self.commit, self.tick = session.commit, session.tick


@contextmanager
def open_store(url: URL, *, dry: bool = False) -> Iterator[Store]:
    """Open a store; what was put into it is on the disk in the end, whatever happens meanwhile.

    Args:
        url: where the store is.
        dry: whether to skip everything that would write to it.

    Raises:
        CallerFault: the store cannot be opened, is not a store, or was written by a later version of the kit.
    """
    with connected(url) as connection:
        session = (ReadingSession if dry else Session)(connection, url)
        try:
            yield Store(session)
        except BaseException:
            with suppress(Fault):  # what ended it is told, and not what came of that
                session.commit()
            raise
        session.commit()
