"""Read nbgrader's ``submitted`` folder: ``<student>/<assignment>/...``, with a ``timestamp.txt`` in each."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.text import escape_for_display, make_file_name_collision_key

NAME = "nbgrader"
SUBMITTED = "submitted"
TIMESTAMP = "timestamp.txt"
NBGRADER_FILES = (TIMESTAMP, "submission_secret.txt")
"""What nbgrader itself puts beside a student's files."""
COURSE_FILES = frozenset({"gradebook.db", "nbgrader_config.py", "source"})
"""What lies beside ``submitted`` in a course's folder."""
WHEN = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)\s*(\S*)")
OFFSET = re.compile(r"([+-]\d\d):?(\d\d)")


DATABASE = "gradebook.db"
QUERY = "SELECT id, first_name, last_name, email FROM student"


def _read_nbgrader_persons_by_id(download: Download) -> dict[str, Person]:
    """Return the students that nbgrader knows, by id; none if there is no database, or it is not nbgrader's.

    Its table ``student`` has had these columns since nbgrader 0.5. Nothing is ever written to the database.
    """
    if DATABASE not in download.file_paths or DATABASE in download.spoilt:
        return {}
    try:
        uri = f"file:{quote(str((download.root / DATABASE).absolute()))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            rows = connection.execute(QUERY).fetchall()
    except sqlite3.Error:
        return {}
    return {
        student_id: Person(student_id, ", ".join(filter(None, (last_name, first_name))), email or "", student_id)
        for student_id, first_name, last_name, email in rows
    }


class NbgraderDownloadReader:
    """Reads a course's folder, its ``submitted``, or a zip of either."""

    def recognises(self, download: Download) -> bool:
        """Return whether there are only folders where nbgrader has folders, and nbgrader's own files confirm it."""
        base = _find_students_folder(download)
        inner_parts = [path.removeprefix(base).split("/") for path in download.file_paths if path.startswith(base)]
        inner_parts = [parts for parts in inner_parts if not _is_hidden(parts)]
        if not inner_parts or any(len(parts) < 3 for parts in inner_parts):
            return False
        timestamped_submissions = {
            (student, assignment)
            for student, assignment, name, *deeper_parts in inner_parts
            if name == TIMESTAMP and not deeper_parts
        }
        has_course_files = bool(base) and any(name in COURSE_FILES for name in download.top_level_names)
        return has_course_files or (
            bool(timestamped_submissions)
            and timestamped_submissions == {(student, assignment) for student, assignment, *_ in inner_parts}
        )

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Yield the submissions to one assignment.

        Raises:
            CallerFault: there is no such tree, or it holds several assignments and the download's name is not one
                of theirs.
        """
        base = _find_students_folder(download)
        paths_by_submission: dict[tuple[str, str], list[str]] = {}
        for path in download.file_paths:
            parts = path.removeprefix(base).split("/")
            if path.startswith(base) and len(parts) > 2 and not _is_hidden(parts):
                paths_by_submission.setdefault((parts[0], parts[1]), []).append(path)
        if not paths_by_submission:
            raise CallerFault(
                "the folder holds no submitted/<student>/<assignment>/",
                str(download.source),
                "name the course's folder",
            )
        assignment = _choose_assignment({name for _, name in paths_by_submission}, download)
        person_by_id = _read_nbgrader_persons_by_id(download)
        for (student, name), paths in paths_by_submission.items():
            if name == assignment:
                person = person_by_id.get(student, Person(student, login=student))
                yield _make_submission(download, person, f"{base}{student}/{name}", paths)


def _find_students_folder(download: Download) -> str:
    """Return where the students' folders begin: a path that ends with a slash, or an empty one."""
    is_students_folder = download.root.name == SUBMITTED or not download.is_folder(SUBMITTED)
    return "" if is_students_folder else f"{SUBMITTED}/"


def _is_hidden(parts: list[str]) -> bool:
    return any(part.startswith(".") for part in parts[:2])


def _choose_assignment(names: set[str], download: Download) -> str:
    if len(names) == 1:
        return next(iter(names))
    path_keys = {
        make_file_name_collision_key(part) for part in (*download.source.absolute().parts, download.source.stem)
    }
    matching_names = [name for name in names if make_file_name_collision_key(name) in path_keys]
    if len(matching_names) == 1:
        return matching_names[0]
    shown_names = ", ".join(escape_for_display(name, 40) for name in sorted(names)[:8])
    first_name = escape_for_display(min(names), 40)
    raise CallerFault(
        f"the download holds several assignments: {shown_names}",
        str(download.source),
        f"zip one of them, and name the zip: zip -r '{first_name}.zip' submitted/*/'{first_name}'",
    )


def _make_submission(download: Download, person: Person, folder: str, paths: list[str]) -> DownloadedSubmission:
    timestamp_path = f"{folder}/{TIMESTAMP}"
    student_paths = [path for path in paths if path.removeprefix(f"{folder}/") not in NBGRADER_FILES]
    return DownloadedSubmission(
        name=person.id,
        origin=SubmissionOrigin(
            NAME,
            (person,),
            handed_in=_find_time(timestamp_path, download) if timestamp_path in paths else None,
            names=("/".join(folder.split("/")[-2:]),),
        ),
        files={student_paths[0].removeprefix(f"{folder}/"): student_paths[0]} if len(student_paths) == 1 else {},
        folder=folder if len(student_paths) > 1 else "",
    )


def _find_time(timestamp_path: str, download: Download) -> datetime | None:
    """Return when it was handed in; None if this student's timestamp cannot be read: the others' can."""
    try:
        return (
            try_parse_timestamp(download.read_file(timestamp_path)) if timestamp_path not in download.spoilt else None
        )
    except CallerFault:
        return None


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
    match = WHEN.fullmatch(file_content[:200].decode("utf-8", "replace").strip())
    if not match:
        return None
    day, time, zone = match.groups()
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
