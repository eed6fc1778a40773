"""Plan the import of a platform's download: the owner of each file, unknown owners, and files imported before."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograder.course import Assignment
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.platforms.common.zip_packing import make_zip
from autograder.roster.roster import Roster
from autograder.store.store import Store
from autograder.store.web.account_tables import Enrolment
from autograder.store.web.hand_in_model import NewHandIn, make_owner_name
from autograder.submissions import SubmissionEntry
from autograder.web.students.hand_in_upload_checks import SUFFIXES, make_safe_upload_name


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
        return any(candidate.handed_in is None for candidate in self.new)

    @property
    def digest(self) -> str:
        """Return a digest that identifies the plan in a form, so that a changed plan is noticed."""
        lines = [
            [*(member.login for member in candidate.members), candidate.sha256, str(candidate.handed_in)]
            for candidate in self.new
        ]
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
    students = store.accounts.list_students(course)
    student_by_login = {student.login: student for student in students}
    handed_in = {(one.owner, one.sha256) for one in store.hand_ins.list_hand_ins(course, assignment.name)}
    new, known, left_out = [], [], []
    with open_class_submissions(download_zip, platform_name_or_empty) as opened_submissions:
        entries = opened_submissions.entries
        disputes: tuple[str, ...] = ()
        if students:
            match = Roster.from_parsed_rows(map(_make_roster_row, students)).match_entries_to_rows(entries)
            entries, disputes = match.entries, match.disputes
        for entry in entries:
            candidate = _make_candidate(entry, student_by_login, assignment, fallback_hand_in_time)
            identity = make_owner_name(candidate.members), candidate.sha256
            if candidate.problem:
                left_out.append(candidate)
            elif identity in handed_in:
                known.append(candidate)
            else:
                handed_in.add(identity)  # a group's copy may be in each member's folder
                new.append(candidate)
        title = opened_submissions.platform.title if opened_submissions.platform else ""
    present_logins = {member.login for candidate in (*new, *known) for member in candidate.members}
    latest = datetime.max.replace(tzinfo=UTC)
    return SubmissionImportPlan(
        title,
        tuple(sorted(new, key=lambda candidate: candidate.handed_in or latest)),
        tuple(known),
        tuple(left_out),
        disputes,
        tuple(student for student in students if student.login not in present_logins),
    )


def queue_planned_hand_ins(
    store: Store, course: str, assignment: Assignment, plan: SubmissionImportPlan
) -> list[str]:
    """Queue the new submissions of a plan, each with its own time, and return the ids of the hand-ins.

    Attempt limits do not apply, because the platform accepted these submissions. An interrupted import can be
    repeated: submissions that were queued are known then.
    """
    new_hand_ins = [
        NewHandIn(
            course, assignment.name, one.members, one.file_name, one.content, handed_in=one.handed_in, is_import=True
        )
        for one in plan.new
    ]
    return [store.hand_ins.add_hand_in_unless_duplicate(new_hand_in).submission for new_hand_in in new_hand_ins]


def _make_candidate(
    entry: SubmissionEntry,
    student_by_login: dict[str, Enrolment],
    assignment: Assignment,
    fallback_hand_in_time: datetime | None,
) -> ImportCandidate:
    origin = entry.origin
    logins = [row["login"] for row in origin.roster] if origin else []
    teams = {student_by_login[login].team for login in logins} - {""}
    all_logins = [*logins, *(student.login for student in student_by_login.values() if student.team in teams)]
    members = tuple(student_by_login[login] for login in dict.fromkeys(all_logins))
    if not members:
        return ImportCandidate(entry.name, problem="no student of this course matches")
    file_name, content = ("", b"") if entry.reading_problem else _pack_submission(entry.path)
    problem = entry.reading_problem
    if not problem and not file_name:
        problem = "the submission holds no file"
    elif len(content) > assignment.limits.submission_mb * 2**20:
        problem = f"the submission is larger than {assignment.limits.submission_mb} MB"
    if problem:
        return ImportCandidate(entry.name, members, problem=problem)
    hand_in_time = origin.handed_in if origin else None
    if hand_in_time and hand_in_time.tzinfo is None:
        hand_in_time = hand_in_time.replace(tzinfo=assignment.deadline_rules.default_zone or UTC)
    time = hand_in_time or fallback_hand_in_time
    return ImportCandidate(entry.name, members, file_name, content, time.astimezone(UTC) if time else None)


def _pack_submission(path: Path) -> tuple[str, bytes]:
    """Return a submission's only file if its suffix is accepted, else a zip of all files; no name without any."""
    paths = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [file for file in paths if file.is_file() and not file.is_symlink()]
    if not files:
        return "", b""
    if len(files) == 1 and files[0].suffix.lower() in SUFFIXES:
        return make_safe_upload_name(files[0].name), files[0].read_bytes()
    return "submission.zip", make_zip(
        {file.relative_to(path).as_posix() if file != path else file.name: file.read_bytes() for file in files}
    )


def _make_roster_row(student: Enrolment) -> dict[str, str]:
    row = {"login": student.login, "name": student.name}
    return row | {"email": student.login} if "@" in student.login else row
