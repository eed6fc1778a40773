"""Write each student's report, pytest record and page into the output folder.

Pages are written only if they are asked for, or are there already.

All of it can be written again at any time from the store. No result is read from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from autograder.atomic_file_writing import write_file_atomically
from autograder.batch.output_layout import PAGES_FOLDER
from autograder.batch.personalized_reports import ReportPersonalizationContext, personalize_report
from autograder.batch.submission_file_names import assign_file_names
from autograder.faults import translate_file_errors
from autograder.output_file_permissions import make_output_folder
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.report_json_files import encode_report_json
from autograder.store.results.packed_result import encode_packed_pytest_record_as_json
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry


class StudentResultFilesWriter:
    """Writes each student's report, pytest record and page into the output folder.

    Attributes:
        path: the folder.
        report_context: of the class.
        has_student_pages: whether students' pages are written: once there are some, they always are, so that none is
            older than the report beside it.
        dry_run: whether nothing is written.
    """

    def __init__(
        self,
        path: Path,
        entries: Iterable[StoredSubmissionEntry],
        report_context: ReportPersonalizationContext,
        *,
        with_student_pages: bool = False,
        dry_run: bool = False,
    ) -> None:
        """Make the folder.

        Args:
            path: the folder.
            entries: the class.
            report_context: what the reports depend on besides the results.
            with_student_pages: whether every student gets a web page too, with what they may see once grades are
                published, even if there are no pages yet.
            dry_run: whether nothing is written at all.

        Raises:
            CallerFault: the folder cannot be written to.
        """
        self.path, self.report_context = path, report_context
        self.dry_run = dry_run
        self.has_student_pages = with_student_pages or any((path / PAGES_FOLDER).glob("*.html"))
        self._files = assign_file_names(entry.name for entry in entries)
        if dry_run:
            return
        with translate_file_errors(path, action="write to", advice="name another folder with --out"):
            for name in ("reports", "raw", *([PAGES_FOLDER] if self.has_student_pages else [])):
                make_output_folder(path / name)

    def update_student_files(
        self,
        submission_name: str,
        report_without_name: ScoreReport,
        has_pytest_record: bool,
        load_packed_pytest_record: Callable[[], bytes],
    ) -> None:
        """Write a student's report, record and page, if they are not there already.

        Args:
            submission_name: the submission's name.
            report_without_name: the report as it is kept, without a name.
            has_pytest_record: whether there is a record.
            load_packed_pytest_record: gets the record, packed.

        Raises:
            CallerFault: the folder cannot be written to.
            KitFault: the disk is full or fails.
        """
        if self.dry_run:
            return
        report_at = self.path / "reports" / f"{self._files[submission_name]}.json"
        raw_at = self.path / "raw" / f"{self._files[submission_name]}.json"
        view = personalize_report(report_without_name, submission_name, self.report_context)
        # before the report, so that a killed run leaves behind no page that is older than its report
        if self.has_student_pages:
            self._write_page_if_changed(submission_name, render_published_page(view))
        content = encode_report_json(view)
        if raw_at.exists() == has_pytest_record and _has_content(report_at, content):
            return  # a record is always written before its report
        if has_pytest_record:
            write_file_atomically(raw_at, encode_packed_pytest_record_as_json(load_packed_pytest_record()))
        else:
            raw_at.unlink(missing_ok=True)  # it belongs to an earlier submission
        write_file_atomically(report_at, content)

    def _write_page_if_changed(self, name: str, content: bytes) -> None:
        page_at = self.path / PAGES_FOLDER / f"{self._files[name]}.html"
        if not _has_content(page_at, content):
            write_file_atomically(page_at, content)


def _has_content(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False
