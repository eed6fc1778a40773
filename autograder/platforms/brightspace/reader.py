"""Read Brightspace's download of an assignment: a folder for each time that a student handed in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from autograder.platforms.common.download import Download
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.submissions.origin import Person, SubmissionOrigin

NAME = "brightspace"
OVERVIEW = "index.html"
"""The overview page that Brightspace puts beside the students' folders."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FOLDER = re.compile(
    r"(?P<user>\d+)-(?P<folder>\d+) - (?P<name>.+?)"
    r" - (?P<month>[A-Z][a-z]{2,8}) (?P<day>\d{1,2}), (?P<year>\d{4})"
    r" (?P<hour>\d{1,2})[:_]?(?P<minute>\d\d) (?P<half>[AP]M)",
    re.S,
)
"""A name may contain `` - ``, too; the last part is the time."""


class BrightspaceDownloadReader:
    """Reads "Download" of an assignment's submissions: a folder for each time that somebody handed in."""

    def recognises(self, download: Download) -> bool:
        """Return whether everything in the download is such a folder, or Brightspace's own overview."""
        names = [name for name in download.top_level_names if name != OVERVIEW]
        return bool(names) and all(FOLDER.fullmatch(name) and download.is_folder(name) for name in names)

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Yield a submission for each folder; several of one student are attempts.

        Raises:
            CallerFault: something else lies among the folders.
        """
        paths_by_folder: dict[str, list[str]] = {}
        for path in download.file_paths:
            paths_by_folder.setdefault(path.partition("/")[0], []).append(path)
        for name in download.top_level_names:
            match = FOLDER.fullmatch(name)
            if match and download.is_folder(name):
                yield _make_submission(match, paths_by_folder.get(name, []))
            elif name != OVERVIEW:
                advice = "name the zip as it was downloaded, in English"
                raise download.make_foreign_name_fault(name, "Brightspace", advice)


def _make_submission(match: re.Match[str], paths: list[str]) -> DownloadedSubmission:
    name, submission_time = match[0], _parse_folder_time(match)
    attempt = f"{submission_time:%Y-%m-%d %H:%M}" if submission_time else name.rpartition(" - ")[2]
    return DownloadedSubmission(
        name=f"{match['name']}_{match['user']}-{match['folder']}_{attempt.replace(' ', '_').replace(':', '-')}",
        origin=SubmissionOrigin(
            NAME,
            (Person(match["user"], match["name"]),),
            handed_in=submission_time,
            attempt=attempt,
            names=(name,),
        ),
        files={paths[0].removeprefix(f"{name}/"): paths[0]} if len(paths) == 1 else {},
        folder="" if len(paths) == 1 else name,
    )


def _parse_folder_time(match: re.Match[str]) -> datetime | None:
    """Return the time in a folder's name, without a zone; None where there is no such time."""
    hour = int(match["hour"]) % 12 + (12 if match["half"] == "PM" else 0)
    try:
        month = MONTHS.index(match["month"][:3].lower()) + 1
        return datetime(int(match["year"]), month, int(match["day"]), hour, int(match["minute"]))
    except ValueError:
        return None
