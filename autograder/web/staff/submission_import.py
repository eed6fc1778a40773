"""Plan the import of a platform's download: the owner of each file, unknown owners, and files imported before."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograder.course import Assignment
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.roster.roster import Roster
from autograder.store.store import Store
from autograder.store.web.account_tables import Enrolment
from autograder.store.web.hand_in_table import NewHandIn, make_owner_name
from autograder.submissions import SubmissionEntry
from autograder.web.students.hand_in_upload_checks import SUFFIXES, make_safe_upload_name

DAY_ZERO = (1980, 1, 1, 0, 0, 0)
"""The timestamp of every file in a zip that is packed here, so that the same files give the same bytes."""


@dataclass(frozen=True, slots=True)
class ImportCandidate:
    """A submission of a download, and the students of the course who made it."""

    name: str
    """As the platform packed it."""
    members: tuple[Enrolment, ...] = ()
    """The students who handed it in; empty if unknown."""
    file_name: str = ""
    content: bytes = b""
    handed_in: datetime | None = None
    """None where neither the download nor the staff says when."""
    problem: str = ""
    """Why it is not imported; empty if it is."""

    @property
    def sha256(self) -> str:
        """Return the digest of the content."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class SubmissionImportPlan:
    """The submissions of a download that are imported, and those that are not."""

    platform: str
    """The platform's title; empty for a plain folder."""
    new: tuple[ImportCandidate, ...]
    """Submissions to be queued, by time."""
    known: tuple[ImportCandidate, ...]
    """Submissions whose exact bytes the same students handed in before, or that the download repeats."""
    left_out: tuple[ImportCandidate, ...]
    """Submissions that match no student here, or cannot be accepted."""
    disputes: tuple[str, ...]
    absent: tuple[Enrolment, ...]
    """Students without a usable submission in the download."""

    @property
    def has_submission_without_time(self) -> bool:
        """Return whether something has no time yet."""
        return any(one.handed_in is None for one in self.new)

    @property
    def digest(self) -> str:
        """Return a digest that identifies the plan in a form, so that a changed plan is noticed."""
        lines = [[*(member.login for member in one.members), one.sha256, str(one.handed_in)] for one in self.new]
        return hashlib.sha256(json.dumps(lines).encode()).hexdigest()


def plan_import(
    store: Store,
    course: str,
    assignment: Assignment,
    download_zip: Path,
    platform_name_or_empty: str,
    fallback_hand_in_time: datetime | None,
) -> SubmissionImportPlan:
    """Return the plan for a download; nothing is saved.

    Args:
        store: the open store.
        course: what the course is called in it.
        assignment: the assignment that it is handed in to.
        download_zip: the zip.
        platform_name_or_empty: the platform that it comes from, or ``folder``; detected when empty.
        fallback_hand_in_time: the time for submissions whose time the download does not give.

    Raises:
        CallerFault: it cannot be read, holds no submission, or may be more than one platform's.
        Fault: a platform's reader fails.
    """
    students = [one for one in store.accounts.list_enrolments(course) if one.role == "student"]
    by_login = {one.login: one for one in students}
    digests: dict[str, set[str]] = {}
    for one in store.hand_ins.list_hand_ins(course, assignment.name):
        digests.setdefault(one.owner, set()).add(one.sha256)
    new, known, left_out = [], [], []
    with open_class_submissions(download_zip, platform_name_or_empty) as opened:
        rows = [_make_row(one) for one in students]
        matched = Roster.from_rows(rows).match_entries_to_rows(opened.entries) if rows else None
        for entry in matched.entries if matched else opened.entries:
            found = _read_entry(entry, by_login, students, assignment, fallback_hand_in_time)
            if found.problem:
                left_out.append(found)
            elif found.sha256 in digests.get(make_owner_name(found.members), ()):
                known.append(found)
            else:
                # a group's copy may be in each member's folder
                digests.setdefault(make_owner_name(found.members), set()).add(found.sha256)
                new.append(found)
        title = opened.platform.title if opened.platform else ""
    there = {one.login for found in (*new, *known) for one in found.members}
    latest = datetime.max.replace(tzinfo=UTC)
    return SubmissionImportPlan(
        title,
        tuple(sorted(new, key=lambda one: one.handed_in or latest)),
        tuple(known),
        tuple(left_out),
        matched.disputes if matched else (),
        tuple(one for one in students if one.login not in there),
    )


def queue_planned_hand_ins(
    store: Store, course: str, assignment: Assignment, plan: SubmissionImportPlan
) -> list[str]:
    """Queue the new submissions of a plan, each with its own time, and return the ids of the hand-ins.

    Attempt limits do not apply, because the platform accepted these submissions. An interrupted import can be
    repeated: submissions that were queued are known then.
    """
    made = []
    for one in plan.new:
        new = NewHandIn(
            course=course,
            assignment=assignment.name,
            members=one.members,
            file_name=one.file_name,
            content=one.content,
            handed_in=one.handed_in,
        )
        made.append(store.hand_ins.add_hand_in_unless_same_still_waits(new).submission)
    return made


def _read_entry(
    entry: SubmissionEntry,
    by_login: dict[str, Enrolment],
    students: Sequence[Enrolment],
    assignment: Assignment,
    otherwise: datetime | None,
) -> ImportCandidate:
    origin = entry.origin
    logins = [row["login"] for row in origin.roster] if origin else []
    teams = {by_login[login].team for login in logins} - {""}
    together = [*logins, *(one.login for one in students if one.team in teams)]
    members = tuple(by_login[login] for login in dict.fromkeys(together))
    if not members:
        return ImportCandidate(entry.name, problem="no student of this course matches")
    if entry.reading_problem:
        return ImportCandidate(entry.name, members, problem=entry.reading_problem)
    packed = _pack(entry.path)
    if packed is None:
        return ImportCandidate(entry.name, members, problem="the submission holds no file")
    file_name, content = packed
    if len(content) > assignment.limits.submission_mb * 2**20:
        problem = f"the submission is larger than {assignment.limits.submission_mb} MB"
        return ImportCandidate(entry.name, members, problem=problem)
    said = origin.handed_in if origin else None
    if said and said.tzinfo is None:
        said = said.replace(tzinfo=assignment.deadline_rules.default_zone or UTC)
    moment = said or otherwise
    return ImportCandidate(entry.name, members, file_name, content, moment.astimezone(UTC) if moment else None)


def _pack(path: Path) -> tuple[str, bytes] | None:
    """Return a submission's only file if its suffix is accepted, else a zip of all its files; None if it has none."""
    files = [*_iterate_files(path)]
    if not files:
        return None
    if len(files) == 1 and files[0].suffix.lower() in SUFFIXES:
        return make_safe_upload_name(files[0].name), files[0].read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            name = file.relative_to(path).as_posix() if file != path else file.name
            archive.writestr(zipfile.ZipInfo(name, DAY_ZERO), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return "submission.zip", packed.getvalue()


def _iterate_files(path: Path) -> Iterator[Path]:
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    yield from (one for one in found if one.is_file() and not one.is_symlink())


def _make_row(student: Enrolment) -> dict[str, str]:
    row = {"login": student.login, "name": student.name}
    return row | {"email": student.login} if "@" in student.login else row
