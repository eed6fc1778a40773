"""Every call of a platform's code: what it raises by mistake, or answers as nobody may, is told as its own fault.

What it says on purpose, a ``Fault``, passes as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from autograder.batch.names import file_names
from autograder.faults import CallerFault, Fault
from autograder.platforms import answers
from autograder.platforms.blame import fault_of, found_at, is_ours, raised
from autograder.platforms.download import Download
from autograder.platforms.model import Arrival, Export, Given, Platform, Results, Sending
from autograder.platforms.registry import point_of
from autograder.reports import ScoreReport
from autograder.text import clean_name


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a platform, as it is told of."""

    name: str
    then: str
    """What came of its failing, or how to go on without it."""


ASKED = _Part("reader", "with --from PLATFORM only that one is asked")
READER = _Part("reader", "nothing was read")
WRITER = _Part("writer", "nothing was written")
UPLOADER = _Part("uploader", "what was sent until then stays sent: --upload --dry-run shows what is left")

CHECKER = _Part("checker", "nothing was sent")


def recognises(platform: Platform, download: Download) -> bool:
    """Ask a platform with a reader whether it takes a download for its own.

    Raises:
        Fault: its reader fails.
    """
    assert platform.reader is not None
    with _asking(platform, ASKED):
        return bool(platform.reader.recognises(download))


def arrivals_of(platform: Platform, download: Download) -> list[Arrival]:
    """Have a platform with a reader find the submissions in a download.

    Raises:
        CallerFault: it is not what the platform packs.
        Fault: its reader fails, or answers what cannot be.
    """
    assert platform.reader is not None
    with _asking(platform, READER):
        return answers.arrivals(platform.reader.read(download), download)


def files_of(platform: Platform, report: ScoreReport, given: Given) -> dict[str, bytes]:
    """Have a platform with a writer of reports make its files of one.

    Raises:
        CallerFault: a setting is missing or is none.
        Fault: its writer fails, or answers what cannot be.
    """
    assert platform.report_writer is not None
    with _asking(platform, WRITER, f", submission {clean_name(report.submission.id, 80)}"):
        return answers.files(platform.report_writer(report, given))


def export_of(platform: Platform, results: Results, given: Given) -> Export:
    """Make what a platform takes about a class; of one that knows runs alone, a folder a student.

    Raises:
        CallerFault: it takes nothing, or its table is missing or cannot be used.
        Fault: its writer fails, or answers what cannot be.
    """
    if platform.class_writer:
        with _asking(platform, WRITER):
            export = answers.export(platform.class_writer(results, given))
            answers.check_decisions(export, given)
            return export
    if platform.report_writer is None:
        raise CallerFault("takes no results", where=platform.name, advice="see `autograder export list`")
    written: dict[str, bytes] = {}
    folders = file_names(results.rows)
    for row in results.rows:
        made = files_of(platform, row.report, given)
        written |= {f"{folders[row.name]}/{name}": content for name, content in made.items()}
    return Export(written)


def sent(platform: Platform, results: Results, given: Given, dry_run: bool, progress: Sending) -> Export:
    """Send a class to a platform with an uploader, and return what became of it; see ``Uploader``.

    Raises:
        CallerFault: the platform does not let us in, or a setting is missing; nothing was sent.
        Fault: its uploader fails, or answers what cannot be.
    """
    assert platform.uploader is not None
    with _asking(platform, UPLOADER):
        return answers.export(platform.uploader(results, given, dry_run, progress))


def checked(platform: Platform, given: Given) -> list[str]:
    """Have a platform try its way in, and return what it found; nothing is sent.

    Raises:
        CallerFault: the platform does not let us in, a setting is missing, or it has no way in.
        Fault: its code fails.
    """
    if platform.checker is None:
        raise CallerFault("has no way in that could be checked", where=platform.name, advice="see `export list`")
    with _asking(platform, CHECKER):
        return [str(line) for line in platform.checker(given)]


@contextmanager
def _asking(platform: Platform, part: _Part, about: str = "") -> Iterator[None]:
    point = point_of(platform)
    found = f", {found_at(point)}" if point and not is_ours(point) else ""
    where = f"platform {platform.name}{found}{about}"
    try:
        yield
    except Fault:
        raise
    except answers.Absurd as why:
        raise fault_of(point, f"its {part.name} {why}", where, part.then) from why
    except (Exception, SystemExit) as error:
        if is_ours(point) and isinstance(error, OSError) and error.filename:
            raise  # a file of the caller's that cannot be read, and no bug: told as everywhere in the kit
        raise fault_of(point, f"its {part.name} raised {raised(error, point)}", where, part.then) from error
