"""Erase a student or a term from the results folder and the store."""

from __future__ import annotations

import csv
import hashlib
import html
import io
import shutil
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.batch.batch_location import (
    GRADEBOOK,
    HANDED_IN,
    OVERVIEW,
    PAGES_FOLDER,
    REMEMBERED,
    SIMILAR,
    VERSIONS,
    WRITTEN_NAMES,
    BatchLocation,
    lock_output_folder,
)
from autograder.batch.output_files import make_safe_file_name
from autograder.faults import CallerFault, KitFault, translate_file_errors
from autograder.files import write_file_atomically
from autograder.store.connection import DATABASE_FILE
from autograder.text import escape_for_display, escape_name_unambiguously, neutralize_formula
from autograder.web.store.people.student import PersonPseudonymizer, StoredStudent, make_random_erasure_pseudonym
from autograder.web.store.server_store import ServerStore

FOLDERS = ("reports", "raw", PAGES_FOLDER)
VIEWS = (OVERVIEW, SIMILAR)
"""Pages about the whole class, which can be written again."""
NOT_SEARCHED = (DATABASE_FILE, "web-secret", REMEMBERED)
MOST_BYTES = 64 * 2**20
"""Largest file that is searched for names; larger ones are listed as if they contained some."""


@dataclass(frozen=True, slots=True)
class ResultPaths:
    """The paths in a results folder that hold data of some submissions."""

    own: tuple[Path, ...]
    """Files about these submissions alone: reports, records, pages, submitted files."""
    gradebooks: tuple[Path, ...] = ()
    """Gradebooks with rows of these submissions."""
    views: tuple[Path, ...] = ()
    """Pages about the whole class."""


def find_result_paths(output_folder: Path, submission_names: Collection[str]) -> ResultPaths:
    """Return the files and gradebooks in a results folder that the kit wrote about submissions."""
    stems = [make_safe_file_name(name) for name in submission_names]
    own = [path for path in _iterate_files_of_submissions(output_folder) if _is_of(path, stems)]
    roots = [output_folder, *sorted(one for one in (output_folder / VERSIONS).glob("*") if one.is_dir())]
    gradebooks = [
        root / GRADEBOOK for root in roots if read_gradebook_header_and_rows(root / GRADEBOOK, submission_names)[1:]
    ]
    views = [output_folder / name for name in VIEWS if (output_folder / name).is_file()]
    return ResultPaths(tuple(sorted(own)), tuple(gradebooks), tuple(views))


def read_gradebook_header_and_rows(gradebook_path: Path, submission_names: Collection[str]) -> list[list[str]]:
    """Return the header of a gradebook and the rows of submissions; empty if there is no gradebook."""
    rows = _read_rows(gradebook_path) if gradebook_path.is_file() else []
    ids = _list_cells(submission_names)
    return [*rows[:1], *(row for row in rows[1:] if row and row[0] in ids)]


def _read_rows(gradebook_path: Path) -> list[list[str]]:
    return [*csv.reader(io.StringIO(gradebook_path.read_text(encoding="utf-8"), newline=""))]


def _remove_submission_results(
    result_files: ResultPaths,
    submission_names: Collection[str],
    rename_handed_in_file: Callable[[str], str] | None = None,
) -> None:
    """Remove files, and the rows of submissions from gradebooks.

    Args:
        result_files: the files.
        submission_names: the submissions.
        rename_handed_in_file: returns a new name for a submitted file, which then stays; submitted files are removed
            when None.

    Raises:
        KitFault: one of them cannot be removed.
    """
    ids = _list_cells(submission_names)
    for gradebook in result_files.gradebooks:
        text = io.StringIO(newline="")
        csv.writer(text).writerows(row for row in _read_rows(gradebook) if not row or row[0] not in ids)
        write_file_atomically(gradebook, text.getvalue().encode())
    for path in (*result_files.own, *result_files.views):
        with translate_file_errors(path, fault_class=KitFault, action="remove", advice="remove it yourself"):
            if rename_handed_in_file and path.parent.parent.name == HANDED_IN:
                path.rename(path.with_name(rename_handed_in_file(path.name)))
            else:
                path.unlink(missing_ok=True)


def _find_files_that_may_mention_person(
    output_folder: Path, name_replacer: PersonPseudonymizer, handed_in_digests: Collection[str]
) -> list[Path]:
    """Return files below a folder that name a person, equal one of their hand-ins, or are too large to be read.

    Args:
        output_folder: the folder.
        name_replacer: knows the names.
        handed_in_digests: the SHA-256 digests of the person's hand-ins.
    """
    found = []
    for path in sorted(output_folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name.startswith(NOT_SEARCHED):
            continue
        is_handed_in = path.parent.parent == output_folder / HANDED_IN  # other students' files, which may be equal
        if name_replacer.is_person_named_in(path.name) or _holds(
            path, name_replacer, () if is_handed_in else handed_in_digests
        ):
            found.append(path)
    return found


def _holds(path: Path, name_replacer: PersonPseudonymizer, digests: Collection[str]) -> bool:
    if path.stat().st_size > MOST_BYTES:
        return True
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() in digests:
        return True
    is_zip = zipfile.is_zipfile(io.BytesIO(content))
    texts = [one.decode("utf-8", "replace") for one in (content, *(_iterate_members(content) if is_zip else ()))]
    return any(name_replacer.is_person_named_in(form) for text in texts for form in (text, html.unescape(text)))


def _iterate_members(content: bytes) -> Iterator[bytes]:
    """Yield names and contents of a zip, up to a size."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        left = MOST_BYTES
        for member in archive.infolist():
            yield member.filename.encode("utf-8", "replace")
            if member.file_size <= left and not member.flag_bits & 1:
                left -= member.file_size
                yield archive.read(member)


def _iterate_files_of_submissions(folder: Path) -> Iterator[Path]:
    roots = [folder, *(one for one in (folder / VERSIONS).glob("*") if one.is_dir())]
    for root in roots:
        for name in FOLDERS:
            yield from (one for one in (root / name).glob("*") if one.is_file())
    yield from (one for one in (folder / HANDED_IN).glob("*/*") if one.is_file())


def _is_of(path: Path, file_names: Iterable[str]) -> bool:
    stem = path.name.removesuffix(path.suffix)
    return any(stem == name or stem.startswith(f"{name}~") for name in file_names)


def _list_cells(submissions: Iterable[str]) -> set[str]:
    return {neutralize_formula(escape_name_unambiguously(name)) for name in submissions}


def _require_folder_of_graded_hand_ins(store: ServerStore, batch_location: BatchLocation) -> None:
    """Check that the results folder holds the files of hand-ins, if the store knows of graded ones.

    Pages and worker may have a folder each, under the same name. Rows that are erased while the other folder is seen
    leave the files of the worker without any record of whose they are.

    Raises:
        CallerFault: the folder holds no hand-ins.
    """
    summary = store.hand_ins.load_hand_in_queue_summary(batch_location.class_key_in_store)
    folder = batch_location.output_folder / HANDED_IN
    if summary.counts.get("graded") and not folder.is_dir():
        raise CallerFault(
            "the worker's files are not in this folder, so they would stay",
            str(folder),
            "run this command as the worker sees it (docs/server.md), or make this folder if the files are lost",
        )


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


def plan_person_erasure(store: ServerStore, batch_location: BatchLocation, login: str) -> PersonErasurePlan:
    """Return what erasing a student would do.

    Raises:
        CallerFault: there is no such student in the store, the person is staff, a file is being graded, or the
            results folder is not the worker's.
    """
    _require_folder_of_graded_hand_ins(store, batch_location)
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
    logins = store.people.list_other_logins(person.login)
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


def find_person_or_raise(store: ServerStore, batch_location: BatchLocation, login: str) -> StoredStudent:
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


def carry_out_erasure(store: ServerStore, batch_location: BatchLocation, plan: PersonErasurePlan) -> list[Path]:
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
        _remove_submission_results(plan.files, person.solo_submission_names)
        _remove_submission_results(plan.team_files, person.team_submission_names, plan.name_replacer.replace_names)
    _remove_mentions(batch_location.output_folder, plan)
    store.erase_person(person, plan.name_replacer)
    # others may have been written until the rows were gone
    return _remove_mentions(batch_location.output_folder, plan)


def _remove_mentions(output_folder: Path, plan: PersonErasurePlan) -> list[Path]:
    """Remove files that the kit wrote about others and that name the student; return the other files that may do."""
    digests = {one.sha256 for one in plan.person.solo_hand_ins}
    mentions = _find_files_that_may_mention_person(output_folder, plan.name_replacer, digests)
    written = [one for one in mentions if one.relative_to(output_folder).parts[0] in WRITTEN_NAMES]
    _remove_submission_results(ResultPaths(own=tuple(written)), ())
    return [one for one in mentions if one not in written]


def erase_term_except_staff(
    store: ServerStore, batch_location: BatchLocation, require_archived: Callable[[], object]
) -> None:
    """Erase a course except its staff, first from the results folder and then from the store.

    Args:
        store: the open store.
        batch_location: where the store and the results folder are.
        require_archived: raises a fault if the archive lacks something; called when nobody can hand in any more.

    Raises:
        CallerFault: a hand-in waits to be graded, or the results folder is not the worker's.
        KitFault: the disk or the database fails.
    """
    _require_folder_of_graded_hand_ins(store, batch_location)
    with store.group():
        store.terms.lock_hand_ins(batch_location.class_key_in_store)
        require_archived()
        for name in (*WRITTEN_NAMES, HANDED_IN):
            path = batch_location.output_folder / name
            with translate_file_errors(path, fault_class=KitFault, action="remove"):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        store.terms.erase_student_records(batch_location.class_key_in_store)
