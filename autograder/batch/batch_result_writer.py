"""Write the result of each submission of a batch, show it, and count it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from autograder.batch.batch_summary import BatchSummary, ResultCallback
from autograder.batch.gradebook import write_gradebook
from autograder.batch.mark_change_audit import MarkChangeAuditRecorder
from autograder.batch.output_folder_lock import lock_output_folder
from autograder.batch.output_layout import GRADEBOOK
from autograder.batch.personalized_reports import (
    iterate_entry_results,
    iterate_personalized_reports,
    load_report_context,
)
from autograder.batch.student_result_files import StudentResultFilesWriter
from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.packed_result import PackedResult, unpack_report
from autograder.store.results.result_key import SubmissionDigests
from autograder.store.results.result_table import StoredResult
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.store import Store
from autograder.workers.grading_tasks import GradingTaskResult, make_task_result, sum_processing_seconds

MISSING_MESSAGE = "the submission no longer exists as it was handed in"


class BatchResultWriter:
    """Writes the results of a batch to the store and to the output folder, and reports them to a callback.

    Attributes:
        summary: the batch in numbers, until now.
    """

    def __init__(
        self,
        store: Store,
        stored_class: StoredGradedClass,
        student_files_writer: StudentResultFilesWriter,
        on_result: ResultCallback,
        mark_change_recorder: MarkChangeAuditRecorder | None = None,
    ) -> None:
        """Prepare to save results; save none yet."""
        self.summary = BatchSummary(wrote_student_pages=student_files_writer.has_student_pages)
        self._store, self._stored_class = store, stored_class
        self._student_files_writer, self._on_result = student_files_writer, on_result
        self._mark_change_recorder = mark_change_recorder

    def write_new_result(
        self,
        entry: StoredSubmissionEntry,
        submission_digests: SubmissionDigests,
        report: ScoreReport,
        packed_result: PackedResult,
    ) -> None:
        """Save a new result, and write the student's files; do nothing if the entry was erased meanwhile."""
        with self._store.group():
            if not self._store.classes.lock_entry_if_present(self._stored_class, entry.name):
                return
            is_saved = self._save_result(entry.name, submission_digests, report, packed_result)
        if is_saved:
            self._student_files_writer.update_student_files(
                entry.name,
                report,
                bool(packed_result.packed_pytest_record),
                lambda: packed_result.packed_pytest_record,
            )
            return
        found = self._store.results.find_result(submission_digests.identity, self._stored_class.rules)
        if found:  # an equal submission was graded meanwhile
            self._write_student_files(entry, found)

    def write_and_report_reused_result(self, entry: StoredSubmissionEntry, stored_result: StoredResult) -> None:
        """Show and report a stored result, of this submission or of another one with the same files."""
        report = self._write_student_files(entry, stored_result)
        self.report_result(make_task_result(entry.name, report, sum_processing_seconds(report), was_reused=True))

    def report_missing_submission(self, entry: StoredSubmissionEntry, outdated_result: StoredResult | None) -> None:
        """Report a submission that needs grading but is missing; a stored result of it stays."""
        if outdated_result:
            self.summary.missing_submissions.append(entry.name)
            self.write_and_report_reused_result(entry, outdated_result)
        else:
            self.report_result(GradingTaskResult(entry.name, kit_failure=MISSING_MESSAGE))

    def report_result(self, result: GradingTaskResult) -> None:
        """Count and report the result of a submission, without its packed form."""
        result = replace(result, packed_result=None)
        self.summary.add_result(result)
        self._on_result(result)

    def commit_and_write_gradebook(self, assignment: Assignment) -> None:
        """Commit the results, write the gradebook, and count its rows; do nothing in a dry run.

        What people decided while the class was graded is in the gradebook, and in the reports.

        Raises:
            CallerFault: the gradebook cannot be written.
        """
        if self._student_files_writer.dry_run:
            return
        self._store.commit()
        with lock_output_folder(self._student_files_writer.path):
            self._rewrite_student_files_if_decisions_changed(assignment)
            context = self._student_files_writer.report_context
            shown = self.summary.iterate_and_count_reports(
                iterate_personalized_reports(self._store, self._stored_class, context),
                context.submission_times,
            )
            write_gradebook(shown, assignment, self._student_files_writer.path / GRADEBOOK, context)

    def _rewrite_student_files_if_decisions_changed(self, assignment: Assignment) -> None:
        """Write the files that depend on what people decided while the class was graded."""
        context = load_report_context(self._store, self._stored_class, assignment.deadline_rules)
        if context.decisions == self._student_files_writer.report_context.decisions:
            return
        self._student_files_writer.report_context = context
        for entry, found, _ in iterate_entry_results(self._store, self._stored_class):
            if found:
                self._update_student_files(entry, found)

    def _save_result(
        self, name: str, submission_digests: SubmissionDigests, report: ScoreReport, record: PackedResult
    ) -> bool:
        """Save a result and the audit row of a changed mark in one transaction; return whether it was saved."""
        with self._store.group():
            rules = self._stored_class.rules
            row_id = self._store.results.save_result_unless_final(submission_digests, rules, report, record)
            if row_id is None:
                return False
            self._store.classes.record_counted_result(self._stored_class, name, row_id)
            if self._mark_change_recorder:
                self._mark_change_recorder.record_mark_change_if_any(
                    name, report, self._student_files_writer.report_context
                )
            return True

    def _write_student_files(self, entry: StoredSubmissionEntry, found: StoredResult) -> ScoreReport:
        if found.row_id != entry.last_result_id:
            self._store.classes.record_counted_result(self._stored_class, entry.name, found.row_id)
        if self._mark_change_recorder:
            self._mark_change_recorder.record_reused_result(
                entry.name, found, self._student_files_writer.report_context
            )
        return self._update_student_files(entry, found)

    def _update_student_files(self, entry: StoredSubmissionEntry, found: StoredResult) -> ScoreReport:
        report = unpack_report(found.packed_report)
        self._student_files_writer.update_student_files(
            entry.name, report, found.has_pytest_record, partial(self._store.results.load_packed_pytest_record, found)
        )
        return report
