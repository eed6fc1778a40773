"""Turn results into what people read: add what depends on the student and the class whenever a result is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from autograder.batch.lms_deadlines import apply_lms_deadlines_if_chosen
from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions import (
    ClassDecisions,
    Decision,
    apply_after_lateness,
    apply_before_lateness,
    apply_extensions,
    map_students_to_reopened_attempts,
)
from autograder.lateness import TimedSubmission, TimedSubmissions, add_final_score_and_lateness
from autograder.reports import ScoreReport
from autograder.safe_text import escape_name_unambiguously
from autograder.store.class_table import StoredClass
from autograder.store.database import Store
from autograder.store.result_record import unpack_report
from autograder.store.result_table import StoredResult
from autograder.store.stored_submission_entries import StoredSubmissionEntry
from autograder.submissions import SubmissionOrigin


@dataclass(frozen=True, slots=True)
class ClassReportContext:
    """What a class's reports depend on besides its results."""

    deadline_rules: DeadlineRules
    submission_times: TimedSubmissions | None = None
    """Who handed in what, and when; None where nothing is known of it, and nothing is late."""
    origins: Mapping[str, SubmissionOrigin] = field(default_factory=dict)
    """Where submissions came from, by their ids, as far as somebody said."""
    decisions: ClassDecisions = field(default_factory=ClassDecisions)
    """What people decided."""
    paths: Mapping[str, str] = field(default_factory=dict)
    """Where submissions lay within the folder or zip of the class, by their ids."""


def load_report_context(
    store: Store,
    stored_class: StoredClass,
    deadline_rules: DeadlineRules,
    history: Iterable[Decision] | None = None,
    entries: Iterable[StoredSubmissionEntry] | None = None,
) -> ClassReportContext:
    """Return what is known of a class, or of those entries of it that reports are made of.

    Args:
        store: where it is kept.
        stored_class: the class.
        deadline_rules: the deadlines of ``grading.yml``; those of an LMS go before them where the staff decided so,
            and what people decided about students before both.
        history: what people decided, to see what would be; what the store holds when None.
        entries: whose reports are made; the whole class when None, which takes the longer the larger it is.
    """
    decided = store.decisions.list_decisions_including_undone(stored_class) if history is None else history
    decisions = ClassDecisions.from_history(decided)
    handed_in: dict[str, TimedSubmission] = {}
    origins: dict[str, SubmissionOrigin] = {}
    paths: dict[str, str] = {}
    for one in store.classes.iterate_entries(stored_class) if entries is None else entries:
        called = escape_name_unambiguously(one.name)
        paths[called] = format_relative_path_or_name(one, stored_class.submissions_path)
        if one.timed_submission:
            handed_in[called] = one.timed_submission
        if one.origin:
            origins[called] = one.origin
    reopened = map_students_to_reopened_attempts(decisions.in_force)
    times = TimedSubmissions(handed_in, reopened=reopened, chosen=decisions.submissions_with_overridden_score)
    general = apply_lms_deadlines_if_chosen(
        store, stored_class.class_name, stored_class.rules.assignment, deadline_rules
    )
    rules = apply_extensions(general, decisions.in_force)
    return ClassReportContext(rules, times if handed_in else None, origins, decisions, paths)


def format_relative_path_or_name(entry: StoredSubmissionEntry, source: Path) -> str:
    """Return where a submission lay: within the download, the folder or the zip that the class handed in."""
    if entry.origin and entry.origin.names:
        return " + ".join(entry.origin.names)
    if entry.path.is_relative_to(source):
        return str(entry.path.relative_to(source))
    return entry.path.name  # from a zip that was unpacked for a while


def personalize_report(report: ScoreReport, submission_name: str, context: ClassReportContext) -> ScoreReport:
    """Turn a result into the report of one student: only here is added what depends on the student.

    Args:
        report: the report as it is kept, without a name.
        submission_name: the submission's name.
        context: what the reports of its class depend on besides the results.
    """
    called, times = escape_name_unambiguously(submission_name), context.submission_times
    lateness = times.find_lateness(called, context.deadline_rules) if times else None
    reopening = times.find_reopening(called) if times else None
    decisions = context.decisions.list_decisions_about(called, reopening.since if reopening else None)
    named = structs.replace(report, submission=structs.replace(report.submission, id=called))
    return apply_after_lateness(
        add_final_score_and_lateness(apply_before_lateness(named, decisions), lateness), decisions
    )


@dataclass(frozen=True, slots=True)
class GradebookEntry:
    """A student's result in the gradebook."""

    entry: StoredSubmissionEntry
    report: ScoreReport
    is_current: bool
    """Whether it is by the rules that the class was graded by last."""
    is_by_other_kit: bool = False
    """Whether it is by another version of the kit than the class was graded by last; not asked where one version of
    the assignment was asked for."""


def iterate_all_entries_and_results(
    store: Store, stored_class: StoredClass, version: str = ""
) -> Iterator[tuple[StoredSubmissionEntry, StoredResult | None, bool]]:
    """Yield each entry of a class in order, with its result, and whether that is by the class's present rules.

    Where there is no result by those rules yet, give the latest one of the same submission by others, or None.

    Args:
        store: where results are kept.
        stored_class: the class.
        version: a version of the assignment, to see only results of that one; they count as current then.
    """
    for entry in store.classes.iterate_entries(stored_class):
        found = store.results.find_result(entry.submission_identity, stored_class.rules) if not version else None
        other = (
            None
            if found
            else store.results.find_latest_result(entry.submission_identity, stored_class.rules.assignment, version)
        )
        yield entry, found or other, found is not None or bool(version)


def iterate_gradebook_entries(
    store: Store, stored_class: StoredClass, context: ClassReportContext, version: str = ""
) -> Iterator[GradebookEntry]:
    """Yield the reports of a class, one at a time; see ``iterate_all_entries_and_results``."""
    for entry, found, current in iterate_all_entries_and_results(store, stored_class, version):
        if found:
            other_kit = not current and found.kit_version != stored_class.rules.kit
            yield GradebookEntry(
                entry,
                personalize_report(unpack_report(found.packed_report), entry.name, context),
                current,
                other_kit,
            )
