"""Write the gradebook, and each student's report, pytest record and page, into the output folder.

All of it can be written again at any time from the store. No result is read from it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from autograder.batch.batch_location import PAGES_FOLDER
from autograder.batch.personalized_reports import ReportPersonalizationContext, personalize_report
from autograder.course import Assignment
from autograder.faults import translate_file_errors
from autograder.files import make_output_folder, write_file_atomically
from autograder.lateness import SubmissionTimes, select_counting_submissions
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.report_files import encode_report_json
from autograder.reports.wording import format_points, list_decision_lines_for_staff
from autograder.store.results.graded_class_table import StoredSubmissionEntry
from autograder.store.results.result_model import encode_packed_pytest_record_as_json
from autograder.submissions import SubmissionOrigin
from autograder.submissions.origin import format_name_for_gradebook
from autograder.submissions.safe_paths import is_windows_device_name
from autograder.text import escape_name_unambiguously, make_file_name_collision_key, neutralize_formula

KEPT_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@+ ")
MAX_LENGTH = 180
"""In bytes."""
DIGEST_LENGTH = 12


def make_safe_file_name(submission_name: str) -> str:
    """Return a name that every file system takes; it differs whenever the submissions' names do.

    Letters of any script stay; special characters, such as those of paths and terminal escapes, become ``%`` and
    their bytes in hexadecimal, as in a URL. A name that is too long is cut, and a digest of the whole is appended.

    >>> make_safe_file_name("Müller, Eva/value.py"), make_safe_file_name(".hidden"), make_safe_file_name("nul")
    ('Müller%2C Eva%2Fvalue.py', '%2Ehidden', '%6Eul')
    """
    joined = _escape_special_characters(submission_name)
    if len(joined.encode()) <= MAX_LENGTH:
        return joined
    digest = "=" + hashlib.sha256(joined.encode()).hexdigest()[:DIGEST_LENGTH]
    return _cut_at_bytes(joined, MAX_LENGTH - len(digest)) + digest


def _escape_special_characters(submission_name: str) -> str:
    shown = []
    for character in submission_name:
        if character in KEPT_CHARACTERS or (ord(character) > 127 and unicodedata.category(character)[0] in "LN"):
            shown.append(character)
        else:
            shown.append("".join(f"%{byte:02X}" for byte in _bytes(character)))
    joined = "".join(shown)
    if joined[:1] in (".", " ", "") or is_windows_device_name(joined):
        joined = f"%{ord(joined[:1] or '_'):02X}{joined[1:]}"
    return joined


def _cut_at_bytes(text: str, most_bytes: int) -> str:
    return text.encode()[:most_bytes].decode(errors="ignore")  # not half a letter


def _bytes(character: str) -> bytes:
    """Return a character's bytes; for a byte of a name that is not text, that byte as it is on disk."""
    lone = "\udc80" <= character <= "\udcff"
    return character.encode("utf-8", "surrogateescape" if lone else "surrogatepass")


def assign_file_names(submission_names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each submission; number names that would clash on some file system."""
    taken: set[str] = set()
    names = {}
    for name in submission_names:
        base = candidate = make_safe_file_name(name)
        number = 1
        while make_file_name_collision_key(candidate) in taken:
            number += 1
            candidate = f"{base}~{number}"
        taken.add(make_file_name_collision_key(candidate))
        names[name] = candidate
    return names


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


FIRST_COLUMNS = ("submission", "score", "max_score", "bonus", "status")
LAST_COLUMNS = (
    "grader_errors",
    "message",
    "final_score",
    "final_bonus",
    "days_late",
    "percent_off",
    "handed_in",
    "student",
    "extension_of",
    "kit",
    "provisional",
    "fresh_look",
    "version",
    "path",
    "by_tests",
    "decisions",
    "counts",
)
PLATFORM_COLUMNS = ("name", "email", "group", "attempt", "marked_late")
"""Further columns for a class that came from a platform, or has a roster."""


def write_gradebook(
    reports: Iterable[ScoreReport],
    assignment: Assignment,
    csv_path: Path,
    context: ReportPersonalizationContext,
) -> None:
    """Write ``gradebook.csv``: total points, points per concept, flags for review, and the final score.

    Args:
        reports: one per submission, with lateness where it is known; read one at a time and not kept.
        assignment: gives the columns, and says which of several attempts counts.
        csv_path: where to write.
        context: whose submissions they are and where they came from, as far as that is known.

    Raises:
        CallerFault: the file cannot be written.
    """
    submission_times, origins = context.submission_times or SubmissionTimes(), context.origins
    rows: dict[str, list[str | int]] = {}
    totals: dict[str, float] = {}
    for report in reports:
        path_there = context.paths.get(report.submission.id, "")
        rows[report.submission.id] = _format_row(report, assignment, submission_times, origins, path_there)
        totals[report.submission.id] = report.final.total
    count = select_counting_submissions(
        totals.items(), submission_times, assignment.deadline_rules.which_attempt_counts
    )
    concepts = [concept.name for concept in assignment.concepts]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*FIRST_COLUMNS, *concepts, *LAST_COLUMNS, *(PLATFORM_COLUMNS if origins else ())])
    for submission, row_cells in rows.items():
        origin = _format_origin_cells(origins.get(submission)) if origins else ()
        writer.writerow([neutralize_formula(submission), *row_cells, "yes" if submission in count else "no", *origin])
    write_file_atomically(csv_path, text.getvalue().encode())


def _format_origin_cells(origin: SubmissionOrigin | None) -> tuple[str, ...]:
    """Return what is known of where a submission came from, in the columns of ``PLATFORM_COLUMNS``."""
    people = origin.people if origin else ()
    names, emails = " + ".join(one.name for one in people), " + ".join(filter(None, (one.email for one in people)))
    group, attempt = (origin.group, origin.attempt) if origin else ("", "")
    texts = (
        neutralize_formula(escape_name_unambiguously(text)) if text else ""
        for text in (names, emails, group, attempt)
    )
    return (*texts, "yes" if origin and origin.marked_late else "")


def _format_row(
    report: ScoreReport,
    assignment: Assignment,
    submission_times: SubmissionTimes,
    origins: Mapping[str, SubmissionOrigin],
    path: str,
) -> list[str | int]:
    """Return a submission's cells, but for the first, those of its origin, and whether it counts."""
    points = {concept.name: concept.score for concept in report.concepts}
    submission_time, late, origin = (
        submission_times.find_submission_time(report.submission.id),
        report.lateness,
        origins.get(report.submission.id),
    )
    student = submission_time.student if submission_time else origin.student_or_group_identifier if origin else ""
    return [
        format_points(report.score),
        format_points(report.max_score),
        format_points(report.bonus.score),
        report.status.outcome,
        *(format_points(points.get(concept.name, 0.0)) for concept in assignment.concepts),
        report.grader_error_count,
        neutralize_formula(report.status.message),
        format_points(report.final.score),
        format_points(report.final.bonus),
        late.days_late if late else "",
        format_points(late.percent_off) if late else "",
        submission_time.handed_in.isoformat() if submission_time else "",
        format_name_for_gradebook(student) if student else "",
        format_name_for_gradebook(late.extension_of) if late and late.extension_of else "",
        report.kit_version,
        "yes" if report.status.provisional else "",
        neutralize_formula(report.fresh_look),
        report.assignment.version,
        format_name_for_gradebook(path) if path else "",
        format_points(report.decided.score) if report.decided else "",
        neutralize_formula("; ".join(list_decision_lines_for_staff(report))),
    ]
