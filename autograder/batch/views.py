"""Turn results into what people read: add what depends on the student and the class whenever a result is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import structs

from autograder.course.deadlines import Due
from autograder.lateness import HandIns, with_lateness
from autograder.reports import ScoreReport
from autograder.store.classes import Batch
from autograder.store.database import Store
from autograder.store.members import Member
from autograder.store.record import unpack
from autograder.store.results import Found
from autograder.submissions import Origin
from autograder.text import clean_name


@dataclass(frozen=True, slots=True)
class Terms:
    """What a class's views depend on besides its results."""

    due: Due
    hand_ins: HandIns | None = None
    """Who handed in what, and when; None where nothing is known of it, and nothing is late."""
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Where submissions came from, by their ids, as far as somebody said."""


def terms_of(store: Store, batch: Batch, due: Due) -> Terms:
    """Return what is known of a class."""
    return Terms(due, store.classes.hand_ins(batch), store.classes.origins(batch))


def view_of(report: ScoreReport, name: str, terms: Terms) -> ScoreReport:
    """Turn a result into the report of one student: only here is added what depends on the student.

    Args:
        report: the report as it is kept, without a name.
        name: the submission's name.
        terms: the terms of its class.
    """
    called = clean_name(name)
    lateness = terms.hand_ins.lateness(called, terms.due) if terms.hand_ins else None
    named = structs.replace(report, submission=structs.replace(report.submission, id=called))
    return with_lateness(named, lateness)


@dataclass(frozen=True, slots=True)
class Shown:
    """A student's result in the gradebook."""

    member: Member
    report: ScoreReport
    current: bool
    """Whether it is by the rules that the class was graded by last."""
    other_kit: bool = False
    """Whether it is by another version of the kit than the class was graded by last; not asked where one version of
    the assignment was asked for."""


def shown(store: Store, batch: Batch, version: str = "") -> Iterator[tuple[Member, Found | None, bool]]:
    """Yield each member of a class in order, with its result, and whether that is by the class's present rules.

    Where there is no result by those rules yet, give the latest one of the same submission by others, or None.

    Args:
        store: where results are kept.
        batch: the class.
        version: a version of the assignment, to see only results of that one; they count as current then.
    """
    for member in store.classes.members(batch):
        found = store.results.find(member.identity, batch.rules) if not version else None
        other = None if found else store.results.latest(member.identity, batch.rules.assignment, version)
        yield member, found or other, found is not None or bool(version)


def in_gradebook(store: Store, batch: Batch, terms: Terms, version: str = "") -> Iterator[Shown]:
    """Yield the reports of a class, one at a time; see ``shown``."""
    for member, found, current in shown(store, batch, version):
        if found:
            other_kit = not current and found.kit != batch.rules.kit
            yield Shown(member, view_of(unpack(found.report), member.name, terms), current, other_kit)
