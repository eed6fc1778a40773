"""Define a platform: a reader of what it packs, and writers of what it takes. Bytes in, bytes out.

A course adds its own platform with an entry point of the group ``autograder.platforms`` that names a ``Platform``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from autograder.platforms.common.download import Download
from autograder.platforms.common.export_model import (
    ClassExport,
    ClassResults,
    ExportOptions,
    GradeChange,
    StudentResult,
)
from autograder.reports import ScoreReport
from autograder.store.audit_state import AuditState
from autograder.submissions.origin import SubmissionOrigin

__all__ = [
    "AccessChecker",
    "ClassExport",
    "ClassResults",
    "ClassWriter",
    "DownloadReader",
    "DownloadedSubmission",
    "ExportOptions",
    "GradeChange",
    "Platform",
    "ReportWriter",
    "StudentResult",
    "UploadObserver",
    "Uploader",
]


@dataclass(frozen=True, slots=True)
class DownloadedSubmission:
    """One submission in a download."""

    name: str
    """What the batch calls it: the same whenever it is downloaded again, and no other's."""
    origin: SubmissionOrigin
    files: Mapping[str, str] = field(default_factory=dict)
    """What the student handed in: its path within the submission, and where it lies in the download."""
    folder: str = ""
    """Instead of ``files``: a folder of the download that is the submission as it is."""
    texts: Mapping[str, bytes] = field(default_factory=dict)
    """Files that the platform holds in another form, such as an online text: path within the submission, content."""


class DownloadReader(Protocol):
    """Reads what a platform packs for its teachers."""

    def recognises(self, download: Download) -> bool:
        """Return whether the download is surely this platform's: a plain folder must never pass for one."""

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Return the submissions in the download.

        Raises:
            CallerFault: it is not what the platform packs; the message says why, and what to download.
        """


class ReportWriter(Protocol):
    """Writes what a platform reads after a run of its own about one submission."""

    def __call__(self, report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
        """Return the files, by name; a file called ``stdout`` is what the run must print.

        Raises:
            CallerFault: a setting is missing or invalid.
        """


class ClassWriter(Protocol):
    """Writes what a platform takes about a whole class."""

    def __call__(self, results: ClassResults, options: ExportOptions) -> ClassExport:
        """Return the files, and what they change.

        Raises:
            CallerFault: the platform's table is missing or cannot be used; the message names the line.
        """


class UploadObserver(Protocol):
    """What an uploader tells while it sends: the audit table has a row for each mark, whatever becomes of it."""

    def __call__(self, done: int, of: int) -> None:
        """Show how many of how many students are done."""

    def begin(self, changes: Sequence[GradeChange], as_account: str) -> Sequence[int]:
        """Note what is about to be sent, and put it on the disk.

        Args:
            changes: to one student's mark and comment.
            as_account: the account by which the platform knows the sender.

        Returns:
            What to give to ``end``.
        """

    def end(self, begun: Sequence[int], state: AuditState, answer: str) -> None:
        """Note the platform's answer."""


class Uploader(Protocol):
    """Sends a class to the platform itself, where that has a way in for programs."""

    def __call__(
        self, results: ClassResults, options: ExportOptions, dry_run: bool, progress: UploadObserver
    ) -> ClassExport:
        """Send what changed, one student after the other.

        Ask ``common.manual_decisions.hold_back_if_manual_decision`` about each change first.

        Args:
            results: the class.
            options: settings; secrets come from the environment.
            dry_run: ask what is there, and send nothing.
            progress: learns how many of how many students are done, and what is sent and answered for each.

        Returns:
            What changed, or would; ``files`` is empty.

        Raises:
            CallerFault: the platform does not let us in, or a setting is missing; nothing was sent.
        """


class AccessChecker(Protocol):
    """Tries the way into the platform; nothing is sent."""

    def __call__(self, options: ExportOptions) -> Iterable[str]:
        """Say what was found, a line each: address, account, course and assignment.

        Raises:
            CallerFault: one of them is missing or wrong.
        """


@dataclass(frozen=True, slots=True)
class Platform:
    """One platform. What it does not offer is None."""

    name: str
    """In commands: lower case, a word."""
    title: str
    """As it calls itself."""
    reader: DownloadReader | None = None
    report_writer: ReportWriter | None = None
    class_writer: ClassWriter | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """What ``--set`` understands besides ``bonus``: key and what it means, in a few words."""
    uploader: Uploader | None = None
    checker: AccessChecker | None = None
