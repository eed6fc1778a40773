"""What tests of platforms are made of: downloads as they lie on the disk, and graded classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from autograder.platforms import (
    ClassResults,
    DownloadedSubmission,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
    require_platform,
)
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.reports import ScoreReport
from autograder.store.audit import AuditState, LastExportedValue, WrittenKey
from autograder.submissions import SubmissionOrigin
from tests.reports.sample import a_report

AWKWARD = (
    'O\'Brien, Pat "Paddy"',
    "Ada - Lovelace",
    "snake_case_name",
    "Jörg Müßig",
    "山田 太郎",
    "840137-90210",
    "=cmd|' C calc'!A0",
)
"""Names of students, all of them possible."""


EVERYBODYS = frozenset({"all"})
"""``--overwrite all``: for tests of what is written, and not of what is kept."""


def kept_of(made: ExportResult) -> dict[WrittenKey, LastExportedValue]:
    """What the kit knows of an export once it is written."""
    changes = [one for one in (*made.changes, *made.comments) if one.has_new_value]
    return {
        (one.what, one.place, one.student_key): LastExportedValue(
            one.before, one.after, one.seen, overwrote_decision=one.overwrites
        )
        for one in changes
    }


def laid_out(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder with files in it, by path."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def entries(source: Path, platform: str = "") -> dict[str, dict[str, str]]:
    """The class that a download becomes: each submission's files and their content."""
    with open_class_submissions(source, platform) as found:
        return {
            entry.name: {
                path.name if path == entry.path else path.relative_to(entry.path).as_posix(): path.read_text()
                for path in ([entry.path] if entry.path.is_file() else sorted(entry.path.rglob("*")))
                if path.is_file()
            }
            for entry in found.entries
        }


def by_name(arrivals: Iterable[DownloadedSubmission]) -> dict[str, DownloadedSubmission]:
    """Arrivals by their names, which are unique."""
    found = list(arrivals)
    names = {arrival.name: arrival for arrival in found}
    assert len(names) == len(found)
    return names


def result(
    name: str,
    points: float,
    origin: SubmissionOrigin | None = None,
    *people: Mapping[str, str],
    late: float = 0.0,
    files: tuple[str, ...] = (),
    report: ScoreReport | None = None,
) -> SubmissionResult:
    """A submission's result, out of 20, of the attempt that counts.

    Args:
        name: the submission's.
        points: that count.
        origin: where it came from.
        people: rows of the course's list.
        late: points that lateness took off.
        files: what was handed in.
        report: another one than of these points, late and files.
    """
    return SubmissionResult(name, report or _of_points(name, points, late, files), points, origin, people)


def _of_points(name: str, points: float, late: float, files: tuple[str, ...]) -> ScoreReport:
    report = a_report(bonus=0.0)
    return structs.replace(
        report,
        submission=structs.replace(report.submission, id=name, files=list(files)),
        score=points + late,
        final=structs.replace(report.final, score=points, bonus=0.0),
    )


def a_class(*rows: SubmissionResult, name: str = "hw1", title: str = "HW1", maximum: float = 20.0) -> ClassResults:
    """A graded class."""
    return ClassResults(name, title, maximum, rows)


def export_class(platform: str, sheet: bytes | None, *rows: SubmissionResult, **settings: str) -> ExportResult:
    """What a platform's writer makes of a class, with a table that the platform exported or none."""
    writer = require_platform(platform).class_writer
    assert writer is not None
    return writer(a_class(*rows), ExportOptions(sheet, "sheet.csv", settings))


@dataclass
class Told:
    """What an upload tells while it sends."""

    rows: list[list[str]] = field(default_factory=list)
    """What is sent of whose, as whom, and the answer as it comes."""
    done: list[tuple[int, int]] = field(default_factory=list)

    def __call__(self, done: int, of: int) -> None:
        self.done.append((done, of))

    def begin(self, changes: Sequence[ExportChange], as_account: str) -> Sequence[int]:
        self.rows += [[one.what, one.student_key, one.before, one.after, as_account] for one in changes]
        return range(len(self.rows) - len(changes), len(self.rows))

    def end(self, begun: Sequence[int], state: AuditState, answer: str) -> None:
        for row in begun:
            self.rows[row] += [state, answer]
