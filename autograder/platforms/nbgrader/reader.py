"""Read nbgrader's ``submitted`` folder: ``<student>/<assignment>/...``, with a ``timestamp.txt`` in each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import PurePosixPath
from zoneinfo import ZoneInfo

from autograder.faults import CallerFault
from autograder.file_name_collisions import make_file_name_collision_key
from autograder.platforms.common.download import Download
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.platforms.nbgrader.student_database import read_nbgrader_persons_by_id_or_empty
from autograder.safe_text import escape_for_display
from autograder.submissions.origin import Person, SubmissionOrigin

NAME = "nbgrader"
SUBMITTED = "submitted"
TIMESTAMP = "timestamp.txt"
NBGRADER_FILES = (TIMESTAMP, "submission_secret.txt")
"""What nbgrader itself puts beside a student's files."""
COURSE_FILES = frozenset({"gradebook.db", "nbgrader_config.py", "source"})
"""What lies beside ``submitted`` in a course's folder."""
WHEN = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)\s*(\S*)")
OFFSET = re.compile(r"([+-]\d\d):?(\d\d)")


class NbgraderDownloadReader:
    """Reads a course's folder, its ``submitted``, or a zip of either."""

    def recognises(self, download: Download) -> bool:
        """Return whether there are only folders where nbgrader has folders, and nbgrader's own files confirm it."""
        base = _find_students_folder(download)
        below = [path.removeprefix(base).split("/") for path in download.file_paths if path.startswith(base)]
        below = [parts for parts in below if not _is_hidden(parts)]
        if not below or any(len(parts) < 3 for parts in below):
            return False
        stamped = {(one, two) for one, two, name, *rest in below if name == TIMESTAMP and not rest}
        beside = bool(base) and any(name in COURSE_FILES for name in download.top_level_names)
        return beside or (bool(stamped) and stamped == {(one, two) for one, two, *_ in below})

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Yield the submissions to one assignment.

        Raises:
            CallerFault: there is no such tree, or it holds several assignments and the download's name is not one
                of theirs.
        """
        base = _find_students_folder(download)
        found: dict[tuple[str, str], list[str]] = {}
        for path in download.file_paths:
            parts = path.removeprefix(base).split("/")
            if path.startswith(base) and len(parts) > 2 and not _is_hidden(parts):
                found.setdefault((parts[0], parts[1]), []).append(path)
        if not found:
            raise CallerFault(
                "the folder holds no submitted/<student>/<assignment>/",
                str(download.source),
                "name the course's folder",
            )
        assignment = _assignment({name for _, name in found}, download)
        known = read_nbgrader_persons_by_id_or_empty(download)
        for (student, name), paths in found.items():
            if name == assignment:
                person = known.get(student, Person(student, login=student))
                yield _make_submission(download, person, f"{base}{student}/{name}", paths)


def _find_students_folder(download: Download) -> str:
    """Return where the students' folders begin: a path that ends with a slash, or an empty one."""
    is_it = download.root.name == SUBMITTED or not download.is_folder(SUBMITTED)
    return "" if is_it else f"{SUBMITTED}/"


def _is_hidden(parts: list[str]) -> bool:
    return any(part.startswith(".") for part in parts[:2])


def _assignment(names: set[str], download: Download) -> str:
    if len(names) == 1:
        return next(iter(names))
    said = {make_file_name_collision_key(part) for part in (*download.source.absolute().parts, download.source.stem)}
    found = [name for name in names if make_file_name_collision_key(name) in said]
    if len(found) == 1:
        return found[0]
    seen = ", ".join(escape_for_display(name, 40) for name in sorted(names)[:8])
    first = escape_for_display(min(names), 40)
    raise CallerFault(
        f"the download holds several assignments: {seen}",
        str(download.source),
        f"zip one of them, and name the zip: zip -r '{first}.zip' submitted/*/'{first}'",
    )


def _make_submission(download: Download, person: Person, folder: str, paths: list[str]) -> DownloadedSubmission:
    stamp = f"{folder}/{TIMESTAMP}"
    work = [path for path in paths if path.removeprefix(f"{folder}/") not in NBGRADER_FILES]
    return DownloadedSubmission(
        name=person.id,
        origin=SubmissionOrigin(
            NAME,
            (person,),
            handed_in=_find_time(stamp, download) if stamp in paths else None,
            names=(_get_inner_path(folder),),
        ),
        files={work[0].removeprefix(f"{folder}/"): work[0]} if len(work) == 1 else {},
        folder=folder if len(work) > 1 else "",
    )


def _find_time(stamp: str, download: Download) -> datetime | None:
    """Return when it was handed in; None if this student's timestamp cannot be read: the others' can."""
    try:
        return try_parse_timestamp(download.read_file(stamp)) if stamp not in download.spoilt else None
    except CallerFault:
        return None


def _get_inner_path(folder: str) -> str:
    """Return ``<student>/<assignment>``."""
    return "/".join(PurePosixPath(folder).parts[-2:])


def try_parse_timestamp(file_content: bytes) -> datetime | None:
    """Return the moment in a ``timestamp.txt``; None if it cannot be read.

    Args:
        file_content: such as ``2015-02-02 14:58:23.948203 America/Los_Angeles``. The zone may be an offset from UTC.
            Without a zone, the time is in UTC, as nbgrader has it.

    >>> try_parse_timestamp(b"2015-02-02 14:58:23 America/Los_Angeles").isoformat()
    '2015-02-02T14:58:23-08:00'
    >>> try_parse_timestamp(b"2015-02-02 14:58:23").isoformat()
    '2015-02-02T14:58:23+00:00'
    """
    found = WHEN.fullmatch(file_content[:200].decode("utf-8", "replace").strip())
    if not found:
        return None
    day, time, zone = found.groups()
    try:
        moment = datetime.fromisoformat(f"{day} {time}")
        if offset := OFFSET.fullmatch(zone):
            moment = datetime.fromisoformat(f"{moment.isoformat()}{offset[1]}:{offset[2]}")
        else:
            moment = moment.replace(tzinfo=UTC if zone in ("", "Z", "UTC", "GMT") else ZoneInfo(zone))
        moment.astimezone(UTC)  # raises for the first and last hours of the calendar, which do not exist in UTC
        return moment
    except (ValueError, OverflowError, OSError, KeyError):
        return None
