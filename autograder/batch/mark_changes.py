"""Compare final marks before and after a run, tell how they change, and record it in the audit table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from autograder.batch.personalized_reports import (
    ReportPersonalizationContext,
    iterate_entry_results,
    load_report_context,
    personalize_report,
)
from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules
from autograder.reports import ScoreReport
from autograder.reports.wording import format_points
from autograder.store.audit import AuditAction, AuditContext, AuditEvent, get_os_user_name
from autograder.store.results.deadline_rules_snapshot import (
    iterate_rule_differences,
    make_stored_deadline_rules,
    serialize_deadline_rules,
    try_parse_deadline_rules,
)
from autograder.store.results.graded_class_table import StoredGradedClass, StoredSubmissionEntry
from autograder.store.results.result_model import unpack_report
from autograder.store.results.result_table import StoredResult
from autograder.store.store import Store
from autograder.text import escape_for_display, escape_name_unambiguously

PointsAndBonus = tuple[float, float]
"""Final points, and bonus."""
NOT_THERE = "not there"


@dataclass(frozen=True, slots=True)
class TestResultChange:
    """One test with other points or another outcome than before."""

    __test__ = False

    id: str
    concept: str
    before: str
    """The earlier outcome; ``NOT_THERE`` for a new test. ``after`` has it for a removed one."""
    after: str
    difference: float


@dataclass(frozen=True, slots=True)
class SubmissionMarkComparison:
    """One submission's final mark, before and after a regrade, with lateness and decisions applied."""

    submission_name: str
    before: PointsAndBonus
    after: PointsAndBonus
    concept_differences: tuple[tuple[str, float], ...]
    """Concepts that give other points than before, each with the difference; lateness is not in it."""
    test_changes: tuple[TestResultChange, ...] = ()
    statuses_before_and_after: tuple[str, str] = ("graded", "graded")
    """Whether it could be graded, before and after."""
    reason_to_run: str = ""
    """Why it was graded again; empty if nothing was run."""

    @property
    def difference(self) -> float:
        """Return the points gained, bonus included; below zero for a loss."""
        return round(sum(self.after) - sum(self.before), 6)

    @property
    def has_lower_points_or_bonus(self) -> bool:
        """Return whether points or bonus are fewer; a gain in one does not make up for a loss in the other."""
        return any(after < before for before, after in zip(self.before, self.after, strict=True))


def compare_final_marks(regraded: RegradedReportPair) -> SubmissionMarkComparison:
    """Return the final mark of a submission that was graded again, before and after."""
    before, after = regraded.before, regraded.after
    return SubmissionMarkComparison(
        regraded.submission_name,
        get_final_points_and_bonus(before),
        get_final_points_and_bonus(after),
        tuple(_compute_concept_differences(before, after)),
        tuple(_iterate_test_changes(before, after)),
        (before.status.outcome, after.status.outcome),
        regraded.reason_to_run,
    )


@dataclass(slots=True)
class ClassMarkComparison:
    """The marks of a class that was regraded."""

    unchanged_count: int = 0
    """How many submissions have the same mark as before."""
    _changed: list[SubmissionMarkComparison] = field(default_factory=list)

    def add_regraded_submission(self, regraded: RegradedReportPair) -> None:
        """Note how the mark of one submission changed."""
        change = compare_final_marks(regraded)
        if change.before == change.after:
            self.unchanged_count += 1
        else:
            self._changed.append(change)

    @property
    def lowered(self) -> Sequence[SubmissionMarkComparison]:
        """Return the marks that go down, the largest loss first."""
        return sorted(
            (one for one in self._changed if one.has_lower_points_or_bonus),
            key=lambda one: (one.difference, one.submission_name),
        )

    @property
    def raised(self) -> Sequence[SubmissionMarkComparison]:
        """Return the marks that go up, the largest gain first."""
        raised = (one for one in self._changed if not one.has_lower_points_or_bonus)
        return sorted(raised, key=lambda one: (-one.difference, one.submission_name))


def get_final_points_and_bonus(report: ScoreReport) -> PointsAndBonus:
    """Return the final mark of a student's report."""
    return report.final.score, report.final.bonus


def _compute_concept_differences(before: ScoreReport, after: ScoreReport) -> list[tuple[str, float]]:
    """Return the concepts' differences in the order of the new report, then those of concepts that are gone."""
    had = {concept.name: concept.score for concept in before.concepts}
    has = {concept.name: concept.score for concept in after.concepts}
    gained = ((name, round(has.get(name, 0.0) - had.get(name, 0.0), 6)) for name in {**has, **had})
    return [(name, points) for name, points in gained if points]


def _iterate_test_changes(before: ScoreReport, after: ScoreReport) -> Iterator[TestResultChange]:
    """Yield the tests that changed, in the order of the new report, then those that are gone."""
    had, has = ({test.id: test for test in report.tests} for report in (before, after))
    for name in {**has, **had}:
        old, new = had.get(name), has.get(name)
        gained = round((new.score if new else 0.0) - (old.score if old else 0.0), 6)
        outcomes = (old.outcome if old else NOT_THERE, new.outcome if new else NOT_THERE)
        test = new or old
        if test and (gained or outcomes[0] != outcomes[1]):
            yield TestResultChange(name, test.concept, *outcomes, gained)


@dataclass(frozen=True, slots=True)
class RegradedReportPair:
    """A submission with the report that counted before the run, and the one that counts now, both personalized.

    Both have lateness and decisions, and everything that students may not see.
    """

    submission_name: str
    before: ScoreReport
    after: ScoreReport
    reason_to_run: str = ""
    """Why it was graded again; empty if nothing was run."""


def iterate_mark_change_reasons(change: SubmissionMarkComparison) -> Iterator[str]:
    """Yield by which concepts and tests a mark changed, and why the submission was graded again."""
    before, after = change.statuses_before_and_after
    if before != after:
        yield f"{before} -> {after}"
    if change.reason_to_run:
        yield f"all of it was graded again: {change.reason_to_run}"
    else:
        yield "no test was run again"
    for concept, points in change.concept_differences:
        yield f"{escape_for_display(concept, 80)} {_signed(points)}"
        yield from (f"  {_explain_test(test)}" for test in change.test_changes if test.concept == concept)


def format_mark_change_line(change: SubmissionMarkComparison) -> str:
    """Return the change of a mark as a line: ``ada: 88.57 -> 85.2, accumulation -3.37``."""
    bonus = change.before[1] != change.after[1]
    differences = [
        f", {escape_for_display(name, 80)} {_signed(points)}" for name, points in change.concept_differences
    ]
    before, after = (_format_points_and_bonus(mark, with_bonus=bonus) for mark in (change.before, change.after))
    return f"{escape_name_unambiguously(change.submission_name)}: {before} -> {after}{''.join(differences)}"


def _explain_test(test: TestResultChange) -> str:
    outcome = test.after if test.before == test.after else f"{test.before} -> {test.after}"
    points = f", {_signed(test.difference)}" if test.difference else ""
    return f"{test.id}: {outcome}{points}"


def _format_points_and_bonus(mark: PointsAndBonus, *, with_bonus: bool) -> str:
    """Return a mark as text: ``7.5``, or ``7.5 + 1 bonus``."""
    return f"{format_points(mark[0])} + {format_points(mark[1])} bonus" if with_bonus else format_points(mark[0])


def _signed(points: float) -> str:
    return f"{'-' if points < 0 else '+'}{format_points(abs(points))}"


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
                earlier.marks[entry.name] = _compute_final_mark(
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
        after = _compute_final_mark(report, submission_name, report_context)
        self.marks_before.marks[submission_name] = after  # a provisional result may be followed by a better one
        if before == after:
            return
        event = _make_mark_change_event(submission_name, before, after)
        self._store.audit.add_events_uncommitted(self._action, [event], "graded")

    def _find_earlier_mark(self, name: str) -> PointsAndBonus | None:
        if name in self.marks_before.marks:
            return self.marks_before.marks[name]
        report = self.marks_before.load_report_or_none(self._store, name)
        return get_final_points_and_bonus(report) if report else None


def _make_mark_change_event(submission_name: str, before: PointsAndBonus, after: PointsAndBonus) -> AuditEvent:
    """Return the change of a submission's final mark as an event for the audit table."""
    bonus = before[1] != after[1]
    old, new = (_format_points_and_bonus(mark, with_bonus=bonus) for mark in (before, after))
    called = escape_name_unambiguously(submission_name)
    return AuditEvent(changed_item="mark", student_label=called, submission=called, before=old, after=new)


def _compute_final_mark(
    report: ScoreReport, submission_name: str, context: ReportPersonalizationContext
) -> PointsAndBonus:
    """Return a submission's final mark, after lateness and decisions."""
    return get_final_points_and_bonus(personalize_report(report, submission_name, context))


def record_deadline_changes(
    store: Store, class_name: str, assignment: Assignment, *, with_marks: bool = True
) -> None:
    """Record the changes from the rules that the class's marks followed until now, and save the present rules.

    Rules and rows are committed in one transaction. If several processes find the change, one of them writes it.
    Nothing is done for a class that was never graded, and nothing is recorded the first time.

    Args:
        store: where results are kept.
        class_name: the class's name.
        assignment: the assignment, with its deadlines as they are now.
        with_marks: whether to add a row for each final mark that changes. If False, the caller has to record them; it
            gets the earlier rules from ``find_replaced_deadline_rules`` before.

    Raises:
        KitFault: the database fails.
    """
    stored_class = store.classes.find_last_graded_class(class_name, assignment.name)
    if stored_class is None:
        return
    now = make_stored_deadline_rules(assignment.deadline_rules)
    kept_json = store.classes.load_deadline_rules_json(stored_class)
    kept = try_parse_deadline_rules(kept_json)
    if kept == now:
        return
    events: list[AuditEvent] = []
    if kept is not None:
        events += (
            AuditEvent(changed_item=what, student_label="everyone", before=old, after=new)
            for what, old, new in iterate_rule_differences(kept, now)
        )
        if with_marks:
            before = kept.restore(_collect_student_names(store, stored_class))
            events += _iterate_mark_events(store, stored_class, before, assignment.deadline_rules)
    with store.group():
        if store.classes.replace_deadline_rules_json(
            stored_class, serialize_deadline_rules(now), expected_before=kept_json
        ):
            action = AuditContext("deadlines", get_os_user_name(), "", class_name, assignment.name)
            store.audit.add_events_uncommitted(action, events, "decided")
    store.commit()


def find_replaced_deadline_rules(store: Store, class_name: str, assignment: Assignment) -> DeadlineRules | None:
    """Return the rules that the class's marks followed until now, if others are in the course; write nothing.

    Args:
        store: where results are kept.
        class_name: the class's name.
        assignment: the assignment, with its deadlines as they are now.
    """
    stored_class = store.classes.find_last_graded_class(class_name, assignment.name)
    if stored_class is None:
        return None
    kept = try_parse_deadline_rules(store.classes.load_deadline_rules_json(stored_class))
    if kept is None or kept == make_stored_deadline_rules(assignment.deadline_rules):
        return None
    return kept.restore(_collect_student_names(store, stored_class))


def _collect_student_names(store: Store, stored_class: StoredGradedClass) -> set[str]:
    """Return every name under which an extension may count for a submission of the class."""
    timed = (entry.submission_time for entry in store.classes.iterate_entries(stored_class))
    return {
        name
        for one in timed
        if one is not None
        for names in ((one.student,), *one.members)
        for name in names
    }  # fmt: skip


def _iterate_mark_events(
    store: Store, stored_class: StoredGradedClass, before: DeadlineRules, now: DeadlineRules
) -> Iterator[AuditEvent]:
    contexts = [load_report_context(store, stored_class, rules) for rules in (before, now)]
    for entry, found, _ in iterate_entry_results(store, stored_class):
        if found:
            report = unpack_report(found.packed_report)
            old, new = (_compute_final_mark(report, entry.name, context) for context in contexts)
            if old != new:
                yield _make_mark_change_event(entry.name, old, new)
