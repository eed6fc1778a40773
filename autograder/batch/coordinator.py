"""Hand out one submission after the other where something must be run, and take back the results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from autograder.batch.output_folder import OutputFolder
from autograder.batch.planner import PlannedSubmission, SubmissionPlanner
from autograder.batch.request import BatchRequest, Regraded
from autograder.batch.result_recorder import ResultRecorder
from autograder.batch.student_reports import personalize_report
from autograder.batch.tasks import GradingTask, TaskResult, make_task_result
from autograder.reports import ScoreReport
from autograder.store.class_members import ClassMember
from autograder.store.class_table import StoredClass
from autograder.store.database import Store
from autograder.store.result_keys import SubmissionKey
from autograder.store.result_record import ResultRecord, decompress_report

CHANGED = "it changed while it was graded: run the same command again"


class Coordinator:
    """Hands out what must be graded, and passes on what comes back.

    Attributes:
        summary: the batch in numbers, until now.
    """

    def __init__(
        self,
        request: BatchRequest,
        store: Store,
        stored_class: StoredClass,
        views: OutputFolder,
        *,
        other_kits: bool = False,
    ) -> None:
        """Prepare to hand out submissions; hand out none yet.

        Args:
            request: how the class is graded.
            store: where results are kept.
            stored_class: the class, with the rules it is graded by.
            views: where reports go.
            other_kits: whether results by another version of the kit stay as they are.
        """
        self._cases = SubmissionPlanner(store, stored_class, request.assignment, other_kits=other_kits)
        self._keeper = ResultRecorder(store, stored_class, views, request.progress)
        self._assignment, self._regraded = request.assignment, request.regraded
        self._context = views.terms
        self._underway: dict[str, PlannedSubmission] = {}
        self._first: dict[str, tuple[PlannedSubmission, ScoreReport, TaskResult]] = {}
        self.summary = self._keeper.summary

    def plan_tasks(self, members: Iterable[ClassMember]) -> Iterator[GradingTask]:
        """Yield what must be graded; deal with the rest at once.

        Args:
            members: the class. A member with an identity is graded only if it is still what it was.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        for member in members:
            self.summary.submissions += 1
            case = self._cases.plan_submission(member)
            if not self._dealt_with(case):
                self._cases.save_assignment_version()
                self._underway[member.name] = case
                yield case.task

    def accept_result(self, result: TaskResult) -> None:
        """Keep the result of a task, and show it; do not report a submission yet that is to be graded once more."""
        case, first = self._underway.pop(result.name), self._first.pop(result.name, None)
        if result.comes_again:
            self._underway[result.name] = case
        if result.record and not result.failure:
            report = decompress_report(result.record.report)
            graded = self._cases.match_graded_files(case, report.submission.sha256)
            if graded:
                self._put(graded, report, result.record, result)
                return
            result = replace(result, failure=CHANGED)
        if result.comes_again:
            return
        if first:  # a provisional result is better than none
            self._tell(*first)
        else:
            self._keeper.report_result(result)

    def write_gradebook(self) -> None:
        """Write the gradebook, and count what stands in it.

        Raises:
            CallerFault: the gradebook cannot be written.
        """
        self._keeper.write_gradebook(self._assignment)

    def _dealt_with(self, case: PlannedSubmission) -> bool:
        """Deal at once with a submission for which nothing need or can be run; return whether it is such a one."""
        if case.result:
            self._keeper.reuse_result(case.member, case.result)
        elif record := self._cases.rescore_without_running(case):
            self._rescore(case, record)
        elif case.gone:
            self._keeper.report_missing_submission(case.member, case.before)
        else:
            return False
        return True

    def _rescore(self, case: PlannedSubmission, record: ResultRecord) -> None:
        report = decompress_report(record.report)
        done = replace(make_task_result(report, 0.0), name=case.member.name, record=record)
        self.summary.rescored += 1
        handed_in = SubmissionKey(case.handed_in.identity, report.submission.sha256)
        self._put(replace(case, handed_in=handed_in), report, record, done)

    def _put(self, case: PlannedSubmission, report: ScoreReport, record: ResultRecord, done: TaskResult) -> None:
        self._keeper.record_new_result(case.member, case.handed_in, report, record)
        if done.comes_again:
            self._first[case.member.name] = (case, report, replace(done, record=None))
        else:
            self._tell(case, report, done)

    def _tell(self, case: PlannedSubmission, report: ScoreReport, done: TaskResult) -> None:
        if case.before:
            name, context = case.member.name, self._context
            before, after = (
                personalize_report(one, name, context) for one in (decompress_report(case.before.report), report)
            )
            self._regraded(Regraded(name, before, after, case.plan))
        self._keeper.report_result(done)
