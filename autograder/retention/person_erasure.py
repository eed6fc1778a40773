"""Plan and carry out the erasure of one student from the store and from the results folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.batch.batch_location import BatchLocation
from autograder.batch.output_folder_lock import lock_output_folder
from autograder.batch.output_layout import WRITTEN_NAMES
from autograder.faults import CallerFault
from autograder.retention.result_file_erasure import (
    ResultPaths,
    find_files_that_may_mention_person,
    find_result_paths,
    remove_submission_results,
)
from autograder.retention.results_folder_check import require_folder_of_graded_hand_ins
from autograder.safe_text import escape_for_display
from autograder.store.people.person_pseudonymizer import PersonPseudonymizer, make_random_erasure_pseudonym
from autograder.store.people.stored_student import StoredStudent
from autograder.store.store import Store


@dataclass(frozen=True, slots=True)
class PersonErasurePlan:
    """The data that an erasure removes, and the data that stay."""

    person: StoredStudent
    name_replacer: PersonPseudonymizer
    files: ResultPaths
    """Files about submissions of the student alone, and pages about the class."""
    team_files: ResultPaths
    """Files about submissions of the student's team."""
    decision_count: int
    inquiry_count: int
    audit_count: int
    """Audit rows, which stay without names."""
    untouched: tuple[Path, ...] = ()
    """Submissions' files outside the results folder, from which a batch was graded; they are not touched."""


def plan_person_erasure(store: Store, batch_location: BatchLocation, login: str) -> PersonErasurePlan:
    """Return what erasing a student would do.

    Raises:
        CallerFault: there is no such student in the store, the person is staff, a file is being graded, or the
            results folder is not the worker's.
    """
    require_folder_of_graded_hand_ins(store, batch_location)
    try:
        person = find_person_or_raise(store, batch_location, login)
    except CallerFault as fault:
        advice = f"{fault.advice}; if an erasure was stopped before its end, run `autograder people compact`"
        raise CallerFault(fault.what, fault.where, advice) from fault
    if person.account and person.account.role != "student":
        raise CallerFault(
            f"cannot erase {person.login}, {person.account.role} of this course, whose name signs decisions",
            advice="end their access with `autograder invite --revoke`",
        )
    if any(one.state == "grading" for one in person.hand_ins):
        raise CallerFault(
            f"a submission of {person.login} is being graded", advice="wait a minute, then run the command again"
        )
    out, paths = batch_location.output_folder.resolve(), sorted({one.entry.path.resolve() for one in person.entries})
    logins = store.erasure.list_other_logins_in_store(person.login)
    return PersonErasurePlan(
        person,
        PersonPseudonymizer(person.login, person.texts, logins, make_random_erasure_pseudonym()),
        find_result_paths(batch_location.output_folder, person.solo_submission_names),
        find_result_paths(batch_location.output_folder, person.team_submission_names),
        len(store.person_records.export_decisions(person)),
        len(store.person_records.list_inquiry_records(person)),
        len(store.person_records.list_audit_records_for_export(person)),
        tuple(one for one in paths if one.exists() and not one.is_relative_to(out)),
    )


def find_person_or_raise(store: Store, batch_location: BatchLocation, login: str) -> StoredStudent:
    """Return the stored data of a person of the course, a student or a member of its staff.

    Raises:
        CallerFault: there are none.
    """
    person = store.people.find_person(batch_location.class_key_in_store, login)
    if person is None:
        raise CallerFault(
            f"no account and no submission of this course has the name '{escape_for_display(login, 80)}'",
            advice="write the login as `autograder invite` was given it, or the student as the gradebook names them",
        )
    return person


def carry_out_erasure(store: Store, batch_location: BatchLocation, plan: PersonErasurePlan) -> list[Path]:
    """Erase a student, and return files that may still mention the student and were not written by the kit.

    Those files are left as they are.

    Files that the kit wrote about others are deleted, too, if they name the student; they can be written again. Rows
    are erased after the files: until then, an interrupted erasure can be repeated.

    Raises:
        CallerFault: one of the student's files is being graded now.
        KitFault: the disk or the database fails.
    """
    person = plan.person
    with lock_output_folder(batch_location.output_folder):
        remove_submission_results(plan.files, person.solo_submission_names)
        remove_submission_results(plan.team_files, person.team_submission_names, plan.name_replacer.replace_names)
    _remove_mentions(batch_location.output_folder, plan)
    store.erasure.erase_person_from_course(person, plan.name_replacer)
    # others may have been written until the rows were gone
    return _remove_mentions(batch_location.output_folder, plan)


def _remove_mentions(output_folder: Path, plan: PersonErasurePlan) -> list[Path]:
    """Remove files that the kit wrote about others and that name the student; return the other files that may do."""
    digests = {one.sha256 for one in plan.person.solo_hand_ins}
    mentions = find_files_that_may_mention_person(output_folder, plan.name_replacer, digests)
    written = [one for one in mentions if one.relative_to(output_folder).parts[0] in WRITTEN_NAMES]
    remove_submission_results(ResultPaths(own=tuple(written)), ())
    return [one for one in mentions if one not in written]
