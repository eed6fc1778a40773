"""Hand out the submissions that need grading as tasks, settle the others at once, and record the results."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace

from autograder.batch.batch_config import BatchConfig
from autograder.batch.batch_result_writer import BatchResultWriter
from autograder.batch.class_explanations import ClassExplanations
from autograder.batch.mark_change_audit import ClassMarksBeforeRun, MarkChangeAuditRecorder
from autograder.batch.mark_changes import RegradedReportPair
from autograder.batch.personalized_reports import personalize_report
from autograder.batch.student_result_files import StudentResultFilesWriter
from autograder.batch.submission_planner import PlannedSubmission, SubmissionPlanner
from autograder.faults import CourseWarning
from autograder.regrade.submission_regrade_plan import OTHER_KIT, SubmissionRegradePlan
from autograder.reports import ScoreReport
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.packed_result import PackedResult, unpack_report
from autograder.store.results.result_key import SubmissionDigests
from autograder.store.results.result_table import StoredResult
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.store import Store
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult, make_task_result

CHANGED = "the submission changed while it was graded: run the same command again"


class BatchCoordinator:
    """Hands out what must be graded, and passes on what comes back.

    Attributes:
        summary: the batch in numbers, until now.
    """

    def __init__(  # noqa: PLR0913 - what a class is, how it is graded, and where it goes
        self,
        config: BatchConfig,
        store: Store,
        stored_class: StoredGradedClass,
        student_files_writer: StudentResultFilesWriter,
        *,
        accept_other_kit_versions: bool = False,
        mark_change_recorder: MarkChangeAuditRecorder | None = None,
        explanations: ClassExplanations | None = None,
    ) -> None:
        """Prepare to hand out submissions; hand out none yet.

        Args:
            config: how the class is graded.
            store: where results are kept.
            stored_class: the class, with the rules it is graded by.
            student_files_writer: where reports go.
            accept_other_kit_versions: whether results by another version of the kit stay as they are.
            mark_change_recorder: holds the marks before the run, with which new results are compared for
                ``config.on_regraded``, and records those that change; None if there are no such marks.
            explanations: gets every wrong submission once it has its mark; None if no repair is looked for.
        """
        self._planner = SubmissionPlanner(
            store, stored_class, config.assignment, accept_other_kit_versions=accept_other_kit_versions
        )
        self._result_writer = BatchResultWriter(
            store, stored_class, student_files_writer, config.on_result, mark_change_recorder
        )
        self._assignment, self._on_regraded = config.assignment, config.on_regraded
        self._explanations = explanations
        self._context = student_files_writer.report_context
        self._store = store
        self._marks_before = mark_change_recorder.marks_before if mark_change_recorder else ClassMarksBeforeRun()
        self._underway: dict[str, PlannedSubmission] = {}
        self._first: dict[str, tuple[PlannedSubmission, ScoreReport, GradingTaskResult]] = {}
        self.summary = self._result_writer.summary

    def iterate_tasks_and_settle_rest(self, entries: Iterable[StoredSubmissionEntry]) -> Iterator[GradingTask]:
        """Yield a task for each submission that must be graded; settle the others at once.

        Args:
            entries: the class. An entry with an identity is graded only if its content is unchanged.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        for entry in entries:
            self.summary.submission_count += 1
            planned = self._planner.plan_submission_and_record_digests(entry)
            if not self._settle_without_task(planned):
                self._planner.save_assignment_manifest_if_missing()
                self._underway[entry.name] = planned
                yield replace(planned.task, explains=self._explanations is not None)

    def record_task_result(self, result: GradingTaskResult) -> None:
        """Save the result of a task, and report it unless the submission will be graded once more.

        Warns:
            CourseWarning: the course's own files allow no diagnosis.
        """
        if result.course_problem:
            warnings.warn(result.course_problem, CourseWarning, stacklevel=2)
        planned, first = self._underway.pop(result.name), self._first.pop(result.name, None)
        if result.will_be_retried:
            self._underway[result.name] = planned
        if result.packed_result and not result.kit_failure:
            report = unpack_report(result.packed_result.packed_report)
            graded = self._planner.try_update_plan_digests(planned, report.submission.sha256)
            if graded:
                self._record(graded, report, result.packed_result, result)
                return
            result = replace(result, kit_failure=CHANGED)
        if result.will_be_retried:
            return
        if first:  # a provisional result is better than none
            self._report_regrade(*first)
        else:
            if planned.outdated_result is None and result.name in self._marks_before.results:
                self.summary.displaced_results.append(result.name)
            self._result_writer.report_result(result)

    def commit_and_write_gradebook(self) -> None:
        """Commit the results, write the gradebook, and count its rows; do nothing in a dry run.

        Raises:
            CallerFault: the gradebook cannot be written.
        """
        self._result_writer.commit_and_write_gradebook(self._assignment)

    def _settle_without_task(self, planned: PlannedSubmission) -> bool:
        """Settle a submission for which nothing must or can be run; return False if it needs a task."""
        if planned.valid_result:
            self._report_reused_result(planned.entry.name, planned.valid_result)
            self._result_writer.write_and_report_reused_result(planned.entry, planned.valid_result)
            if not planned.is_missing and planned.plan.reason_to_run_everything != OTHER_KIT:
                self._explain_later(planned, unpack_report(planned.valid_result.packed_report))
        elif packed_result := self._planner.try_rescore_from_stored_data(planned):
            self._rescore(planned, packed_result)
        elif planned.is_missing:
            if planned.outdated_result:
                self._report_reused_result(planned.entry.name, planned.outdated_result)
            self._result_writer.report_missing_submission(planned.entry, planned.outdated_result)
        else:
            return False
        return True

    def _rescore(self, planned: PlannedSubmission, packed_result: PackedResult) -> None:
        report = unpack_report(packed_result.packed_report)
        done = make_task_result(planned.entry.name, report, 0.0, packed_result)
        self.summary.rescored_count += 1
        handed_in = SubmissionDigests(planned.submission_digests.identity, report.submission.sha256)
        self._record(replace(planned, submission_digests=handed_in), report, packed_result, done)

    def _record(
        self, planned: PlannedSubmission, report: ScoreReport, packed_result: PackedResult, done: GradingTaskResult
    ) -> None:
        self._result_writer.write_new_result(planned.entry, planned.submission_digests, report, packed_result)
        if not planned.is_missing:
            self._explain_later(planned, report, done.program_key)
        if done.will_be_retried:
            self._first[planned.entry.name] = (planned, report, replace(done, packed_result=None))
        else:
            self._report_regrade(planned, report, done)

    def _explain_later(self, planned: PlannedSubmission, report: ScoreReport, program_key: str = "") -> None:
        if self._explanations is not None:
            identity = planned.submission_digests.identity
            self._explanations.add_if_unexplained(planned.entry, identity, report, program_key)

    def _report_regrade(self, planned: PlannedSubmission, report: ScoreReport, done: GradingTaskResult) -> None:
        self._compare_with_mark_before(planned.entry.name, report, planned.plan)
        self._result_writer.report_result(done)

    def _report_reused_result(self, name: str, stored_result: StoredResult) -> None:
        """Report that a stored result counts from now on, unless it gives the mark that counted before."""
        before = self._marks_before.results.get(name)
        if before is None:
            self.summary.duplicate_count += 1
            return
        is_restored = before.row_id != stored_result.row_id
        if is_restored:
            self.summary.restored_count += 1
        if is_restored or self._marks_before.context_before_deadline_change:
            self.summary.compared_reused_count += 1
            self._compare_with_mark_before(name, unpack_report(stored_result.packed_report), SubmissionRegradePlan())

    def _compare_with_mark_before(self, name: str, report: ScoreReport, plan: SubmissionRegradePlan) -> None:
        before = self._marks_before.load_report_or_none(self._store, name, before_deadline_change=True)
        if before:
            after = personalize_report(report, name, self._context)
            self._on_regraded(RegradedReportPair(name, before, after, plan))
