"""Keep, show, count and report the result of each submission."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from autograder.batch.gradebook import write_gradebook
from autograder.batch.output_folder import GRADEBOOK, OutputFolder
from autograder.batch.student_reports import iterate_gradebook_entries
from autograder.batch.summary import BatchSummary, Progress
from autograder.batch.tasks import TaskResult, make_task_result, total_grading_seconds
from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.store.class_members import ClassMember
from autograder.store.class_table import StoredClass
from autograder.store.database import Store
from autograder.store.result_keys import SubmissionKey
from autograder.store.result_record import ResultRecord, decompress_report
from autograder.store.result_table import FoundResult

GONE = "it is not there any more as it was handed in"


class ResultRecorder:
    """Keeps results, and shows those that there are.

    Attributes:
        summary: the batch in numbers, until now.
    """

    def __init__(self, store: Store, stored_class: StoredClass, views: OutputFolder, progress: Progress) -> None:
        """Prepare to keep results; keep none yet.

        Args:
            store: where results are kept.
            stored_class: the class, with the rules it is graded by.
            views: where they are shown.
            progress: told of every submission once.
        """
        self.summary = BatchSummary(pages=views.pages)
        self._store, self._batch, self._views, self._progress = store, stored_class, views, progress

    def record_new_result(
        self, member: ClassMember, submission_key: SubmissionKey, report: ScoreReport, record: ResultRecord
    ) -> None:
        """Keep a new result, and show it.

        Args:
            member: the member of the class.
            submission_key: the submission that was graded.
            report: its report.
            record: the same result in the form in which it is kept.
        """
        if self._store.results.save_result(submission_key, self._batch.rules, report, record):
            self._views.write_student_files(member.name, report, bool(record.raw), lambda: record.raw)
            return
        found = self._store.results.find_result(submission_key.identity, self._batch.rules)
        if found:  # somebody else handed in the same, and was quicker
            self._show(member, found)

    def reuse_result(self, member: ClassMember, found: FoundResult) -> None:
        """Show and report a result of an earlier run that stays as it is."""
        report = self._show(member, found)
        self.report_result(
            replace(make_task_result(report, total_grading_seconds(report), reused=True), name=member.name)
        )

    def report_missing_submission(self, member: ClassMember, before: FoundResult | None) -> None:
        """Report a submission that would have to be graded, and is not there: what is known of it stays."""
        self.summary.gone.append(member.name)
        if before:
            self.reuse_result(member, before)
        else:
            self._progress(TaskResult(member.name, failure=GONE))

    def report_result(self, result: TaskResult) -> None:
        """Count and report the result of a submission, without its record."""
        result = replace(result, record=None)
        self.summary.add_result(result)
        self._progress(result)

    def write_gradebook(self, assignment: Assignment) -> None:
        """Write the gradebook, and count what stands in it.

        Raises:
            CallerFault: the gradebook cannot be written.
        """
        if self._views.dry:
            return
        self._store.commit()
        terms = self._views.terms
        shown = self.summary.count_gradebook_entries(
            iterate_gradebook_entries(self._store, self._batch, terms), terms.hand_ins
        )
        write_gradebook(shown, assignment, self._views.out / GRADEBOOK, terms.hand_ins, terms.origins, terms.paths)

    def _show(self, member: ClassMember, found: FoundResult) -> ScoreReport:
        report = decompress_report(found.report)
        self._views.write_student_files(member.name, report, found.has_raw, partial(self._raw_of, found))
        return report

    def _raw_of(self, found: FoundResult) -> bytes:
        return self._store.results.load_record(found).raw
