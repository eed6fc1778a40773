"""Pack all stored data of one student into a zip that can be read without the kit."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass

from autograder.batch.batch_location import BatchLocation
from autograder.batch.output_layout import GRADEBOOK
from autograder.batch.personalized_reports import find_result_in_force, load_report_context, personalize_report
from autograder.batch.submission_file_names import make_safe_file_name
from autograder.course import Course
from autograder.course.deadline_rules import DeadlineRules
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.report_json_files import encode_report_json
from autograder.reports.report_visibility import filter_report_for_student
from autograder.retention.result_file_erasure import find_result_paths, read_gradebook_header_and_rows
from autograder.retention.submission_archive_files import OpenSubmissionPaths, read_archive_entries_or_none
from autograder.store.people.stored_student import StoredStudent, StudentSubmissionEntry
from autograder.store.results.packed_result import unpack_report
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.store import Store

README = """\
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


@dataclass(frozen=True, slots=True)
class PersonExport:
    """All stored data of one student, as a zip."""

    zip_content: bytes
    missing_submissions: tuple[str, ...]
    """Submissions whose files are gone, and so are not in the zip."""


def pack_person_export(
    store: Store,
    batch_location: BatchLocation,
    person: StoredStudent,
    course: Course,
    open_submission_paths: OpenSubmissionPaths,
    *,
    is_for_staff: bool = False,
) -> PersonExport:
    """Pack all stored data of a student into a zip.

    Args:
        store: the store.
        batch_location: where the store and the results folder are.
        person: the student.
        course: the course, with its assignments' deadlines.
        open_submission_paths: finds the files of a class that was graded from a download.
        is_for_staff: whether reports include parts that only the staff may see.
    """
    deadline_rules_by_assignment = {assignment.name: assignment.deadline_rules for assignment in course.assignments}
    packed = io.BytesIO()
    submissions = person.solo_submission_names | person.team_submission_names
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        title = course.title or course.folder.name
        audience = "".join(FOR_STAFF) if is_for_staff else FOR_STUDENT
        archive.writestr("README.txt", README.format(course=title, login=person.login, audience=audience))
        _add_records(archive, store, person)
        missing_submissions = []
        for submission_name, files in _iterate_submitted_files(store, batch_location, person, open_submission_paths):
            if files is None:
                missing_submissions.append(submission_name)
            for name, content in files or ():
                archive.writestr(f"files/{name}", content)
        for one in person.entries:
            report = _load_report(store, one, batch_location.class_key_in_store, deadline_rules_by_assignment)
            if report is None:
                continue
            stem = f"reports/{one.assignment}/{make_safe_file_name(one.entry.name)}"
            shown = report if is_for_staff else filter_report_for_student(report, "published")
            archive.writestr(f"{stem}.json", encode_report_json(shown))
            archive.writestr(f"{stem}.html", render_published_page(report))
        rows = read_gradebook_header_and_rows(batch_location.output_folder / GRADEBOOK, submissions)
        if rows[1:]:
            text = io.StringIO(newline="")
            csv.writer(text).writerows(rows)
            archive.writestr(GRADEBOOK, text.getvalue())
        if is_for_staff:
            own_paths = find_result_paths(batch_location.output_folder, submissions).own
            for path in (path for path in own_paths if path.parent.name == "raw"):
                archive.write(path, f"raw/{path.name}")
    return PersonExport(packed.getvalue(), tuple(missing_submissions))


def _add_records(archive: zipfile.ZipFile, store: Store, person: StoredStudent) -> None:
    """Add what the store holds of a person as JSON, apart from reports."""
    records = store.person_records
    content_by_name: dict[str, object] = {
        "account": records.export_account(person),
        "rosters": records.list_roster_rows(person),
        "hand-ins": records.list_hand_in_records_for_export(person),
        "decisions": records.export_decisions(person),
        "inquiries": records.list_inquiry_records(person),
        "audit": records.list_audit_records_for_export(person),
        "results": _list_results(store, person),
    }
    for name, content in content_by_name.items():
        text = json.dumps(content, indent=1, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
        archive.writestr(f"{name}.json", text + b"\n")


def _iterate_submitted_files(
    store: Store, batch_location: BatchLocation, person: StoredStudent, open_submission_paths: OpenSubmissionPaths
) -> Iterator[tuple[str, list[tuple[str, bytes]] | None]]:
    """Yield each submission with its files, each with a path of assignment, submission and file name.

    The files are None if they are gone.
    """
    from_web = {one.submission for one in person.hand_ins}
    for hand_in in person.hand_ins:
        folder = f"{hand_in.assignment}/{make_safe_file_name(hand_in.submission)}"
        name = f"{folder}/{make_safe_file_name(hand_in.file_name)}"
        yield hand_in.submission, [(name, store.hand_ins.load_content(hand_in))]
    entries_by_assignment: dict[str, list[StoredSubmissionEntry]] = {}
    for one in person.entries:
        if one.entry.name not in from_web:
            entries_by_assignment.setdefault(one.assignment, []).append(one.entry)
    for assignment, entries in entries_by_assignment.items():
        stored_class = store.classes.find_last_graded_class(batch_location.class_key_in_store, assignment)
        with open_submission_paths(stored_class) if stored_class else nullcontext({}) as path_by_submission:
            for entry in entries:
                path = path_by_submission.get(entry.name, entry.path)
                files = read_archive_entries_or_none(entry.name, path)
                yield entry.name, files and [(f"{assignment}/{name}", content) for name, content in files]


def _list_results(store: Store, person: StoredStudent) -> list[dict[str, object]]:
    return [
        {"submission": one.entry.name, "assignment": one.assignment}
        | {name: getattr(each, name) for name in ("version", "kit", "graded_at", "score", "status")}
        for one in person.entries
        for each in store.results.list_result_summaries(one.entry.submission_identity, one.assignment)
    ]


def _load_report(
    store: Store,
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
