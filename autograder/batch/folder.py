"""Write the folder that people look into: each student's report, pytest record and perhaps page, and one gradebook.

All of it can be written again at any time from what is kept. No result is read from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from autograder.batch.names import file_names
from autograder.batch.views import Terms, view_of
from autograder.faults import CallerFault
from autograder.reports import ScoreReport
from autograder.reports.page import student_page
from autograder.reports.write import to_json, write_whole
from autograder.staff_files import make_folder
from autograder.store.members import Member
from autograder.store.record import raw_text

GRADEBOOK = "gradebook.csv"
PAGES = "feedback"
VIEWS = ("reports", "raw", PAGES, GRADEBOOK)
"""Everything in the folder, but for the store."""
OLD_SECONDS = 600
"""After which an unfinished file is one that was left behind."""


class Views:
    """The folder that people look into.

    Attributes:
        out: the folder.
        terms: of the class.
        pages: whether students' pages are written: once there are some, they always are, so that none is older than
            the report beside it.
        dry: whether nothing is written.
    """

    def __init__(
        self, out: Path, members: Iterable[Member], terms: Terms, *, pages: bool = False, dry: bool = False
    ) -> None:
        """Make the folder.

        Args:
            out: the folder.
            members: the class.
            terms: the terms of the class.
            pages: whether every student gets a web page too, with what they may see once grades are published, even
                if there are no pages yet.
            dry: whether nothing is written at all.

        Raises:
            CallerFault: the folder cannot be written to.
        """
        self.out, self.terms = out, terms
        self.dry = dry
        self.pages = pages or any((out / PAGES).glob("*.html"))
        self._files = file_names(members)
        if dry:
            return
        try:
            for name in ("reports", "raw", *([PAGES] if self.pages else [])):
                make_folder(out / name)
                _tidy(out / name)
        except OSError as error:
            raise CallerFault(
                f"cannot be written: {error.strerror}", where=str(out), advice="name another folder with --out"
            ) from error

    def show(self, name: str, report: ScoreReport, has_raw: bool, raw: Callable[[], bytes]) -> None:
        """Write a student's report, record and page, if they are not there already.

        Args:
            name: the submission's name.
            report: the report as it is kept, without a name.
            has_raw: whether there is a record.
            raw: gets the record, packed.

        Raises:
            CallerFault: the folder cannot be written to.
            KitFault: the disk is full or fails.
        """
        if self.dry:
            return
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


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def _tidy(folder: Path) -> None:
    """Remove unfinished files that a killed run left behind."""
    for path in folder.glob(".writing-*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > OLD_SECONDS:
                path.unlink()
