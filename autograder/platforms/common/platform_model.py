"""Define a platform: a reader of its downloads, and writers of the files that it imports. Bytes in, bytes out.

A course adds its own platform with an entry point of the group ``autograder.platforms`` that names a ``Platform``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from autograder.platforms.common.download import Download
from autograder.platforms.common.export_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.reports import ScoreReport
from autograder.store.audit_event_state import AuditState
from autograder.submissions.origin import SubmissionOrigin

__all__ = [
    "AccessChecker",
    "ClassResults",
    "ClassWriter",
    "DownloadReader",
    "DownloadedSubmission",
    "ExportChange",
    "ExportOptions",
    "ExportResult",
    "Platform",
    "ReportWriter",
    "SubmissionResult",
    "UploadObserver",
    "Uploader",
]


@dataclass(frozen=True, slots=True)
class DownloadedSubmission:
    """One submission in a download."""

    name: str
    """The submission's name in the batch: unique, and the same in every download."""
    origin: SubmissionOrigin
    files: Mapping[str, str] = field(default_factory=dict)
    """The submitted files: the path in the download of each, by its path within the submission."""
    folder: str = ""
    """Instead of ``files``: a folder of the download that is the submission as it is."""
    texts: Mapping[str, bytes] = field(default_factory=dict)
    """Files that the platform holds in another form, such as an online text: path within the submission, content."""


class DownloadReader(Protocol):
    """Reads a platform's download of submissions."""

    def recognises(self, download: Download) -> bool:
        """Return whether the download is certainly this platform's; a plain folder must never be recognised."""

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Return the submissions in the download.

        Raises:
            CallerFault: it is not a download of the platform; the message says why, and what to download.
        """


class ReportWriter(Protocol):
    """Writes the files that a platform reads after it ran the grader on one submission."""

    def __call__(self, report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
        """Return the files, by name; the run must print the content of a file called ``stdout``.

        Raises:
            CallerFault: a setting is missing or invalid.
        """


class ClassWriter(Protocol):
    """Writes the files that a platform imports for a whole class."""

    def __call__(self, results: ClassResults, options: ExportOptions) -> ExportResult:
        """Return the files, and what they change.

        Raises:
            CallerFault: the platform's table is missing or cannot be used; the message names the line.
        """


class UploadObserver(Protocol):
    """Observes an upload: shows its progress, and records each change and its answer in the audit table."""

    def __call__(self, done: int, of: int) -> None:
        """Show how many of how many students are done."""

    def begin(self, changes: Sequence[ExportChange], as_account: str) -> Sequence[int]:
        """Record and commit the changes that are about to be sent.

        Args:
            changes: to one student's mark and comment.
            as_account: the account by which the platform knows the sender.

        Returns:
            The value to pass to ``end``.
        """

    def end(self, begun: Sequence[int], state: AuditState, answer: str) -> None:
        """Record the platform's answer."""


class Uploader(Protocol):
    """Sends a class to the platform through its web service."""

    def __call__(
        self, results: ClassResults, options: ExportOptions, dry_run: bool, progress: UploadObserver
    ) -> ExportResult:
        """Send what changed, one student after the other.

        Ask ``common.manual_mark_protection.protect_manual_entries`` about each change first.

        Args:
            results: the class.
            options: settings; secrets come from the environment.
            dry_run: read the platform's present marks, and send nothing.
            progress: observes the number of students done, and each change and its answer.

        Returns:
            What changed, or would; ``files`` is empty.

        Raises:
            CallerFault: the platform refuses access, or a setting is missing; nothing was sent.
        """


class AccessChecker(Protocol):
    """Checks access to the platform's web service; nothing is sent."""

    def __call__(self, options: ExportOptions) -> Iterable[str]:
        """Return one line for each thing found: address, account, course and assignment.

        Raises:
            CallerFault: one of them is missing or wrong.
        """


@dataclass(frozen=True, slots=True)
class Platform:
    """One platform. What it does not offer is None."""

    name: str
    """The name in commands: one word in lower case."""
    title: str
    """The platform's official name."""
    reader: DownloadReader | None = None
    report_writer: ReportWriter | None = None
    class_writer: ClassWriter | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """The settings of ``--set`` besides ``bonus``: each key with a short description."""
    uploader: Uploader | None = None
    checker: AccessChecker | None = None
