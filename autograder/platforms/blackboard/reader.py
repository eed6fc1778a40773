"""Read Blackboard's download of an assignment: all students' files lie in one folder, told apart by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from autograder.faults import CallerFault
from autograder.file_name_collisions import make_file_name_collision_key
from autograder.platforms.blackboard.attempt_receipt import AttemptReceipt, parse_receipt
from autograder.platforms.common.download import Download
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.submissions.safe_paths import UnusablePath, require_safe_inner_path

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
