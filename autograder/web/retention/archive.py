"""Pack a term, or all data of one student, into one zip that can be read without the kit."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from autograder.batch.batch_location import GRADEBOOK, BatchLocation
from autograder.batch.output_files import assign_file_names, make_safe_file_name, write_gradebook
from autograder.batch.personalized_reports import (
    find_result_in_force,
    iterate_personalized_reports,
    load_report_context,
    personalize_report,
)
from autograder.course import Assignment, Course
from autograder.course.deadline_rules import DeadlineRules
from autograder.faults import MACHINE_ERROR_NUMBERS, CallerFault, KitFault, make_file_fault
from autograder.files import make_unfinished_path, open_new_output_file, resolve_output_file, temporary_folder
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.report_files import encode_report_json
from autograder.reports.report_model import filter_report_for_student
from autograder.store.results.graded_class_table import StoredGradedClass, StoredSubmissionEntry
from autograder.store.results.result_model import unpack_report
from autograder.web.retention.erasure import find_result_paths, read_gradebook_header_and_rows
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.people.student import StoredStudent, StudentSubmissionEntry
from autograder.web.store.server_store import ServerStore

OpenSubmissionPaths = Callable[[StoredGradedClass], AbstractContextManager[Mapping[str, Path]]]
"""Yields the path of each submission of a class by its name, as far as they are still there."""


@dataclass
class ArchiveWriter:
    """A zip that is being written, with the digests of its files."""

    archive: zipfile.ZipFile
    open_submission_paths: OpenSubmissionPaths
    digests: dict[str, str] = field(default_factory=dict)
    missing_submissions: list[str] = field(default_factory=list)
    """Submissions whose files are gone, and so are not in the zip."""
    was_there: bool = False
    """Whether an earlier run wrote an archive with the same files, which stays as it is."""

    def add_file(self, archive_path: str, file_content: bytes) -> None:
        """Add a file; if its name is taken, add it under another name."""
        while archive_path in self.digests:
            archive_path = f"{archive_path}~"
        self.archive.writestr(archive_path, file_content)
        self.digests[archive_path] = hashlib.sha256(file_content).hexdigest()

    def add_json(self, archive_path: str, json_data: object) -> None:
        """Add data as indented JSON."""
        text = json.dumps(json_data, indent=1, ensure_ascii=False, default=str)
        self.add_file(archive_path, text.encode("utf-8", "backslashreplace") + b"\n")

    def add_submissions(
        self,
        store: ServerStore,
        folder: str,
        hand_ins: Iterable[HandIn],
        stored_class: StoredGradedClass | None,
        entries: Iterable[StoredSubmissionEntry],
    ) -> None:
        """Add submissions to one assignment: those of the web from the store, others as far as they still exist."""
        from_web = set()
        for hand_in in hand_ins:
            from_web.add(hand_in.submission)
            name = f"{make_safe_file_name(hand_in.submission)}/{make_safe_file_name(hand_in.file_name)}"
            self.add_file(f"{folder}/{name}", store.hand_ins.load_content(hand_in))
        with self.open_submission_paths(stored_class) if stored_class else nullcontext({}) as path_by_submission:
            for entry in entries:
                if entry.name in from_web:
                    continue
                files = _read_archive_entries(entry.name, path_by_submission.get(entry.name, entry.path))
                if files is None:
                    self.missing_submissions.append(entry.name)
                for name, content in files or ():
                    self.add_file(f"{folder}/{name}", content)


def _read_archive_entries(submission_name: str, path: Path) -> list[tuple[str, bytes]] | None:
    """Return the files of a submission, each with its path in a zip, which tells whose it is; None if all are gone.

    A file that is called as the submission, such as ``ada.py``, keeps its name. Any other one is put into a folder
    that is called as the submission: many platforms' files are all called ``value.py``. Links are skipped.

    Raises:
        CallerFault: a file cannot be read.
    """
    try:
        if not path.exists():
            return None
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        return [
            (_make_archive_name(submission_name, path, file), file.read_bytes())
            for file in files
            if file.is_file() and not file.is_symlink()
        ]
    except OSError as error:
        raise make_file_fault(error, error.filename or path) from error


def _make_archive_name(submission_name: str, path: Path, file: Path) -> str:
    """Return a name that a zip can hold: UTF-8, without characters that some programs refuse."""
    is_single = file == path
    folders = () if is_single and submission_name in (path.stem, path.name) else (submission_name,)
    inner_names = (path.name,) if is_single else file.relative_to(path).parts
    return "/".join(map(make_safe_file_name, (*folders, *inner_names)))


MANIFEST = "manifest.json"
README_NAME = "README.txt"
README = """\
A term of {title}, archived {now} by kit {kit}.

people.json                      who was in the course, and as what
course/                          grading.yml as it was in the end
ASSIGNMENT/gradebook.csv         a row for each submission
ASSIGNMENT/reports/              the whole reports, for the staff alone
ASSIGNMENT/submissions/          what was handed in
ASSIGNMENT/hand-ins.json         when it came in on the web, with its SHA-256
ASSIGNMENT/decisions.json        what people decided, and why
ASSIGNMENT/inquiries.json        questions and answers
ASSIGNMENT/audit.json            everything that changed or sent a mark
audit.json                       what was changed or sent by LTI besides
manifest.json                    every file of this archive with its SHA-256
"""
HAND_IN_FIELDS = ("submission", "owner", "attempt", "file_name", "handed_in", "sha256", "state", "problem")


def _fill_term_archive(
    made: ArchiveWriter, store: ServerStore, location: BatchLocation, course: Course, assignments: list[str]
) -> None:
    """Add everything of a course to an archive.

    Raises:
        CallerFault: one of ``assignments``, which have data, is not in the course.
    """
    now, kit = datetime.now(UTC).isoformat(timespec="seconds"), get_kit_version_with_code_digest()
    made.add_file(README_NAME, README.format(title=course.title or course.folder.name, now=now, kit=kit).encode())
    made.add_json("people.json", store.terms.export_people(location.class_key_in_store))
    made.add_json("audit.json", store.terms.list_audit_records_for_export(location.class_key_in_store, ""))
    config = course.folder / "grading.yml"
    if config.is_file():
        made.add_file("course/grading.yml", config.read_bytes())
    known = {one.name: one for one in course.assignments}
    for name in assignments:
        described: dict[str, Callable[[str, str], object]] = {
            "decisions": store.terms.export_decisions,
            "inquiries": store.terms.list_inquiry_records,
            "audit": store.terms.list_audit_records_for_export,
        }
        for kind, describe in described.items():
            made.add_json(f"{name}/{kind}.json", describe(location.class_key_in_store, name))
        if name not in known:
            raise CallerFault(
                f"results exist for '{name}', which is not an assignment of this course",
                advice="name the course that it belongs to with --course",
            )
        _add_submissions(made, store, location, known[name])
        _add_results(made, store, location, known[name])
    made.add_json(
        MANIFEST,
        {"archived_at": now, "kit": kit, "sha256": made.digests, "missing_submissions": made.missing_submissions},
    )


def _add_submissions(
    made: ArchiveWriter, store: ServerStore, location: BatchLocation, assignment: Assignment
) -> None:
    """Add the submissions: bytes from the store, or the files of a batch that still exist."""
    course_key = location.class_key_in_store
    hand_ins = store.hand_ins.list_hand_ins(course_key, assignment.name)
    made.add_json(
        f"{assignment.name}/hand-ins.json",
        [
            {name: getattr(one, name) for name in HAND_IN_FIELDS} | {"handed_in": one.handed_in.isoformat()}
            for one in hand_ins
        ],
    )
    stored = store.classes.find_last_graded_class(course_key, assignment.name)
    entries = store.classes.iterate_entries(stored) if stored else ()
    made.add_submissions(store, f"{assignment.name}/submissions", hand_ins, stored, entries)


def _add_results(made: ArchiveWriter, store: ServerStore, location: BatchLocation, assignment: Assignment) -> None:
    stored = store.classes.find_last_graded_class(location.class_key_in_store, assignment.name)
    if stored is None:
        return
    context = load_report_context(store, stored, assignment.deadline_rules)
    names = assign_file_names(entry.name for entry in store.classes.iterate_entries(stored))
    for one in iterate_personalized_reports(store, stored, context):
        made.add_file(f"{assignment.name}/reports/{names[one.entry.name]}.json", encode_report_json(one.report))
    with temporary_folder("archive") as folder:
        path = folder / GRADEBOOK
        reports = (one.report for one in iterate_personalized_reports(store, stored, context))
        write_gradebook(reports, assignment, path, context)
        made.add_file(f"{assignment.name}/{GRADEBOOK}", path.read_bytes())


def write_term_archive(
    store: ServerStore,
    batch_location: BatchLocation,
    course: Course,
    archive_path: Path,
    open_submission_paths: OpenSubmissionPaths,
) -> ArchiveWriter:
    """Write all stored data of a course into one zip, and return what is in it and what is missing.

    The zip is read back before it gets its name. A zip of an earlier run that holds the same stays, so that a stopped
    run can be repeated.

    Args:
        store: the open store.
        batch_location: where the store and the results folder are.
        course: the course.
        archive_path: the zip; must not exist, unless it holds the same.
        open_submission_paths: finds the files of a class that was graded from a download.

    Raises:
        CallerFault: the file exists, the course has no data, or a hand-in waits to be graded.
        KitFault: the disk or the database fails.
    """
    if archive_path.exists() and not zipfile.is_zipfile(archive_path):
        raise CallerFault("this file exists already", str(archive_path), "name another file")
    waiting = store.terms.list_pending_submission_names(batch_location.class_key_in_store)
    if waiting:
        raise CallerFault(
            f"submission {waiting[0]} still waits to be graded", advice="archive when everything is graded"
        )
    assignments = store.terms.list_assignments_with_data(batch_location.class_key_in_store)
    if not assignments and archive_path.exists():
        raise CallerFault(
            "the results folder has no data of a course, and this file may be its archive",
            str(archive_path),
            "keep it; if an erasure was stopped, run `autograder people compact`",
        )
    if not assignments:
        raise CallerFault(
            "the results folder has no data of a course",
            str(batch_location.output_folder),
            "name its folder with --out",
        )
    archive_path = resolve_output_file(archive_path)
    temporary = make_unfinished_path(archive_path.parent)
    try:
        with open_new_output_file(temporary) as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                made = ArchiveWriter(archive, open_submission_paths)
                _fill_term_archive(made, store, batch_location, course, assignments)
            file.flush()
            os.fsync(file.fileno())
        _verify(temporary, made.digests)
        if archive_path.exists():
            if not _holds_same_files(archive_path, made.digests):
                raise CallerFault(
                    "this file exists already, and the term is no longer as it stands there",
                    str(archive_path),
                    "name another file",
                )
            made.was_there = True
        else:
            os.replace(temporary, archive_path)
    except OSError as error:
        fault = KitFault if error.errno in MACHINE_ERROR_NUMBERS else CallerFault
        raise make_file_fault(error, archive_path, fault_class=fault, action="write") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return made


def _holds_same_files(archive_path: Path, digests: dict[str, str]) -> bool:
    """Return whether an archive holds these files, but for those that say when it was written."""
    try:
        _verify(archive_path, {name: digests[name] for name in digests.keys() - {README_NAME, MANIFEST}})
    except (KeyError, zipfile.BadZipFile, KitFault):
        return False
    return True


def _verify(path: Path, digests: dict[str, str]) -> None:
    """Read an archive back.

    Raises:
        KitFault: its content differs from what was written.
    """
    with zipfile.ZipFile(path) as archive:
        for name, digest in digests.items():
            if hashlib.sha256(archive.read(name)).hexdigest() != digest:
                raise KitFault(
                    "a file in the archive differs from what was written into it",
                    f"{path}: {name}",
                    "look at the disk, then try again",
                )


PERSON_README = """\
What {course} keeps of {login}.

account.json       the account, its links and sessions, and what else the course calls you
rosters.json       rows of the course's rosters
hand-ins.json      what was handed in, when, and what became of it; the files are in files/
results.json       every result that is kept of it
reports/           the results as pages and as JSON{audience}
gradebook.csv      the rows of the gradebook, if one was written
decisions.json     what people decided about marks and deadlines, and why
inquiries.json     questions and answers
audit.json         everything that changed or sent a mark
"""
FOR_STAFF = (", whole: what hidden tests say is for the staff alone", "; raw/ holds pytest's records of them")
FOR_STUDENT = ", as far as students may see them once results are published"


def pack_person_export(
    store: ServerStore,
    batch_location: BatchLocation,
    person: StoredStudent,
    course: Course,
    open_submission_paths: OpenSubmissionPaths,
    *,
    is_for_staff: bool = False,
) -> tuple[bytes, list[str]]:
    """Return all stored data of a student as a zip, and the submissions that it lacks because their files are gone.

    Args:
        store: the store.
        batch_location: where the store and the results folder are.
        person: the student.
        course: the course, with its assignments' deadlines.
        open_submission_paths: finds the files of a class that was graded from a download.
        is_for_staff: whether reports include parts that only the staff may see.
    """
    deadline_rules_by_assignment = {assignment.name: assignment.deadline_rules for assignment in course.assignments}
    course_key = batch_location.class_key_in_store
    packed = io.BytesIO()
    submissions = person.solo_submission_names | person.team_submission_names
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        made = ArchiveWriter(archive, open_submission_paths)
        title = course.title or course.folder.name
        audience = "".join(FOR_STAFF) if is_for_staff else FOR_STUDENT
        made.add_file(
            "README.txt", PERSON_README.format(course=title, login=person.login, audience=audience).encode()
        )
        records = store.person_records
        made.add_json("account.json", records.export_account(person))
        made.add_json("rosters.json", records.list_roster_rows(person))
        made.add_json("hand-ins.json", records.list_hand_in_records_for_export(person))
        made.add_json("decisions.json", records.export_decisions(person))
        made.add_json("inquiries.json", records.list_inquiry_records(person))
        made.add_json("audit.json", records.list_audit_records_for_export(person))
        made.add_json("results.json", _list_results(store, person))
        of_hand_ins, of_entries = ([one.assignment for one in kept] for kept in (person.hand_ins, person.entries))
        for assignment in dict.fromkeys(of_hand_ins + of_entries):
            hand_ins = [one for one in person.hand_ins if one.assignment == assignment]
            entries = [one.entry for one in person.entries if one.assignment == assignment]
            stored_class = store.classes.find_last_graded_class(course_key, assignment)
            made.add_submissions(store, f"files/{assignment}", hand_ins, stored_class, entries)
        for one in person.entries:
            report = _load_report(store, one, course_key, deadline_rules_by_assignment)
            if report is None:
                continue
            stem = f"reports/{one.assignment}/{make_safe_file_name(one.entry.name)}"
            shown = report if is_for_staff else filter_report_for_student(report, "published")
            made.add_file(f"{stem}.json", encode_report_json(shown))
            made.add_file(f"{stem}.html", render_published_page(report))
        rows = read_gradebook_header_and_rows(batch_location.output_folder / GRADEBOOK, submissions)
        if rows[1:]:
            text = io.StringIO(newline="")
            csv.writer(text).writerows(rows)
            made.add_file(GRADEBOOK, text.getvalue().encode())
        if is_for_staff:
            own_paths = find_result_paths(batch_location.output_folder, submissions).own
            for path in (path for path in own_paths if path.parent.name == "raw"):
                made.add_file(f"raw/{path.name}", path.read_bytes())
    return packed.getvalue(), made.missing_submissions


def _list_results(store: ServerStore, person: StoredStudent) -> list[dict[str, object]]:
    return [
        {"submission": one.entry.name, "assignment": one.assignment}
        | {name: getattr(each, name) for name in ("version", "kit", "graded_at", "score", "status")}
        for one in person.entries
        for each in store.results.list_result_summaries(one.entry.submission_identity, one.assignment)
    ]


def _load_report(
    store: ServerStore,
    one: StudentSubmissionEntry,
    class_name: str,
    deadline_rules_by_assignment: Mapping[str, DeadlineRules],
) -> ScoreReport | None:
    stored = store.classes.find_last_graded_class(class_name, one.assignment)
    if stored is None or not one.entry.submission_identity:
        return None
    found = find_result_in_force(store, stored, one.entry)
    if found is None:
        return None
    context = load_report_context(store, stored, deadline_rules_by_assignment.get(one.assignment, DeadlineRules()))
    return personalize_report(unpack_report(found.packed_report), one.entry.name, context)
