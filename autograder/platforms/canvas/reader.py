"""Read the zip of "Download submissions"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby

from autograder.faults import CallerFault
from autograder.file_name_collisions import make_file_name_collision_key
from autograder.platforms.canvas.download_file_names import FileNameReading, parse_packed_file_names
from autograder.platforms.common.download import Download
from autograder.platforms.common.html_to_text import convert_html_to_plain_text
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.submissions.origin import Person, SubmissionOrigin

ZIP_NAME = re.compile(r".+_submissions(?: ?\([0-9]+\)|-[0-9]+)?\.zip")
"""Canvas's name for the zip, also with the number that a browser adds to a second download."""
FEWEST_DIGITS = 4
"""Least digits of a file's id. A plain folder may hold ``smith_2_3_value.py``; a Canvas of small ids needs --from."""
LATER_ATTEMPT_NAME = re.compile(
    r"(?P<name>value)-(?:[0-9]{1,3}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?P<ending>\.py|\.ipynb)"
)
"""The form that Canvas gives to a name that the student has used before."""
HEADING = "</h1>"
"""The end of Canvas's own heading of typed text: the assignment and the student's name."""


class CanvasDownloadReader:
    """Reads what Canvas packs; see ``download_file_names`` for how it names it."""

    def recognises(self, download: Download) -> bool:
        """Return whether the download is surely Canvas's.

        Every file must have a name of Canvas's form. Among files with certain ids, no file's id may occur twice or be
        small, and no user's id may have two names. Further, either the zip has Canvas's name, or there are several
        students whose numbers are not all dates: a plain folder can look like a single student's files from Canvas.
        """
        file_names, foreign_names = parse_packed_file_names(download.top_level_names)
        if foreign_names or any(map(download.is_folder, download.top_level_names)):
            return False
        # one student's name must not hide a class
        file_names = [file_name for file_name in file_names if not file_name.is_uncertain]
        if not file_names:
            return False
        attachment_ids = [file_name.attachment_id for file_name in file_names if file_name.attachment_id]
        owners = {(file_name.user_id, file_name.owner_key) for file_name in file_names}
        users = {file_name.user_id for file_name in file_names}
        has_small_id = any(len(number) < FEWEST_DIGITS for number in attachment_ids)
        if has_small_id or len(attachment_ids) != len(set(attachment_ids)) or len(owners) != len(users):
            return False
        if ZIP_NAME.fullmatch(download.source.name):
            return True
        return len(users) > 1 and bool(attachment_ids) and not all(map(_looks_like_date, users))

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Return the submissions in the download, one for each student or group.

        Raises:
            CallerFault: something in the download is not named as Canvas names files.
        """
        file_names, foreign_names = parse_packed_file_names(download.top_level_names)
        foreign_names += [
            file_name.packed_name for file_name in file_names if download.is_folder(file_name.packed_name)
        ]
        if foreign_names:
            advice = "take it out; or, if this is a folder of your own, say --from folder"
            raise download.make_foreign_name_fault(foreign_names[0], "Canvas", advice)
        return list(_make_submissions(file_names, download))


def _make_submissions(file_names: Sequence[FileNameReading], download: Download) -> Iterator[DownloadedSubmission]:
    def make_owner_key(file_name: FileNameReading) -> tuple[str, str, bool, str]:
        return (
            file_name.owner_key,
            file_name.user_id,
            file_name.is_anonymous,
            file_name.packed_name if file_name.is_uncertain else "",
        )

    for (owner, user, is_anonymous, uncertain_name), group in groupby(
        sorted(file_names, key=make_owner_key), make_owner_key
    ):
        files = [*group]
        # a whole file name is unique
        person = Person(name=uncertain_name) if uncertain_name else Person(id=user, name=owner)
        origin = SubmissionOrigin(
            "canvas",
            people=() if is_anonymous else (person,),
            marked_late=any(file.is_late for file in files),
            names=tuple(file.packed_name for file in files),
        )
        name = f"{'anon' if is_anonymous else owner}_{user}" + (
            f"_{files[0].attachment_id}" if uncertain_name else ""
        )
        text = _read_typed_text(files, download)
        if text:
            yield DownloadedSubmission(name, origin, texts={"value.py": text.encode()})
        else:
            yield DownloadedSubmission(name, origin, files=_map_files(files))


def _read_typed_text(files: Sequence[FileNameReading], download: Download) -> str:
    """Return the program that was typed into Canvas; empty where anything else was handed in."""
    first_file = files[0]
    if len(files) > 1 or first_file.attachment_id or first_file.student_file_name != "text.html":
        return ""
    try:
        return extract_typed_text(download.read_file(first_file.packed_name))
    except CallerFault:  # too large or damaged: reported to the student as for any other file
        return ""


def extract_typed_text(page: bytes) -> str:
    r"""Return the text as the student saw it, a line for each of its lines; empty where there is none.

    Args:
        page: HTML in UTF-8: Canvas's heading, and below it what the student typed, which may be anything.

    >>> extract_typed_text(b"<h1>Engine: Ada</h1><p>class Value:</p><p>&nbsp;&nbsp;pass</p>")
    'class Value:\n  pass\n'
    """
    text_before, heading, text_after = page.decode("utf-8", "replace").partition(HEADING)
    return convert_html_to_plain_text(text_after if heading else text_before)


def _map_files(files: Sequence[FileNameReading]) -> dict[str, str]:
    """Map the student's name of each file to Canvas's; of two files called alike, the later one keeps its name."""
    packed_names: dict[str, str] = {}
    used_keys: set[str] = set()
    for file in sorted(files, key=lambda file: (len(file.attachment_id), file.attachment_id), reverse=True):
        name = (
            file.student_file_name
            if make_file_name_collision_key(file.student_file_name) not in used_keys
            else f"{file.attachment_id}_{file.student_file_name}"
        )
        used_keys.add(make_file_name_collision_key(name))
        packed_names[name] = file.packed_name
    return _strip_attempt_suffix(packed_names)


def _strip_attempt_suffix(packed_names: dict[str, str]) -> dict[str, str]:
    """Turn ``value-1.py``, a second attempt's file, back into ``value.py`` where the student has only that one."""
    later_attempts = [match for name in packed_names if (match := LATER_ATTEMPT_NAME.fullmatch(name))]
    if len(later_attempts) != 1 or any(
        make_file_name_collision_key(name) in ("value.py", "value.ipynb") for name in packed_names
    ):
        return packed_names
    (match,) = later_attempts
    return {
        match["name"] + match["ending"] if name == match[0] else name: packed_name
        for name, packed_name in packed_names.items()
    }


def _looks_like_date(user_id: str) -> bool:
    try:
        datetime.strptime(user_id, "%Y%m%d")
    except ValueError:
        return False
    return len(user_id) == 8
