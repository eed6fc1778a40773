"""Record in the audit table which final marks a run changes: one row each, and none for a first mark."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from autograder.batch.mark_change_text import format_points_and_bonus
from autograder.batch.mark_changes import PointsAndBonus, get_final_points_and_bonus
from autograder.batch.personalized_reports import (
    ReportPersonalizationContext,
    iterate_entry_results,
    load_report_context,
    personalize_report,
)
from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules
from autograder.reports import ScoreReport
from autograder.safe_text import escape_name_unambiguously
from autograder.store.audit_log import get_os_user_name
from autograder.store.audit_model import AuditAction, AuditContext, AuditEvent
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.packed_result import unpack_report
from autograder.store.results.result_table import StoredResult
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.store import Store


@dataclass(frozen=True, slots=True)
class ClassMarksBeforeRun:
    """The final marks of a class before a run that may change them.

    Such a run grades, or brings new deadlines or submission times.
    """

    context: ReportPersonalizationContext = field(
        default_factory=lambda: ReportPersonalizationContext(DeadlineRules())
    )
    """The marks to compare new ones with for the audit table."""
    results: dict[str, StoredResult] = field(default_factory=dict)
    """Each submission's result; without its report if it is final, and so stays in the store."""
    marks: dict[str, PointsAndBonus] = field(default_factory=dict)
    """Final marks computed so far, by submission."""
    times_may_change: bool = False
    """Whether a mark may change while its result stays."""
    context_before_deadline_change: ReportPersonalizationContext | None = None
    """The marks to compare new ones with in the list of changed marks, if the deadline rules changed. The audit table
    has rows of their own for what the rules changed."""

    def load_report_or_none(
        self, store: Store, submission_name: str, *, before_deadline_change: bool = False
    ) -> ScoreReport | None:
        """Return the personalized report that gave a submission its mark; None if it had no result.

        Args:
            store: where results are kept.
            submission_name: the submission's name.
            before_deadline_change: whether to apply the deadline rules as they were before they changed.
        """
        found = self.results.get(submission_name)
        if found is None:
            return None
        packed = found.packed_report or store.results.load_packed_result(found).packed_report
        context = (self.context_before_deadline_change if before_deadline_change else None) or self.context
        return personalize_report(unpack_report(packed), submission_name, context)


def load_class_marks_before_run(
    store: Store,
    class_name: str,
    assignment: Assignment,
    *,
    submission_times_may_change: bool = False,
    earlier_deadline_rules: DeadlineRules | None = None,
    deadline_rules_for_change_list: DeadlineRules | None = None,
) -> ClassMarksBeforeRun:
    """Return the marks of a class before a run changes them; none for a class that was never graded.

    Reports are unpacked later, and only those of marks that may have changed.

    Args:
        store: where results are kept.
        class_name: the class's name.
        assignment: the assignment, as it is now.
        submission_times_may_change: whether the run brings new submission times, which can change marks without new
            results.
        earlier_deadline_rules: the deadlines that counted before; those of the assignment when None.
        deadline_rules_for_change_list: the same for the list of changed marks alone, if the audit table has the
            changes that follow from the deadlines already.
    """
    stored_class = store.classes.find_last_graded_class(class_name, assignment.name)
    if stored_class is None:
        return ClassMarksBeforeRun()
    context = load_report_context(store, stored_class, earlier_deadline_rules or assignment.deadline_rules)
    listed = deadline_rules_for_change_list
    earlier = ClassMarksBeforeRun(
        context,
        times_may_change=submission_times_may_change,
        context_before_deadline_change=load_report_context(store, stored_class, listed) if listed else None,
    )
    for entry, in_force, _ in iterate_entry_results(store, stored_class):
        found = in_force and _find_last_recorded_result(store, entry, in_force, assignment.name)
        if found:
            # a provisional result is removed when a better one comes
            earlier.results[entry.name] = replace(found, packed_report=b"") if found.is_final else found
            if not found.is_final or submission_times_may_change:
                earlier.marks[entry.name] = compute_final_mark(
                    unpack_report(found.packed_report), entry.name, context
                )
    return earlier


def _find_last_recorded_result(
    store: Store, entry: StoredSubmissionEntry, in_force: StoredResult, assignment_name: str
) -> StoredResult:
    """Return the result whose mark the audit table knows.

    After a run that was stopped, another one may be in force already: that of an equal submission.
    """
    if entry.last_result_id in (None, in_force.row_id):
        return in_force
    last = store.results.find_last_counted_result(entry.submission_identity, assignment_name, entry.last_result_id)
    return last if last and last.row_id == entry.last_result_id else in_force


class MarkChangeAuditRecorder:
    """Adds a row to the audit table for each mark that changes, in the transaction of the result that changes it.

    Attributes:
        marks_before: the marks before the run.
    """

    def __init__(
        self, store: Store, stored_class: StoredGradedClass, earlier: ClassMarksBeforeRun, action: AuditAction
    ) -> None:
        """Prepare to compare marks with the earlier ones.

        Args:
            store: gets the rows.
            stored_class: the class.
            earlier: its marks before this run.
            action: the command that runs.
        """
        self.marks_before = earlier
        self._store = store
        self._action = AuditContext(
            action, get_os_user_name(), "", stored_class.class_name, stored_class.rules.assignment
        )

    def record_reused_result(
        self, submission_name: str, stored_result: StoredResult, report_context: ReportPersonalizationContext
    ) -> None:
        """Add a row if another result counts for a submission, or the same result gives another mark."""
        earlier = self.marks_before.results.get(submission_name)
        if earlier and (self.marks_before.times_may_change or earlier.row_id != stored_result.row_id):
            self.record_mark_change_if_any(
                submission_name, unpack_report(stored_result.packed_report), report_context
            )

    def record_changes_of_reused_results(
        self, stored_class: StoredGradedClass, report_context: ReportPersonalizationContext
    ) -> None:
        """Add rows for a class whose submission times changed, and whose results stay."""
        with self._store.group():
            for entry, found, _ in iterate_entry_results(self._store, stored_class):
                if found:
                    self.record_reused_result(entry.name, found, report_context)

    def record_mark_change_if_any(
        self, submission_name: str, report: ScoreReport, report_context: ReportPersonalizationContext
    ) -> None:
        """Add a row if a submission has another mark than before.

        Args:
            submission_name: the submission's name.
            report: its new report, without a name.
            report_context: what the class's reports depend on now.
        """
        before = self._find_earlier_mark(submission_name)
        if before is None:  # it is graded for the first time
            return
        after = compute_final_mark(report, submission_name, report_context)
        self.marks_before.marks[submission_name] = after  # a provisional result may be followed by a better one
        if before == after:
            return
        event = make_mark_change_event(submission_name, before, after)
        self._store.audit.add_events_uncommitted(self._action, [event], "graded")

    def _find_earlier_mark(self, name: str) -> PointsAndBonus | None:
        if name in self.marks_before.marks:
            return self.marks_before.marks[name]
        report = self.marks_before.load_report_or_none(self._store, name)
        return get_final_points_and_bonus(report) if report else None


def make_mark_change_event(submission_name: str, before: PointsAndBonus, after: PointsAndBonus) -> AuditEvent:
    """Return the change of a submission's final mark as an event for the audit table."""
    bonus = before[1] != after[1]
    old, new = (format_points_and_bonus(mark, with_bonus=bonus) for mark in (before, after))
    called = escape_name_unambiguously(submission_name)
    return AuditEvent(changed_item="mark", student_label=called, submission=called, before=old, after=new)


def compute_final_mark(
    report: ScoreReport, submission_name: str, context: ReportPersonalizationContext
) -> PointsAndBonus:
    """Return a submission's final mark, after lateness and decisions."""
    return get_final_points_and_bonus(personalize_report(report, submission_name, context))
