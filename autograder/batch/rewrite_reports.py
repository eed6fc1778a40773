"""Write reports and gradebook again from what is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from autograder.batch.gradebook import write_gradebook
from autograder.batch.location import BatchLocation
from autograder.batch.output_folder import GRADEBOOK, OutputFolder
from autograder.batch.student_reports import iterate_member_results, load_report_context, personalize_report
from autograder.course import Assignment
from autograder.course.model import Concept
from autograder.faults import CallerFault
from autograder.lateness import SubmissionTimes
from autograder.reports import ScoreReport
from autograder.store.class_table import StoredClass
from autograder.store.database import Store
from autograder.store.manifest import parse_manifest
from autograder.store.result_keys import ANY
from autograder.store.result_record import decompress_report
from autograder.store.result_table import FoundResult


@dataclass(slots=True)
class RewriteSummary:
    """What was written."""

    version: str
    versions: list[str] = field(default_factory=list)
    """Those that there are results of."""
    members: int = 0
    written: int = 0
    outdated: int = 0
    """Reports by other rules than the class was graded by last, and by the same kit."""
    by_other_kits: int = 0
    """Reports by another version of the kit than the class was graded by last."""
    pages: bool = False
    """Whether students' pages were written too."""
    idle: list[str] = field(default_factory=list)
    """Students with an extension who handed in nothing, as far as hand-ins are known."""


def rewrite_reports(
    place: BatchLocation,
    name: str,
    find_assignment: Callable[[str], Assignment],
    version: str = "",
    read_submission_times: Callable[[Store, StoredClass, Assignment], SubmissionTimes] | None = None,
    *,
    pages: bool = False,
    into: Path | None = None,
) -> RewriteSummary:
    """Write every report, record and the gradebook of a class.

    Args:
        place: where the class was graded.
        name: the assignment's name; the one that was graded last when empty.
        find_assignment: finds the assignment in the course.
        version: the assignment's version; the one that the class was graded by last when empty.
        read_submission_times: says who of a class in a store handed in what, and when; what was said before when
            None.
        pages: whether to write every student's web page too, even if there are none yet.
        into: where to write; the class's folder when None.

    Raises:
        CallerFault: nothing was graded there, there are no results of that version, or the folder cannot be
            written.
    """
    out = into or place.out
    with place.open_existing_store() as opened_store:
        batch = place.find_class(opened_store, name)
        known = opened_store.results.list_versions(batch.rules.assignment)
        if version and version not in known:
            raise CallerFault(
                "there are no results of this version", where=version, advice=f"others: {', '.join(known)}"
            )
        done = RewriteSummary(version or batch.rules.version, known)
        assignment = _as_it_was(find_assignment(batch.rules.assignment), opened_store, done.version)
        if read_submission_times:
            opened_store.classes.record_submission_times(
                batch, read_submission_times(opened_store, batch, assignment)
            )
        terms = load_report_context(opened_store, batch, assignment.due)
        done.idle = terms.hand_ins.find_students_without_submission(terms.due) if terms.hand_ins else []
        views = OutputFolder(out, opened_store.classes.iterate_members(batch), terms, pages=pages)
        done.pages = views.pages
        written = _written(opened_store, batch, views, version, done)
        reports = (personalize_report(report, name, terms) for name, report in written)
        write_gradebook(reports, assignment, out / GRADEBOOK, terms.hand_ins, terms.origins, terms.paths)
        return done


def _written(
    store: Store, stored_class: StoredClass, views: OutputFolder, version: str, done: RewriteSummary
) -> Iterator[tuple[str, ScoreReport]]:
    """Yield each submission's name and result, once its report is written."""
    for member, found, current in iterate_member_results(store, stored_class, version):
        done.members += 1
        if found is None:
            continue
        report = decompress_report(found.report)
        views.write_student_files(member.name, report, found.has_raw, partial(_raw_of, store, found))
        done.written += 1
        other_kit = not current and found.kit != stored_class.rules.kit
        done.by_other_kits += other_kit
        done.outdated += not (current or other_kit)
        yield member.name, report


def _raw_of(store: Store, found: FoundResult) -> bytes:
    return store.results.load_record(found).raw


def _as_it_was(assignment: Assignment, store: Store, version: str) -> Assignment:
    """Return an assignment with the concepts that a version had; as it is now if nothing is known of that version."""
    kept = parse_manifest(store.results.load_manifest(assignment.name, version, ANY))
    if kept is None:
        return assignment
    return replace(assignment, concepts=tuple(Concept(*concept) for concept in kept.concepts))
