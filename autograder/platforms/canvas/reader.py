"""Read the zip of "Download submissions", whose names tell the owner of each file.

``lovelaceada_LATE_12345_67890_value.py`` is the name in lower-case letters, ``LATE`` if it was late, the ids of user
and file, and the file's own name. With hidden names, Canvas writes ``anon_aB3dE_67890_value.py``; for typed text,
it writes ``lovelaceada_12345_text.html``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download, convert_html_to_plain_text
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.text import make_file_name_collision_key

REST = r"(?:(?P<attachment>[0-9]+)_(?P<shown>.+)|(?P<typed>text\.html|link\.html))"
IDS = re.compile(rf"(?P<late>LATE_)?(?P<user>[0-9]+)_{REST}", re.S)
HIDDEN = re.compile(rf"(?P<late>LATE_)?anon_(?P<user>[0-9A-Za-z]+)_(?P<late_too>LATE_)?{REST}", re.S)
OWNER = re.compile("[a-z0-9_\x80-\U0010ffff]*")
"""The characters that Canvas keeps of a name. Letters beyond ASCII are not compared: a zip may garble them."""
FEWEST_DIGITS = 4
"""Least digits of a file's id. A plain folder may hold ``smith_2_3_value.py``; a Canvas of small ids needs --from."""
WORD = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Pc"})
"""Kinds of characters that Canvas leaves."""


@dataclass(frozen=True, slots=True)
class FileNameReading:
    """One file, as its name can be read."""

    packed_name: str
    owner_key: str
    """The student's or group's name in Canvas's short form; empty if Canvas hides it."""
    user_id: str
    """The user's id; if names are hidden, the id that stands for the user in this assignment."""
    is_late: bool
    attachment_id: str
    """The file's id; empty for text that was typed into Canvas."""
    student_file_name: str
    """The student's name for the file; ``text.html`` and ``link.html`` for typed text and links."""
    is_anonymous: bool = False
    """Whether Canvas does not say whose it is."""
    is_uncertain: bool = False
    """Whether the ids may be another's."""


def parse_possible_readings(file_name: str) -> list[FileNameReading]:
    """Return every way to read a name, Canvas's own first: students' and files' names may hold numbers too.

    >>> (reading,) = parse_possible_readings("lovelaceada_LATE_12345_67890_value.py")
    >>> reading.owner_key, reading.user_id, reading.is_late, reading.student_file_name
    ('lovelaceada', '12345', True, 'value.py')
    """
    readings = []
    for position in (match.start() for match in re.finditer("_", file_name)):
        ids = IDS.fullmatch(file_name, position + 1)
        if ids and OWNER.fullmatch(file_name, 0, position):
            readings.append(_make_file_name(file_name, file_name[:position], ids, bool(ids["late"])))
    return readings


def try_parse_anonymous_name(file_name: str) -> FileNameReading | None:
    """Read a name as one that hides its owner; None if it is not.

    >>> try_parse_anonymous_name("anon_aB3dE_67890_value.py").user_id
    'aB3dE'
    """
    ids = HIDDEN.fullmatch(file_name)
    return (
        _make_file_name(file_name, "", ids, bool(ids["late"] or ids["late_too"]), is_anonymous=True) if ids else None
    )


def parse_packed_file_names(file_names: Sequence[str]) -> tuple[list[FileNameReading], list[str]]:
    """Read the names of a download together, because some names are ambiguous without the others.

    Returns:
        The readings of Canvas's names, and the names that are not Canvas's, each in the order given.
    """
    anonymous_by_name = {name: reading for name in file_names if (reading := try_parse_anonymous_name(name))}
    if len(anonymous_by_name) == len(file_names) and any(
        not reading.user_id.isdecimal() for reading in anonymous_by_name.values()
    ):
        return [*anonymous_by_name.values()], []
    readings_by_name = {
        name: parse_possible_readings(name) or [reading for reading in [anonymous_by_name.get(name)] if reading]
        for name in file_names
    }
    readings = [_choose_reading(name_readings) for name_readings in readings_by_name.values() if name_readings]
    return readings, [name for name in file_names if not readings_by_name[name]]


def make_canvas_owner_key(owner_name: str) -> str:
    """Return a student's name as Canvas puts it in front of a file.

    >>> make_canvas_owner_key("Lovelace, Ada"), make_canvas_owner_key("Ada_2_")
    ('lovelaceada', 'ada2')
    """
    plain_name = re.sub(r"_([0-9]+)_", r"\1", owner_name)
    return "".join(
        letter for letter in make_file_name_collision_key(plain_name) if unicodedata.category(letter)[:2] in WORD
    )


def _choose_reading(readings: Sequence[FileNameReading]) -> FileNameReading:
    """Return Canvas's own reading of a name, the first; an uncertain one if another may be right.

    A student's own name may end in a number, and so pass for another's. Then the second reading has the file's id. An
    uncertain file counts as late if any reading says so.
    """
    first, *later_readings = readings
    if any(not one.attachment_id or len(one.attachment_id) >= FEWEST_DIGITS for one in later_readings):
        return replace(first, is_uncertain=True, is_late=any(reading.is_late for reading in readings))
    return first


def _make_file_name(
    file_name: str, owner_key: str, ids: re.Match[str], is_late: bool, is_anonymous: bool = False
) -> FileNameReading:
    return FileNameReading(
        file_name,
        owner_key,
        ids["user"],
        is_late,
        ids["attachment"] or "",
        ids["shown"] or ids["typed"],
        is_anonymous,
    )


ZIP_NAME = re.compile(r".+_submissions(?: ?\([0-9]+\)|-[0-9]+)?\.zip")
"""Canvas's name for the zip, also with the number that a browser adds to a second download."""
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
        return _extract_typed_text(download.read_file(first_file.packed_name))
    except CallerFault:  # too large or damaged: reported to the student as for any other file
        return ""


def _extract_typed_text(page: bytes) -> str:
    r"""Return the text as the student saw it, a line for each of its lines; empty where there is none.

    Args:
        page: HTML in UTF-8: Canvas's heading, and below it what the student typed, which may be anything.

    >>> _extract_typed_text(b"<h1>Engine: Ada</h1><p>class Value:</p><p>&nbsp;&nbsp;pass</p>")
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
