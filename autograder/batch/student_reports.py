"""Turn results into what people read: add what depends on the student and the class whenever a result is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions import (
    ClassDecisions,
    Decision,
    apply_after_lateness,
    apply_before_lateness,
    extend_deadlines,
    list_reopenings,
)
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
    decisions: ClassDecisions = field(default_factory=ClassDecisions)
    """What people decided."""
    paths: Mapping[str, str] = field(default_factory=dict)
    """Where submissions lay within the folder or zip of the class, by their ids."""


def load_report_context(
    store: Store, stored_class: StoredClass, due: DeadlineRules, history: Iterable[Decision] | None = None
) -> ReportContext:
    """Return what is known of a class.

    Args:
        store: where it is kept.
        stored_class: the class.
        due: the deadlines of ``grading.yml``; what people decided goes before them.
        history: what people decided, to see what would be; what the store holds when None.
    """
    decided = store.decisions.load_history(stored_class) if history is None else history
    decisions = ClassDecisions.from_history(decided)
    times = store.classes.load_submission_times(stored_class)
    if times:
        reopened = list_reopenings(decisions.in_force)
        times = replace(times, reopened=reopened, chosen=decisions.overridden_submissions)
    return ReportContext(
        extend_deadlines(due, decisions.in_force),
        times,
        store.classes.load_origins(stored_class),
        decisions,
        {
            clean_name(one.name): describe_path(one, stored_class.source)
            for one in store.classes.iterate_members(stored_class)
        },
    )


def describe_path(member: ClassMember, source: Path) -> str:
    """Return where a submission lay: within the download, the folder or the zip that the class handed in."""
    if member.origin and member.origin.names:
        return " + ".join(member.origin.names)
    if member.path.is_relative_to(source):
        return str(member.path.relative_to(source))
    return member.path.name  # from a zip that was unpacked for a while


def personalize_report(report: ScoreReport, name: str, context: ReportContext) -> ScoreReport:
    """Turn a result into the report of one student: only here is added what depends on the student.

    Args:
        report: the report as it is kept, without a name.
        name: the submission's name.
        context: the terms of its class.
    """
    called, times = clean_name(name), context.hand_ins
    lateness = times.compute_lateness(called, context.due) if times else None
    reopening = times.find_reopening(called) if times else None
    decisions = context.decisions.find_by_submission(called, reopening.since if reopening else None)
    named = structs.replace(report, submission=structs.replace(report.submission, id=called))
    return apply_after_lateness(with_lateness(apply_before_lateness(named, decisions), lateness), decisions)


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
