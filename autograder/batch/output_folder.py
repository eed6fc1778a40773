"""Write the folder that people look into: each student's report, pytest record and perhaps page, and one gradebook.

All of it can be written again at any time from what is kept. No result is read from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from autograder.batch.file_names import assign_file_names
from autograder.batch.student_reports import ReportContext, personalize_report
from autograder.faults import make_file_fault
from autograder.reports import ScoreReport
from autograder.reports.html_page import render_student_page
from autograder.reports.report_files import format_report_json, write_file_atomically
from autograder.staff_files import make_staff_folder
from autograder.store.class_members import ClassMember
from autograder.store.result_record import format_pytest_record

GRADEBOOK = "gradebook.csv"
PAGES = "feedback"
VERSIONS = "versions"
OVERVIEW, SIMILAR = "overview.html", "similar.html"
VIEWS = ("reports", "raw", PAGES, VERSIONS, GRADEBOOK, OVERVIEW, SIMILAR)
"""Everything in the folder, but for the store."""
OLD_SECONDS = 600
"""After which an unfinished file is one that was left behind."""


class OutputFolder:
    """The folder that people look into.

    Attributes:
        out: the folder.
        terms: of the class.
        pages: whether students' pages are written: once there are some, they always are, so that none is older than
            the report beside it.
        dry: whether nothing is written.
    """

    def __init__(
        self,
        out: Path,
        members: Iterable[ClassMember],
        terms: ReportContext,
        *,
        pages: bool = False,
        dry: bool = False,
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
        self._files = assign_file_names(members)
        if dry:
            return
        try:
            for name in ("reports", "raw", *([PAGES] if self.pages else [])):
                make_staff_folder(out / name)
                _tidy(out / name)
        except OSError as error:
            raise make_file_fault(error, out, verb="written", advice="name another folder with --out") from error

    def write_student_files(
        self, name: str, report: ScoreReport, has_raw: bool, load_raw: Callable[[], bytes]
    ) -> None:
        """Write a student's report, record and page, if they are not there already.

        Args:
            name: the submission's name.
            report: the report as it is kept, without a name.
            has_raw: whether there is a record.
            load_raw: gets the record, packed.

        Raises:
            CallerFault: the folder cannot be written to.
            KitFault: the disk is full or fails.
        """
        if self.dry:
            return
        report_at = self.out / "reports" / f"{self._files[name]}.json"
        raw_at = self.out / "raw" / f"{self._files[name]}.json"
        view = personalize_report(report, name, self.terms)
        if self.pages:  # before the report: a run that is killed between the two leaves none that is too old
            self._put_page(name, render_student_page(view))
        content = format_report_json(view)
        if raw_at.exists() == has_raw and _holds(report_at, content):
            return  # a record is always written before its report
        if has_raw:
            write_file_atomically(raw_at, format_pytest_record(load_raw()))
        else:
            raw_at.unlink(missing_ok=True)  # an earlier hand-in's says nothing about this one
        write_file_atomically(report_at, content)

    def _put_page(self, name: str, content: bytes) -> None:
        page_at = self.out / PAGES / f"{self._files[name]}.html"
        if not _holds(page_at, content):
            write_file_atomically(page_at, content)


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
