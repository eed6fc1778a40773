"""From results to what people read: a report, a record of pytest and perhaps a page a student, and one gradebook.

All of it can be written again at any time from what is kept; nothing is read from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from autograder.batch.names import file_names
from autograder.course.deadlines import Due
from autograder.faults import CallerFault
from autograder.lateness import HandIns, with_lateness
from autograder.reports import ScoreReport
from autograder.reports.page import student_page
from autograder.reports.write import to_json, write_whole
from autograder.store.classes import Batch
from autograder.store.database import Store
from autograder.store.members import Member
from autograder.store.record import raw_text, unpack
from autograder.store.results import Found
from autograder.submissions import Origin
from autograder.text import clean_name

GRADEBOOK = "gradebook.csv"
PAGES = "feedback"
OLD_SECONDS = 600
"""After which an unfinished file is one that was left behind."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a class's views depend on besides its results."""

    due: Due
    hand_ins: HandIns | None = None
    """Who handed in what, and when; None where nothing is known of it, and nothing is late."""
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Where submissions came from, by their ids, as far as somebody said."""


def terms_of(store: Store, batch: Batch, due: Due) -> Terms:
    """What is known of a class."""
    return Terms(due, store.classes.hand_ins(batch), store.classes.origins(batch))


def view_of(report: ScoreReport, name: str, terms: Terms) -> ScoreReport:
    """A result as the report of one student: the one place where what depends on the student is added.

    Args:
        report: as it is kept, without a name.
        name: of the submission.
        terms: of its class.
    """
    called = clean_name(name)
    lateness = terms.hand_ins.lateness(called, terms.due) if terms.hand_ins else None
    named = structs.replace(report, submission=structs.replace(report.submission, id=called))
    return with_lateness(named, lateness)


@dataclass(frozen=True, slots=True)
class Shown:
    """A student's result in the gradebook."""

    member: Member
    report: ScoreReport
    current: bool
    """Whether it is by the rules that the class was graded by last."""


class Views:
    """The folder that people look into.

    Attributes:
        out: the folder.
        terms: of the class.
        pages: whether students' pages are written: once there are some, they always are, so that none is older than
            the report beside it.
    """

    def __init__(self, out: Path, members: Iterable[Member], terms: Terms, *, pages: bool = False) -> None:
        """Make the folder.

        Args:
            out: the folder.
            members: the class.
            terms: of it.
            pages: whether every student gets a web page too, with what they may see once grades are published, even
                if there are none yet.

        Raises:
            CallerFault: it cannot be written to.
        """
        self.out, self.terms = out, terms
        self.pages = pages or any((out / PAGES).glob("*.html"))
        self._files = file_names(members)
        try:
            for name in ("reports", "raw", *([PAGES] if self.pages else [])):
                (out / name).mkdir(parents=True, exist_ok=True)
                _tidy(out / name)
        except OSError as error:
            raise CallerFault(
                f"cannot be written: {error.strerror}", where=str(out), advice="name another folder with --out"
            ) from error

    def show(self, name: str, report: ScoreReport, has_raw: bool, raw: Callable[[], bytes]) -> None:
        """Write a student's report, record and page, if they are not there already.

        Args:
            name: of the submission.
            report: as it is kept, without a name.
            has_raw: whether there is a record.
            raw: gets it, packed.

        Raises:
            CallerFault: the folder cannot be written to.
            KitFault: the disk is full or fails.
        """
        report_at = self.out / "reports" / f"{self._files[name]}.json"
        raw_at = self.out / "raw" / f"{self._files[name]}.json"
        view = view_of(report, name, self.terms)
        if self.pages:  # before the report: a run that is killed between the two leaves none that is too old
            self._put_page(name, student_page(view))
        content = to_json(view)
        if raw_at.exists() == has_raw and _holds(report_at, content):
            return  # a record is always written before its report
        if has_raw:
            write_whole(raw_at, raw_text(raw()))
        else:
            raw_at.unlink(missing_ok=True)  # an earlier hand-in's says nothing about this one
        write_whole(report_at, content)

    def _put_page(self, name: str, content: bytes) -> None:
        page_at = self.out / PAGES / f"{self._files[name]}.html"
        if not _holds(page_at, content):
            write_whole(page_at, content)


def shown(store: Store, batch: Batch, version: str = "") -> Iterator[tuple[Member, Found | None, bool]]:
    """What is known of each member of a class, in order, and whether it is by the class's present rules.

    Where there is nothing by those rules yet, it is the latest result of the same submission by others.

    Args:
        store: where it is kept.
        batch: the class.
        version: of the assignment, to see only results of that one.
    """
    for member in store.classes.members(batch):
        found = store.results.find(member.identity, batch.rules) if not version else None
        other = None if found else store.results.latest(member.identity, batch.rules.assignment, version)
        yield member, found or other, found is not None or bool(version)


def in_gradebook(store: Store, batch: Batch, terms: Terms, version: str = "") -> Iterator[Shown]:
    """The reports of a class, one at a time; see ``shown``."""
    for member, found, current in shown(store, batch, version):
        if found:
            yield Shown(member, view_of(unpack(found.report), member.name, terms), current)


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def _tidy(folder: Path) -> None:
    """Take away what a run that was killed left unfinished."""
    for path in folder.glob(".writing-*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > OLD_SECONDS:
                path.unlink()
