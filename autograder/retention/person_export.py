"""Pack all stored data of one student into a zip that can be read without the kit."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.batch.batch_location import BatchLocation
from autograder.batch.output_layout import GRADEBOOK
from autograder.batch.personalized_reports import find_result_in_force, load_report_context, personalize_report
from autograder.batch.submission_file_names import make_safe_file_name
from autograder.course.deadline_rules import DeadlineRules
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.report_json_files import encode_report_json
from autograder.reports.report_visibility import filter_report_for_student
from autograder.retention.result_file_erasure import find_result_paths, read_gradebook_rows_with_head_or_empty
from autograder.store.people.stored_student import StoredStudent, StudentSubmissionEntry
from autograder.store.results.packed_result import unpack_report
from autograder.store.store import Store

README = """\
What {course} keeps of {login}.

account.json       the account, its links and browsers, and what else the course calls you
rosters.json       rows of the course's lists of students
hand-ins.json      what was handed in, when, and what became of it; the files are in files/
results.json       every result that is kept of it
reports/           the results as pages and as JSON{audience}
gradebook.csv      the rows of the gradebook, if one was written
decisions.json     what people decided about marks and deadlines, and why
inquiries.json     questions and answers
audit.json         everything that changed or sent a mark
"""
FOR_STAFF = (", whole: what hidden tests say is for the staff alone", "; raw/ holds the records of hidden tests")
FOR_STUDENT = ", as far as students may see them once results are published"


def pack_person_export_as_zip(
    store: Store,
    batch_location: BatchLocation,
    person: StoredStudent,
    course_title: str,
    get_deadline_rules: Callable[[str], DeadlineRules],
    *,
    is_for_staff: bool = False,
) -> bytes:
    """Return a zip with all stored data of a student.

    Args:
        store: the store.
        batch_location: where the store and the results folder are.
        person: the student.
        course_title: the course, for people.
        get_deadline_rules: returns the deadlines of an assignment.
        is_for_staff: whether reports include parts that only the staff may see.
    """
    packed = io.BytesIO()
    submissions = person.unshared_submission_names | person.shared_submission_names
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name: str, content: object) -> None:
            text = json.dumps(content, indent=1, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
            archive.writestr(name, text + b"\n")

        audience = "".join(FOR_STAFF) if is_for_staff else FOR_STUDENT
        archive.writestr("README.txt", README.format(course=course_title, login=person.login, audience=audience))
        add("account.json", store.person_records.export_account(person))
        add("rosters.json", store.person_records.list_roster_rows(person))
        add("hand-ins.json", store.person_records.list_hand_in_records_for_export(person))
        add("decisions.json", store.person_records.export_decisions(person))
        add("inquiries.json", store.person_records.list_inquiry_records(person))
        add("audit.json", store.person_records.list_audit_records_for_export(person))
        add("results.json", _list_results(store, person))
        for name, content in _iterate_submitted_files(store, person):
            archive.writestr(f"files/{name}", content)
        for one in person.entries:
            report = _load_report(store, one, batch_location.class_name_in_store, get_deadline_rules)
            if report is None:
                continue
            stem = f"reports/{one.assignment}/{make_safe_file_name(one.entry.name)}"
            shown = report if is_for_staff else filter_report_for_student(report, "published")
            archive.writestr(f"{stem}.json", encode_report_json(shown))
            archive.writestr(f"{stem}.html", render_published_page(report))
        rows = read_gradebook_rows_with_head_or_empty(batch_location.output_folder / GRADEBOOK, submissions)
        if rows[1:]:
            text = io.StringIO(newline="")
            csv.writer(text).writerows(rows)
            archive.writestr(GRADEBOOK, text.getvalue())
        if is_for_staff:
            for path in find_result_paths(batch_location.output_folder, submissions).own:
                if path.parent.name == "raw":
                    archive.write(path, f"raw/{path.name}")
    return packed.getvalue()


def _iterate_submitted_files(store: Store, person: StoredStudent) -> Iterator[tuple[str, bytes]]:
    """Yield the submitted files, each with a path of assignment, submission and file name."""
    from_web = {one.submission for one in person.hand_ins}
    for one in person.hand_ins:
        name = f"{one.assignment}/{make_safe_file_name(one.submission)}/{make_safe_file_name(one.file_name)}"
        yield name, store.hand_ins.load_content(one)
    for entry in person.entries:
        if entry.entry.name not in from_web:
            for name, path in iterate_files_with_archive_names(entry.entry.path):
                yield f"{entry.assignment}/{name}", path.read_bytes()


def iterate_files_with_archive_names(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield a file, or all files below a folder, each with the path of it that a zip can hold.

    A zip holds no name that is not UTF-8, and some programs refuse special characters. Links are skipped, and a path
    that is gone yields nothing.
    """
    found = [path] if path.is_file() else sorted(path.rglob("*"))
    for one in found:
        if one.is_file() and not one.is_symlink():
            yield "/".join(map(make_safe_file_name, one.relative_to(path.parent).parts)), one


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
    get_deadlines: Callable[[str], DeadlineRules],
) -> ScoreReport | None:
    stored = store.classes.find_last_graded_class(class_name, one.assignment)
    if stored is None or not one.entry.submission_identity:
        return None
    found = find_result_in_force(store, stored, one.entry)
    if found is None:
        return None
    context = load_report_context(store, stored, get_deadlines(one.assignment))
    return personalize_report(unpack_report(found.packed_report), one.entry.name, context)
