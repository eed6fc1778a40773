"""Choose what a term's archive holds: people, submissions, results, decisions and audit log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from autograder.batch.batch_location import BatchLocation
from autograder.batch.gradebook import write_gradebook
from autograder.batch.output_layout import GRADEBOOK
from autograder.batch.personalized_reports import iterate_personalized_reports, load_report_context
from autograder.batch.submission_file_names import assign_file_names
from autograder.course import Assignment, Course
from autograder.faults import CallerFault
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.reports.report_json_files import encode_report_json
from autograder.retention.submission_archive_files import ArchiveWriter
from autograder.store.store import Store
from autograder.temporary_folders import temporary_folder

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


def fill_term_archive(
    made: ArchiveWriter, store: Store, location: BatchLocation, course: Course, assignments: list[str]
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


def _add_submissions(made: ArchiveWriter, store: Store, location: BatchLocation, assignment: Assignment) -> None:
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


def _add_results(made: ArchiveWriter, store: Store, location: BatchLocation, assignment: Assignment) -> None:
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
