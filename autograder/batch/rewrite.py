"""Write reports and gradebook again from what is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from autograder.batch.folder import GRADEBOOK, Views
from autograder.batch.gradebook import write_gradebook
from autograder.batch.place import Place
from autograder.batch.views import shown, terms_of, view_of
from autograder.course import Assignment
from autograder.course.model import Concept
from autograder.faults import CallerFault
from autograder.lateness import HandIns
from autograder.reports import ScoreReport
from autograder.store.classes import Batch
from autograder.store.database import Store
from autograder.store.keys import ANY
from autograder.store.manifest import from_text
from autograder.store.members import Member
from autograder.store.record import unpack
from autograder.store.results import Found


@dataclass(slots=True)
class Rewritten:
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


def rewrite(
    place: Place,
    name: str,
    assignment_of: Callable[[str], Assignment],
    version: str = "",
    hand_ins: Callable[[Iterable[Member], Assignment], HandIns] | None = None,
    *,
    pages: bool = False,
) -> Rewritten:
    """Write every report, record and the gradebook of a class.

    Args:
        place: where the class was graded.
        name: the assignment's name; the one that was graded last when empty.
        assignment_of: finds the assignment in the course.
        version: the assignment's version; the one that the class was graded by last when empty.
        hand_ins: says which members of the class handed in what, and when; what was said before when None.
        pages: whether to write every student's web page too, even if there are none yet.

    Raises:
        CallerFault: nothing was graded there, there are no results of that version, or the folder cannot be
            written.
    """
    with place.reopened() as opened_store:
        batch = place.find(opened_store, name)
        known = opened_store.results.versions(batch.rules.assignment)
        if version and version not in known:
            raise CallerFault(
                "there are no results of this version", where=version, advice=f"others: {', '.join(known)}"
            )
        done = Rewritten(version or batch.rules.version, known)
        assignment = _as_it_was(assignment_of(batch.rules.assignment), opened_store, done.version)
        if hand_ins:
            opened_store.classes.note_hand_ins(batch, hand_ins(opened_store.classes.members(batch), assignment))
        terms = terms_of(opened_store, batch, assignment.due)
        done.idle = terms.hand_ins.without_one(assignment.due) if terms.hand_ins else []
        views = Views(place.out, opened_store.classes.members(batch), terms, pages=pages)
        done.pages = views.pages
        written = _written(opened_store, batch, views, version, done)
        reports = (view_of(report, name, terms) for name, report in written)
        write_gradebook(reports, assignment, place.out / GRADEBOOK, terms.hand_ins, terms.origins)
        return done


def _written(
    store: Store, batch: Batch, views: Views, version: str, done: Rewritten
) -> Iterator[tuple[str, ScoreReport]]:
    """Yield each submission's name and result, once its report is written."""
    for member, found, current in shown(store, batch, version):
        done.members += 1
        if found is None:
            continue
        report = unpack(found.report)
        views.show(member.name, report, found.has_raw, partial(_raw_of, store, found))
        done.written += 1
        other_kit = not current and found.kit != batch.rules.kit
        done.by_other_kits += other_kit
        done.outdated += not (current or other_kit)
        yield member.name, report


def _raw_of(store: Store, found: Found) -> bytes:
    return store.results.record(found).raw


def _as_it_was(assignment: Assignment, store: Store, version: str) -> Assignment:
    """Return an assignment with the concepts that a version had; as it is now if nothing is known of that version."""
    kept = from_text(store.results.manifest(assignment.name, version, ANY))
    if kept is None:
        return assignment
    return replace(assignment, concepts=tuple(Concept(*concept) for concept in kept.concepts))
