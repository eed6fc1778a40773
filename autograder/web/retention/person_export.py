"""Pack all stored data of one student into a zip that can be read without the kit."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.batch.batch_location import GRADEBOOK, BatchLocation
from autograder.batch.output_files import make_safe_file_name
from autograder.batch.personalized_reports import find_result_in_force, load_report_context, personalize_report
from autograder.course import Course
from autograder.course.deadline_rules import DeadlineRules
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.report_files import encode_report_json
from autograder.reports.report_model import filter_report_for_student
from autograder.store.results.result_model import unpack_report
from autograder.web.retention.archive import ArchiveWriter, OpenSubmissionPaths
from autograder.web.retention.erasure import find_result_paths, read_gradebook_header_and_rows
from autograder.web.store.people.student import StoredStudent, StudentSubmissionEntry
from autograder.web.store.server_store import ServerStore

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
    store: ServerStore,
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
    course_key = batch_location.class_key_in_store
    packed = io.BytesIO()
    submissions = person.solo_submission_names | person.team_submission_names
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        made = ArchiveWriter(archive, open_submission_paths)
        title = course.title or course.folder.name
        audience = "".join(FOR_STAFF) if is_for_staff else FOR_STUDENT
        made.add_file("README.txt", README.format(course=title, login=person.login, audience=audience).encode())
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
    return PersonExport(packed.getvalue(), tuple(made.missing_submissions))


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
