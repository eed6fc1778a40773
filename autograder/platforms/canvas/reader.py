"""Read the zip of "Download submissions"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby

from autograder.faults import CallerFault
from autograder.file_name_collisions import make_file_name_collision_key
from autograder.platforms.canvas.download_file_names import ParsedFileName, parse_packed_file_names
from autograder.platforms.canvas.typed_text import extract_typed_text_or_empty
from autograder.platforms.common.download import Download
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.safe_text import escape_for_display
from autograder.submissions.origin import Person, SubmissionOrigin

ZIP_NAME = re.compile(r".+_submissions(?: ?\([0-9]+\)|-[0-9]+)?\.zip")
"""Canvas's name for the zip, also with the number that a browser adds to a second download."""
FEWEST_DIGITS = 4
"""Least digits of a file's id. A plain folder may hold ``smith_2_3_value.py``; a Canvas of small ids needs --from."""
LATER_ATTEMPT_NAME = re.compile(
    r"(?P<name>value)-(?:[0-9]{1,3}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?P<ending>\.py|\.ipynb)"
)
"""The form that Canvas gives to a name that the student has used before."""


class CanvasDownloadReader:
    """Reads what Canvas packs; see ``download_file_names`` for how it names it."""

    def recognises(self, download: Download) -> bool:
        """Return whether the download is surely Canvas's.

        Every file must have a name of Canvas's form. Among files with certain ids, no file's id may occur twice or be
        small, and no user's id may have two names. Further, either the zip has Canvas's name, or there are several
        students whose numbers are not all dates: a plain folder can look like a single student's files from Canvas.
        """
        found, others = parse_packed_file_names(download.top_level_names)
        if others or any(map(download.is_folder, download.top_level_names)):
            return False
        found = [one for one in found if not one.is_uncertain]  # one student's name must not hide a class
        if not found:
            return False
        ids = [one.attachment_id for one in found if one.attachment_id]
        owners = {(one.user_id, one.owner_key) for one in found}
        users = {one.user_id for one in found}
        small = any(len(number) < FEWEST_DIGITS for number in ids)
        if small or len(ids) != len(set(ids)) or len(owners) != len(users):
            return False
        if ZIP_NAME.fullmatch(download.source.name):
            return True
        return len(users) > 1 and bool(ids) and not all(map(_is_date, users))

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Return the submissions in the download, one for each student or group.

        Raises:
            CallerFault: something in the download is not named as Canvas names files.
        """
        found, others = parse_packed_file_names(download.top_level_names)
        others += [one.packed_name for one in found if download.is_folder(one.packed_name)]
        if others:
            raise CallerFault(
                f"'{escape_for_display(others[0], 80)}' is not named as in a Canvas download",
                str(download.source),
                "take it out; or, if this is a folder of your own, say --from folder",
            )
        return list(_make_submissions(found, download))


def _make_submissions(found: Sequence[ParsedFileName], download: Download) -> Iterator[DownloadedSubmission]:
    def whose(one: ParsedFileName) -> tuple[str, str, bool, str]:
        return one.owner_key, one.user_id, one.is_anonymous, one.packed_name if one.is_uncertain else ""

    for (owner, user, hidden, alone), group in groupby(sorted(found, key=whose), whose):
        files = [*group]
        person = Person(name=alone) if alone else Person(id=user, name=owner)  # a whole file name is unique
        origin = SubmissionOrigin(
            "canvas",
            people=() if hidden else (person,),
            marked_late=any(one.is_late for one in files),
            names=tuple(one.packed_name for one in files),
        )
        name = f"{'anon' if hidden else owner}_{user}" + (f"_{files[0].attachment_id}" if alone else "")
        text = _typed(files, download)
        if text:
            yield DownloadedSubmission(name, origin, texts={"value.py": text.encode()})
        else:
            yield DownloadedSubmission(name, origin, files=_files(files))


def _typed(files: Sequence[ParsedFileName], download: Download) -> str:
    """Return the program that was typed into Canvas; empty where anything else was handed in."""
    only = files[0]
    if len(files) > 1 or only.attachment_id or only.student_file_name != "text.html":
        return ""
    try:
        return extract_typed_text_or_empty(download.read_file(only.packed_name))
    except CallerFault:  # too large or damaged: reported to the student as for any other file
        return ""


def _files(files: Sequence[ParsedFileName]) -> dict[str, str]:
    """Map the student's name of each file to Canvas's; of two files called alike, the later one keeps its name."""
    placed: dict[str, str] = {}
    taken: set[str] = set()
    for one in sorted(files, key=lambda one: (len(one.attachment_id), one.attachment_id), reverse=True):
        name = (
            one.student_file_name
            if make_file_name_collision_key(one.student_file_name) not in taken
            else f"{one.attachment_id}_{one.student_file_name}"
        )
        taken.add(make_file_name_collision_key(name))
        placed[name] = one.packed_name
    return _strip_attempt_suffix(placed)


def _strip_attempt_suffix(placed: dict[str, str]) -> dict[str, str]:
    """Turn ``value-1.py``, a second attempt's file, back into ``value.py`` where the student has only that one."""
    again = [match for name in placed if (match := LATER_ATTEMPT_NAME.fullmatch(name))]
    if len(again) != 1 or any(make_file_name_collision_key(name) in ("value.py", "value.ipynb") for name in placed):
        return placed
    (match,) = again
    return {match["name"] + match["ending"] if name == match[0] else name: path for name, path in placed.items()}


def _is_date(user: str) -> bool:
    try:
        datetime.strptime(user, "%Y%m%d")
    except ValueError:
        return False
    return len(user) == 8
