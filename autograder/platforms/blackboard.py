"""Read Blackboard Learn's downloads of assignments, and fill in its Grade Center's table.

The table: https://help.blackboard.com/Learn/Instructor/Original/Grade/Grading_Tasks/Work_Offline_With_Grade_Data. The
names of files in a download follow samples from others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download, convert_html_to_plain_text
from autograder.platforms.common.grade_column import GradeColumn, compute_grade_column_update
from autograder.platforms.common.platform_model import (
    ClassResults,
    DownloadedSubmission,
    ExportOptions,
    ExportResult,
    Platform,
)
from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.submissions.safe_paths import UnusablePath, require_safe_inner_path
from autograder.tables import EditableCsv
from autograder.text import make_file_name_collision_key

NAME_LINE = re.compile(r"Name:(?P<name>.*)\((?P<login>[^()]+)\)\s*")
NOTHING = "there is no student submission text data for this assignment."
LONGEST = 1000
"""Characters in a line that Blackboard wrote."""
ORIGINAL, STORED = "Original filename:", "Filename:"
MARKUP = re.compile(r"<(?:p|br|div|pre|span|li|strong|em)\b[^<>]*/?>", re.I)


@dataclass(frozen=True, slots=True)
class AttemptReceipt:
    """The content of the text file that Blackboard adds to each attempt; a field is empty where it says nothing."""

    name: str = ""
    login: str = ""
    text: str = ""
    """The text that the student typed instead of handing in a file."""
    original_name_by_file: dict[str, str] = field(default_factory=dict)
    """What each file was called, by its name in the download."""


def parse_receipt(receipt_content: bytes) -> AttemptReceipt:
    r"""Read a receipt.

    The student wrote some of it: the text, and the comments. So the owner is looked for only above the first empty
    line, and the files' names only below the last line ``Files:``.

    >>> parse_receipt(b"Name: Ada Lovelace (ada)\nAssignment: Engine\n\nComments:\nName: Bob (bob)\n").login
    'ada'
    """
    lines = receipt_content.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n")
    head = [line for line in (lines[: lines.index("")] if "" in lines else lines) if len(line) <= LONGEST]
    name_match = next((match for line in head[:20] if (match := NAME_LINE.fullmatch(line))), None)
    return AttemptReceipt(
        name_match["name"].strip() if name_match else "",
        name_match["login"] if name_match else "",
        _parse_typed_text(lines),
        _parse_original_names(lines),
    )


def _parse_typed_text(lines: list[str]) -> str:
    if "Submission Field:" not in lines:
        return ""
    field_lines = lines[lines.index("Submission Field:") + 1 :]
    text = "\n".join(
        field_lines[: field_lines.index("Comments:")] if "Comments:" in field_lines else field_lines
    ).strip("\n")
    if text.strip().casefold() == NOTHING:
        return ""
    return convert_html_to_plain_text(text) if MARKUP.search(text) else text


def _parse_original_names(lines: list[str]) -> dict[str, str]:
    files_lines = [number for number, line in enumerate(lines) if line == "Files:"]
    original_name_by_file, original_name = {}, ""
    for line in lines[files_lines[-1] + 1 :] if files_lines else []:
        text = line.strip()
        if text.startswith(ORIGINAL):
            original_name = text.removeprefix(ORIGINAL).strip()
        elif text.startswith(STORED) and original_name:
            original_name_by_file[text.removeprefix(STORED).strip()] = original_name
            original_name = ""
    return original_name_by_file


NAME = "blackboard"
FILE = re.compile(r"(?P<whose>.+?)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|(?P<receipt>\.txt))", re.S)
"""The first time in a name is Blackboard's; what comes after it is the student's."""


@dataclass
class _Attempt:
    """The files of one attempt, by their names in the download."""

    owner: str
    """The assignment, a ``_``, and the login; assignment and login may contain further ``_``."""
    time: str
    receipt: str = ""
    files: dict[str, str] = field(default_factory=dict)
    """By the name of each file in the download, the part of that name after the time."""


class BlackboardDownloadReader:
    """Reads "Assignment File Download" of the Grade Center."""

    def recognises(self, download: Download) -> bool:
        """Return whether every name has an attempt's form, and each attempt has its text file."""
        attempts = _list_attempts(download)
        return attempts is not None and bool(attempts) and all(attempt.receipt for attempt in attempts)

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Yield a submission for each attempt.

        Raises:
            CallerFault: something else lies among the files.
        """
        attempts = _list_attempts(download)
        if attempts is None:
            foreign_name = next(name for name in download.top_level_names if not _is_attempt_file(name, download))
            raise download.make_foreign_name_fault(foreign_name, "Blackboard", "name the zip as it was downloaded")
        receipts = [_read_receipt(attempt.receipt, download) for attempt in attempts]
        attempts_with_receipts = [*zip(attempts, receipts, strict=True)]
        titles = {
            attempt.owner.removesuffix(f"_{receipt.login}")
            for attempt, receipt in attempts_with_receipts
            if _is_receipt_of_attempt(attempt, receipt)
        }
        for attempt, receipt in attempts_with_receipts:
            yield _make_submission(attempt, receipt, titles)


def _is_attempt_file(name: str, download: Download) -> bool:
    return FILE.fullmatch(name) is not None and not download.is_folder(name)


def _list_attempts(download: Download) -> list[_Attempt] | None:
    attempt_by_key: dict[tuple[str, str], _Attempt] = {}
    for name in download.top_level_names:
        match = FILE.fullmatch(name)
        if match is None or download.is_folder(name):
            return None
        key = (match["whose"], match["when"])
        attempt = attempt_by_key.setdefault(key, _Attempt(*key))
        if match["receipt"]:
            attempt.receipt = name
        else:
            attempt.files[name] = match["file"]
    return list(attempt_by_key.values())


def _is_receipt_of_attempt(attempt: _Attempt, receipt: AttemptReceipt) -> bool:
    return bool(receipt.login) and attempt.owner.endswith(f"_{receipt.login}")


def _find_login(owner: str, titles: Iterable[str]) -> str:
    """Find the login of an attempt without receipt: the text after the assignment's name, known from other receipts.

    The text after the last ``_`` may be another student's login, so it is used only if no receipt tells the name.
    """
    logins = [owner.removeprefix(f"{title}_") for title in titles if owner.startswith(f"{title}_")]
    return logins[0] if len(logins) == 1 else owner.rpartition("_")[2]


def _make_submission(attempt: _Attempt, receipt: AttemptReceipt, titles: Iterable[str]) -> DownloadedSubmission:
    has_certain_owner = _is_receipt_of_attempt(attempt, receipt)
    login = receipt.login if has_certain_owner else _find_login(attempt.owner, titles)
    try:
        submission_time = datetime.strptime(attempt.time, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        submission_time = None
    names = (*([attempt.receipt] if attempt.receipt else []), *attempt.files)
    person = Person(login, receipt.name if has_certain_owner else "", login=login)
    return DownloadedSubmission(
        name=f"{login}_{attempt.time}",
        origin=SubmissionOrigin(NAME, (person,), handed_in=submission_time, attempt=attempt.time, names=names),
        files=_restore_names(attempt.files, receipt.original_name_by_file),
        texts={"value.py": receipt.text.encode()} if receipt.text.strip() and not attempt.files else {},
    )


def _read_receipt(name: str, download: Download) -> AttemptReceipt:
    """Read an attempt's text file; if it is missing or unreadable, return an empty receipt, and the class goes on."""
    try:
        return parse_receipt(download.read_file(name)) if name and name not in download.spoilt else AttemptReceipt()
    except CallerFault:
        return AttemptReceipt()


def _restore_names(files: dict[str, str], originals: dict[str, str]) -> dict[str, str]:
    """Map each file's name, as its student gave it or else as Blackboard made it, to its name in the download."""
    stored_name_by_name: dict[str, str] = {}
    for stored_name, name_part in files.items():
        preferred_names = [
            originals.get(stored_name, "").replace("\\", "/").rpartition("/")[2],
            name_part,
            stored_name,
        ]
        taken_keys = {make_file_name_collision_key(name) for name in stored_name_by_name}
        free_names = (
            name
            for name in preferred_names
            if _is_safe_file_name(name) and make_file_name_collision_key(name) not in taken_keys
        )
        stored_name_by_name[next(free_names, stored_name)] = stored_name
    return stored_name_by_name


def _is_safe_file_name(name: str) -> bool:
    try:
        return len(require_safe_inner_path(name).parts) == 1 and PurePosixPath(name).name == name
    except UnusablePath:
        return False


GRADES = re.compile(
    r"(?P<title>.*) \[Total Pts: (?P<maximum>\d+(?:[.,]\d+)?)(?: (?P<kind>\w+))?\]\s*\|(?P<id>\d+)\s*", re.S
)
"""``HW1 [Total Pts: 20 Score] |1234``; older releases leave the kind out.

Columns that Blackboard calculates have ``up to 20`` there, and are never written.
"""
WHO = "username"


def make_class_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Return the table with this class's points in it, to be uploaded under "Work Offline".

    Raises:
        CallerFault: there is no table, it is not the Grade Center's, or not just one column is the assignment's.
    """
    if options.sheet is None:
        raise CallerFault(
            "the Grade Center's table is missing",
            "export blackboard",
            "download it with Work Offline > Download, and name it with --gradebook",
        )
    sheet = EditableCsv(options.sheet, options.sheet_name or "the gradebook")
    header = sheet.rows[0].cells
    if WHO not in (cell.strip().casefold() for cell in header):
        raise CallerFault(
            "the table has no column Username", sheet.name, "download the Full Grade Center, with user information"
        )
    column, cell_by_row, export = compute_grade_column_update(sheet, _iterate_grade_columns(header), results, options)
    always_quote = sheet.get_raw_cells(0)[column].startswith('"')
    for row, cell in cell_by_row.items():
        sheet.set_cell(row, column, cell, always_quote=always_quote)
    name = options.sheet_name.replace("\\", "/").rpartition("/")[2] or "grades.csv"
    return replace(export, files={name: bytes(sheet)})


def _iterate_grade_columns(header: tuple[str, ...]) -> Iterator[GradeColumn]:
    for index, cell in enumerate(header):
        if title_match := GRADES.fullmatch(cell):
            points = float(title_match["maximum"].replace(",", "."))
            yield GradeColumn(
                index,
                title_match["title"],
                (cell, cell.strip(), f"|{title_match['id']}"),
                title_match["id"],
                points or None,
            )


platform = Platform(
    NAME,
    "Blackboard",
    reader=BlackboardDownloadReader(),
    class_writer=make_class_export,
    settings={"column": "the assignment's column: its title, its id, or the header's whole cell"},
)
