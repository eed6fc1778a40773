"""Define a platform: a reader of its downloads, and writers of the files that it imports. Bytes in, bytes out.

A course adds its own platform with an entry point of the group ``autograder.platforms`` that names a ``Platform``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download
from autograder.reports import ScoreReport
from autograder.store.audit import AuditState, LastExportedValue, WrittenKey
from autograder.submissions.origin import SubmissionOrigin


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


@dataclass(frozen=True, slots=True)
class SubmissionResult:
    """One submission's result, with its origin."""

    name: str
    """As in the gradebook."""
    report: ScoreReport
    points: float
    """The final points, with the bonus as the teacher chose, out of ``ClassResults.max_points``."""
    origin: SubmissionOrigin | None = None
    people: tuple[Mapping[str, str], ...] = ()
    """The rows of the roster that it belongs to, by column; empty without a roster."""
    attempt_counts: bool = True
    """Whether it is the one of a student's attempts that counts."""


@dataclass(frozen=True, slots=True)
class ClassResults:
    """A class, graded."""

    assignment: str
    title: str
    max_points: float
    rows: tuple[SubmissionResult, ...]
    """The results in the order of the gradebook, without submissions on which the grader failed."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options that a writer gets besides the results."""

    sheet: bytes | None = None
    """The table that the platform exported, which is to be filled in."""
    sheet_name: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    """``--set KEY=VALUE``, and what the environment says for the platform."""
    max_points: float | None = None
    """``--max-score``: full marks on the platform, where its own table does not say."""
    sheet_state: str = ""
    """A fingerprint of the table file. If the last export had the same one, the table shows no upload since then."""
    written: Mapping[WrittenKey, LastExportedValue] = field(default_factory=dict)
    """What the kit wrote last, for ``common.manual_mark_protection.protect_manual_entries``."""
    overwrite: frozenset[str] = frozenset()
    """``--overwrite``: students whose marks and comments may be replaced although a person set them, or ``all``."""

    def get_choice_setting(self, setting_name: str, *words: str) -> str:
        """Return a setting that is one of a few words; the first of them where nothing is set.

        Raises:
            CallerFault: the setting is none of them.
        """
        value = self.settings.get(setting_name, "") or words[0]
        if value not in words:
            raise CallerFault(
                f"unknown value '{value}' of {setting_name}", "--set", f"choose from {', '.join(words)}"
            )
        return value


@dataclass(frozen=True, slots=True)
class ExportChange:
    """The effect of an export on one mark or comment of a student."""

    student: str
    before: str
    """The score on the platform; empty for none or an unknown one."""
    after: str
    note: str = ""
    """Why nothing is written; empty if something is."""
    id: str = ""
    """The platform's own id of the student; ``student`` where it is empty."""
    place: str = ""
    """Where on the platform, such as a column's id; empty where the platform does not say."""
    submission: str = ""
    what: Literal["mark", "comment"] = "mark"
    seen: str = ""
    """The platform's state with ``before``, such as the time of its last change; empty if unknown."""
    wanted: str = ""
    """The value that is held back because of a person's decision; empty if none is."""
    overwrites: bool = False
    """Whether a person set ``before``, and it is replaced because the staff allowed it."""
    decimals: int = 2
    """Decimals of marks that the platform shows, as far as its table tells: see ``decimal_places_inference``."""

    @property
    def has_new_value(self) -> bool:
        """Return whether anything is written."""
        return self.before != self.after

    @property
    def student_key(self) -> str:
        """Return the student's id in the kit's record."""
        return self.id or self.student


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The files that a writer made of a class's results, and what the platform changes when it takes them.

    Nothing is on the disk yet.
    """

    files: Mapping[str, bytes]
    """By name, relative to ``--out``; a single one may be written to ``--out`` itself."""
    changes: tuple[ExportChange, ...] = ()
    unmatched: tuple[str, ...] = ()
    """Submissions that the platform's table has no student for, a sentence each."""
    missing: tuple[str, ...] = ()
    """Students of the platform's table without a result."""
    notes: tuple[str, ...] = ()
    comments: tuple[ExportChange, ...] = ()
    """Comments that stand beside the marks, as far as the platform has a place for one that can be replaced."""
    failed: tuple[str, ...] = ()
    """What was sent and not taken, a sentence each; only of an ``Uploader``."""


class DownloadReader(Protocol):
    """Reads a platform's download of submissions."""

    def recognises(self, download: Download) -> bool:
        """Return whether the download is certainly this platform's; a plain folder must never be recognised."""

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Return the submissions in the download.

        Raises:
            CallerFault: it is not a download of the platform; the message says why, and what to download.
        """


ReportWriter = Callable[[ScoreReport, ExportOptions], Mapping[str, bytes]]
"""Writes the files that a platform reads after it ran the grader on one submission, by name.

The run must print the content of a file called ``stdout``. It raises a ``CallerFault`` if a setting is missing or
invalid.
"""
ClassWriter = Callable[[ClassResults, ExportOptions], ExportResult]
"""Writes the files that a platform imports for a whole class.

It raises a ``CallerFault`` if the platform's table is missing or cannot be used; the message names the line.
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


Uploader = Callable[[ClassResults, ExportOptions, bool, UploadObserver], ExportResult]
"""Sends what changed to the platform through its web service, one student after the other.

It asks ``common.manual_mark_protection.protect_manual_entries`` about each change first. Secrets come from the
environment. If the third argument is true, it reads the platform's present marks and sends nothing. The observer
hears of students done, and of each change and its answer. It returns what changed, or would, without files. It raises
a ``CallerFault`` if the platform refuses access or a setting is missing; nothing was sent then.
"""
AccessChecker = Callable[[ExportOptions], Iterable[str]]
"""Checks access to the platform's web service: a line each for address, account, course and assignment.

Nothing is sent. It raises a ``CallerFault`` if one of them is missing or wrong.
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
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The words that such a setting may be, for forms; the first one is meant where nothing is said."""
    uploader: Uploader | None = None
    checker: AccessChecker | None = None
