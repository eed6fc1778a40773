"""Import a platform's download: preview whose each file is, then queue all of them."""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask import render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage

from autograder.batch.batch_location import IMPORTS
from autograder.course import Assignment
from autograder.course.deadline_rules import InvalidTime, parse_typed_time
from autograder.faults import CallerFault, Fault
from autograder.files import make_output_folder, open_new_output_file
from autograder.platforms.common.export_files import make_zip
from autograder.platforms.common.opened_submissions import PLAIN, list_readable_platform_names, open_class_submissions
from autograder.roster.roster import Roster
from autograder.store.audit import AuditContext, AuditEvent
from autograder.submissions import SubmissionEntry
from autograder.web.people import is_well_formed_token, make_random_token
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.settings import CourseServerSettings
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import NewHandIn, make_owner_name
from autograder.web.store.server_store import ServerStore, open_server_store
from autograder.web.uploads import CLASS_CPU_SECONDS, SUFFIXES, ReadingStopped, make_safe_upload_name, read_apart


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
    def is_of_nobody_here(self) -> bool:
        """Return whether no submission is a student's of the course."""
        return not any(candidate.members for candidate in (*self.new, *self.known, *self.left_out))

    @property
    def digest(self) -> str:
        """Return a digest that identifies the plan in a form, so that a changed plan is noticed."""
        lines = [
            [*(member.login for member in candidate.members), candidate.sha256, str(candidate.handed_in)]
            for candidate in self.new
        ]
        return hashlib.sha256(json.dumps(lines).encode()).hexdigest()


def _plan_import(
    store: ServerStore,
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
            match = Roster.from_parsed_rows(store.roll.list_roster_rows(course)).match_entries_to_rows(entries)
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


pages = Pages("import_pages", __name__)
DOWNLOAD_BYTES = 100 * 2**20
"""How large a download may be."""
KEPT_SECONDS = 24 * 3600
"""How long a download is kept between its preview and its import."""
CHANGED = "The class changed since you looked: see what would be brought in now, then press the button again."
NOBODY = (
    "none of these submissions is of a student of this course (is this the download of another course? "
    "choose that of this one, or add its students under People)"
)
STOPPED = "The download takes too long to be read: bring in a part of it at a time."


@pages.on_get("/class/<assignment_name>/import", Permission.IMPORT)
def show_import_form(assignment_name: str) -> ResponseReturnValue:
    """Show the form."""
    return _render_form(current.assignment(assignment_name))


@pages.on_post("/class/<assignment_name>/import", Permission.IMPORT)
def preview_or_queue_import(assignment_name: str) -> ResponseReturnValue:
    """Preview a download; or, once the preview is confirmed, queue it."""
    assignment, form, store = current.assignment(assignment_name), request.form, current.store
    key = form.get("key", "")
    try:
        fallback_time = _parse_time((form.get("handed_in_typed") or form.get("handed_in", ""))[:100], assignment)
        upload = request.files.get("download")
        if upload is not None and upload.filename:
            key = _save_download(upload)
        path = _find_saved_download(key)
        platform_name, settings = form.get("platform", "")[:80], current.settings
        plan = read_apart(
            _plan_apart, settings, assignment, path, platform_name, fallback_time, cpu_seconds=CLASS_CPU_SECONDS
        )
    except ReadingStopped:
        return _render_form(assignment, STOPPED), 422
    except Fault as fault:
        return _render_form(assignment, str(fault)), 422
    except OSError as error:
        current.save_fault(str(error))
        return _render_form(assignment, "The server could not keep the download; perhaps its disk is full."), 503
    if plan.is_of_nobody_here:
        return _render_form(assignment, NOBODY, plan, key), 422
    if form.get("do") != "queue" or not plan.new or plan.has_submission_without_time:
        return _render_form(assignment, plan=plan, key=key)
    if form.get("digest") != plan.digest:
        return _render_form(assignment, CHANGED, plan, key), 409
    person = current.person
    context = AuditContext("import", person.audit_account, "", current.course_key, assignment.name)
    with store.group():
        # attempt limits do not apply, because the platform accepted these submissions
        submission_ids = [
            store.hand_ins.add_hand_in_unless_duplicate(
                NewHandIn(
                    current.course_key, assignment.name, one.members, one.file_name, one.content, one.handed_in,
                    is_import=True,
                )
            ).submission
            for one in plan.new
        ]  # fmt: skip
        after = f"from {plan.platform or 'a zip'}"
        events = [
            AuditEvent(changed_item="submission", student_label=one, submission=one, before="", after=after)
            for one in submission_ids
        ]
        store.audit.add_events(context, events, "decided", person.name)
    path.unlink(missing_ok=True)
    return see_other("staff_class_pages.show_class", assignment_name=assignment_name)


def _plan_apart(settings: CourseServerSettings, *arguments: Any) -> SubmissionImportPlan:
    """Return the plan for a download, with a store of its own: it is called in a reading process."""
    with open_server_store(settings.location) as store:
        return _plan_import(store, settings.location.class_key_in_store, *arguments)


def _save_download(upload: FileStorage) -> str:
    """Save a download until it is imported, and return its key; delete downloads older than ``KEPT_SECONDS``.

    Raises:
        CallerFault: it is no zip.
        OSError: it cannot be written.
    """
    folder = current.settings.location.output_folder / IMPORTS
    make_output_folder(folder)
    for path in folder.glob("*.zip"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink()
    key = make_random_token()
    path = folder / f"{key}.zip"
    with open_new_output_file(path) as file:
        upload.save(file)
    if path.read_bytes()[:2] != b"PK":
        path.unlink()
        raise CallerFault("the download is not a zip", advice="choose the zip as the platform made it")
    return key


def _find_saved_download(download_key: str) -> Path:
    """Return where a download is kept.

    Raises:
        CallerFault: there is none of that key.
    """
    path = current.settings.location.output_folder / IMPORTS / f"{download_key}.zip"
    if not is_well_formed_token(download_key) or not os.path.isfile(path):
        raise CallerFault("the download is missing", advice="choose the zip that you downloaded from the platform")
    return path


def _parse_time(text: str, assignment: Assignment) -> datetime | None:
    """Return the time for submissions whose time the download does not give; None if the text is blank.

    Raises:
        CallerFault: it is no time.
    """
    if not text.strip():
        return None
    try:
        return parse_typed_time(text, assignment.deadline_rules.default_zone or UTC)
    except InvalidTime as error:
        raise CallerFault(f"cannot read the time of submission: {error}", advice=error.advice) from error


def _render_form(
    assignment: Assignment, refusal: str = "", plan: SubmissionImportPlan | None = None, key: str = ""
) -> str:
    return render_template(
        "import.html.j2",
        assignment=assignment,
        platforms=list_readable_platform_names(),
        plain=PLAIN,
        refused=refusal,
        plan=plan,
        key=key,
        platform=request.form.get("platform", "")[:80],
        typed=request.form,
        zone=assignment.deadline_rules.default_zone or UTC,
        largest=DOWNLOAD_BYTES,
    )
