"""What a platform is to the kit: a reader of what it packs, and writers of what it takes. Bytes in, bytes out.

A course adds its own with an entry point of the group ``autograder.platforms`` that names a ``Platform``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from autograder.faults import CallerFault
from autograder.platforms.download import Download
from autograder.reports import ScoreReport
from autograder.submissions.origin import Origin


@dataclass(frozen=True, slots=True)
class Arrival:
    """One submission in a download."""

    name: str
    """What the batch calls it: the same whenever it is downloaded again, and no other's."""
    origin: Origin
    files: Mapping[str, str] = field(default_factory=dict)
    """What the student handed in: its path within the submission, and where it lies in the download."""
    folder: str = ""
    """Instead of ``files``: a folder of the download that is the submission as it is."""
    texts: Mapping[str, bytes] = field(default_factory=dict)
    """Files that the platform holds in another form, such as an online text: path within the submission, content."""


class Reader(Protocol):
    """Reads what a platform packs for its teachers."""

    def recognises(self, download: Download) -> bool:
        """Whether it is surely this platform's: a plain folder must never pass for one."""

    def read(self, download: Download) -> Iterable[Arrival]:
        """The submissions in it.

        Raises:
            CallerFault: it is not what the platform packs; the message says why, and what to download.
        """


@dataclass(frozen=True, slots=True)
class Result:
    """One submission's result, with what the batch knows of where it came from."""

    name: str
    """As in the gradebook."""
    report: ScoreReport
    points: float
    """What counts in the end, bonus as the teacher wishes, out of ``Results.max_points``."""
    origin: Origin | None = None
    people: tuple[Mapping[str, str], ...] = ()
    """The rows of the roster that it belongs to, by column; empty without a roster."""
    attempt_counts: bool = True
    """Whether it is the one of a student's attempts that counts."""


@dataclass(frozen=True, slots=True)
class Results:
    """A class, graded."""

    assignment: str
    title: str
    max_points: float
    rows: tuple[Result, ...]
    """In the order of the gradebook; faulty ones, where the grader itself failed, are not among them."""


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line hands a writer besides the results."""

    sheet: bytes | None = None
    """The table that the platform exported, which is to be filled in."""
    sheet_name: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    """``--set KEY=VALUE``, and what the environment says for the platform."""
    max_points: float | None = None
    """``--max-score``: full marks on the platform, where its own table does not say."""

    def one_of(self, key: str, *words: str) -> str:
        """A setting that is one of a few words; the first of them where nothing is set.

        Raises:
            CallerFault: it is none of them.
        """
        said = self.settings.get(key, "") or words[0]
        if said not in words:
            raise CallerFault(
                "is not understood", f"--set {key}={said}", f"say {', '.join(words[:-1])} or {words[-1]}"
            )
        return said


@dataclass(frozen=True, slots=True)
class Change:
    """What an export does to one student."""

    student: str
    before: str
    """The score on the platform; empty for none or an unknown one."""
    after: str
    note: str = ""
    """Why nothing is written, where that is so."""


@dataclass(frozen=True, slots=True)
class Export:
    """What a writer made; nothing is on the disk yet."""

    files: Mapping[str, bytes]
    """By name, relative to ``--out``; a single one may be written to ``--out`` itself."""
    changes: tuple[Change, ...] = ()
    unmatched: tuple[str, ...] = ()
    """Submissions that the platform's table has no student for, a sentence each."""
    missing: tuple[str, ...] = ()
    """Students of the platform's table without a result."""
    notes: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    """What was sent and not taken, a sentence each; only of an ``Uploader``."""


class ReportWriter(Protocol):
    """Writes what a platform reads after a run of its own about one submission."""

    def __call__(self, report: ScoreReport, given: Given) -> Mapping[str, bytes]:
        """The files, by name; one called ``stdout`` is what the run must print.

        Raises:
            CallerFault: a setting is missing or is none.
        """


class ClassWriter(Protocol):
    """Writes what a platform takes about a whole class."""

    def __call__(self, results: Results, given: Given) -> Export:
        """The files, and what they change.

        Raises:
            CallerFault: the platform's table is missing or cannot be used; the message names the line.
        """


class Uploader(Protocol):
    """Sends a class to the platform itself, where that has a way in for programs."""

    def __call__(self, results: Results, given: Given, dry_run: bool, progress: Callable[[int, int], None]) -> Export:
        """Send what changed.

        Args:
            results: the class.
            given: settings; what is secret comes from the environment.
            dry_run: ask what is there, and send nothing.
            progress: is told how many of how many students are done.

        Returns:
            What changed, or would; ``files`` is empty.

        Raises:
            CallerFault: the platform does not let us in, or a setting is missing; nothing was sent.
        """


@dataclass(frozen=True, slots=True)
class Platform:
    """One platform. What it does not offer is None."""

    name: str
    """In commands: lower case, a word."""
    title: str
    """As it calls itself."""
    reader: Reader | None = None
    report_writer: ReportWriter | None = None
    class_writer: ClassWriter | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """What ``--set`` understands: key and what it means, in a few words."""
    uploader: Uploader | None = None
