"""Turn results into what people read: add what depends on the student and the class whenever a result is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec import structs

from autograder.course.deadline_rules import DeadlineRules
from autograder.lateness import SubmissionTimes, with_lateness
from autograder.reports import ScoreReport
from autograder.safe_text import clean_name
from autograder.store.class_members import ClassMember
from autograder.store.class_table import StoredClass
from autograder.store.database import Store
from autograder.store.result_record import decompress_report
from autograder.store.result_table import FoundResult
from autograder.submissions import SubmissionOrigin


@dataclass(frozen=True, slots=True)
class ReportContext:
    """What a class's views depend on besides its results."""

    due: DeadlineRules
    hand_ins: SubmissionTimes | None = None
    """Who handed in what, and when; None where nothing is known of it, and nothing is late."""
    origins: Mapping[str, SubmissionOrigin] = field(default_factory=dict)
    """Where submissions came from, by their ids, as far as somebody said."""


def load_report_context(store: Store, stored_class: StoredClass, due: DeadlineRules) -> ReportContext:
    """Return what is known of a class."""
    return ReportContext(
        due, store.classes.load_submission_times(stored_class), store.classes.load_origins(stored_class)
    )


def personalize_report(report: ScoreReport, name: str, context: ReportContext) -> ScoreReport:
    """Turn a result into the report of one student: only here is added what depends on the student.

    Args:
        report: the report as it is kept, without a name.
        name: the submission's name.
        context: the terms of its class.
    """
    called = clean_name(name)
    lateness = context.hand_ins.compute_lateness(called, context.due) if context.hand_ins else None
    named = structs.replace(report, submission=structs.replace(report.submission, id=called))
    return with_lateness(named, lateness)


@dataclass(frozen=True, slots=True)
class GradebookEntry:
    """A student's result in the gradebook."""

    member: ClassMember
    report: ScoreReport
    current: bool
    """Whether it is by the rules that the class was graded by last."""
    other_kit: bool = False
    """Whether it is by another version of the kit than the class was graded by last; not asked where one version of
    the assignment was asked for."""


def iterate_member_results(
    store: Store, stored_class: StoredClass, version: str = ""
) -> Iterator[tuple[ClassMember, FoundResult | None, bool]]:
    """Yield each member of a class in order, with its result, and whether that is by the class's present rules.

    Where there is no result by those rules yet, give the latest one of the same submission by others, or None.

    Args:
        store: where results are kept.
        stored_class: the class.
        version: a version of the assignment, to see only results of that one; they count as current then.
    """
    for member in store.classes.iterate_members(stored_class):
        found = store.results.find_result(member.identity, stored_class.rules) if not version else None
        other = (
            None
            if found
            else store.results.find_latest_result(member.identity, stored_class.rules.assignment, version)
        )
        yield member, found or other, found is not None or bool(version)


def iterate_gradebook_entries(
    store: Store, stored_class: StoredClass, context: ReportContext, version: str = ""
) -> Iterator[GradebookEntry]:
    """Yield the reports of a class, one at a time; see ``iterate_member_results``."""
    for member, found, current in iterate_member_results(store, stored_class, version):
        if found:
            other_kit = not current and found.kit != stored_class.rules.kit
            yield GradebookEntry(
                member, personalize_report(decompress_report(found.report), member.name, context), current, other_kit
            )
