"""Bring a class from its entries to its files: reuse what holds, have the rest graded, save, write and report it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import msgspec

from autograder.batch.assignment_changes import digest_assignment_parts, find_reason_to_run, rescore_report
from autograder.batch.batch_location import GRADEBOOK, BatchLocation, lock_output_folder
from autograder.batch.batch_summary import BatchSummary, ResultCallback
from autograder.batch.class_explanations import ClassExplanations, ExplainedCallback
from autograder.batch.mark_changes import ClassMarksBeforeRun, MarkChangeAuditRecorder, RegradedReportPair
from autograder.batch.output_files import StudentResultFilesWriter, write_gradebook
from autograder.batch.personalized_reports import (
    iterate_entry_results,
    iterate_personalized_reports,
    load_report_context,
    personalize_report,
)
from autograder.course import Assignment
from autograder.faults import CourseWarning
from autograder.grading import HiddenTestSpec
from autograder.grading.hidden_suite import HiddenSuiteSession
from autograder.reports import ScoreReport
from autograder.sandbox import SandboxConfig
from autograder.store.results.graded_class_table import StoredGradedClass, StoredSubmissionEntry
from autograder.store.results.result_model import (
    ANY_MISCONCEPTIONS_STATE,
    PackedResult,
    SubmissionDigests,
    compute_submission_digests,
    pack_report,
    unpack_report,
)
from autograder.store.results.result_table import StoredResult
from autograder.store.store import Store
from autograder.workers.grading_tasks import (
    GradingTask,
    GradingTaskResult,
    WorkersOpener,
    make_task_result,
    sum_processing_seconds,
)
from autograder.workers.local_workers import open_local_workers


@dataclass(frozen=True, slots=True)
class BatchConfig:
    """How to grade a class, independent of its submissions."""

    assignment: Assignment
    sandbox: SandboxConfig
    """The sandbox for students' code."""
    location: BatchLocation
    """Gets ``reports/``, ``raw/`` and ``gradebook.csv``, and keeps the results."""
    open_workers: WorkersOpener = open_local_workers
    """Starts the workers; by default, one process per processor of this machine."""
    on_result: ResultCallback = lambda done: None
    """Called once for every submission."""
    on_regraded: Callable[[RegradedReportPair], None] = lambda one: None
    """Called for every submission that gets another result than the one that counted before, new or stored."""
    explains: bool = False
    """Whether the repairs of wrong submissions are looked for, once all have their marks."""
    on_explained: ExplainedCallback = lambda explained: None
    """Called for every submission whose repair was looked for."""


CHANGED = "the submission changed while it was graded: run the same command again"
MISSING_MESSAGE = "the submission no longer exists as it was handed in"
NOTHING_KEPT = "nothing of it was kept"
OTHER_KIT = "the kit changed"
OTHER_CONDITIONS = "Python, a package or the isolation changed"
OTHER_MISTAKES = "the known mistakes changed"
PROVISIONAL = "a wall-clock limit was hit when it was graded"
GRADER_ERROR = "a test did not work when it was run"


@dataclass(frozen=True, slots=True)
class _PlannedSubmission:
    entry: StoredSubmissionEntry
    digests: SubmissionDigests
    is_missing: bool
    """Whether its files are gone or changed."""
    reason_to_run: str
    """Why it must be graded again; empty if an earlier result gives the new one."""
    is_new: bool
    """Whether it never had a result."""


class BatchCoordinator:
    """Hands out what must be graded, settles the rest at once, and records what comes back.

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
        self.summary = BatchSummary(wrote_student_pages=student_files_writer.has_student_pages)
        self._config, self._assignment = config, config.assignment
        self._store, self._stored_class, self._rules = store, stored_class, stored_class.rules
        self._student_files_writer = student_files_writer
        self._accept_other_kit_versions = accept_other_kit_versions
        self._mark_change_recorder = mark_change_recorder
        self._marks_before = mark_change_recorder.marks_before if mark_change_recorder else ClassMarksBeforeRun()
        self._explanations = explanations
        self._underway: dict[str, _PlannedSubmission] = {}
        self._first: dict[str, tuple[_PlannedSubmission, ScoreReport, GradingTaskResult]] = {}

    def iterate_tasks_and_settle_rest(self, entries: Iterable[StoredSubmissionEntry]) -> Iterator[GradingTask]:
        """Yield a task for each submission that must be graded; settle the others at once.

        Args:
            entries: the class. An entry with an identity is graded only if its content is unchanged.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        for entry in entries:
            self.summary.submission_count += 1
            digests, is_missing = self._identify(entry)
            found = self._store.results.find_result(digests.identity, self._rules)
            last = self._store.results.find_last_counted_result(
                digests.identity, self._rules.assignment, entry.last_result_id
            )
            reason = self._find_reason_to_run(found or last)
            planned = _PlannedSubmission(entry, digests, is_missing, reason, last is None)
            if found and found.is_final:
                report = self._reuse(entry, found)
                self._explain_later(planned, report)
            elif last and reason == OTHER_KIT and self._accept_other_kit_versions and last.is_final:
                self._reuse(entry, last)
            elif last and not reason:
                self._rescore(planned, last)
            elif is_missing and last:
                self.summary.missing_submissions.append(entry.name)
                self._reuse(entry, last)
            elif is_missing:
                self._report(GradingTaskResult(entry.name, kit_failure=MISSING_MESSAGE))
            else:
                self._underway[entry.name] = planned
                yield GradingTask(
                    entry.name,
                    entry.path,
                    entry.problem,
                    runs_last_and_alone=found is not None and reason == PROVISIONAL,
                    explains=self._explanations is not None,
                )

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
            graded = self._update_digests_if_present(planned, report.submission.sha256)
            if graded:
                self._record(graded, report, result.packed_result, result)
                return
            result = replace(result, kit_failure=CHANGED)
        if result.will_be_retried:
            return
        if first:  # a provisional result is better than none
            self._report_regrade(*first)
        else:
            if planned.is_new and result.name in self._marks_before.results:
                self.summary.displaced_results.append(result.name)
            self._report(result)

    def commit_and_write_gradebook(self) -> None:
        """Commit the results, write the gradebook, and count its rows; do nothing in a dry run.

        What people decided while the class was graded is in the gradebook, and in the reports.

        Raises:
            CallerFault: the gradebook cannot be written.
        """
        writer = self._student_files_writer
        if writer.dry_run:
            return
        self._store.commit()
        with lock_output_folder(writer.path):
            context = load_report_context(self._store, self._stored_class, self._assignment.deadline_rules)
            if context.decisions != writer.report_context.decisions:
                writer.report_context = context
                for entry, found, _ in iterate_entry_results(self._store, self._stored_class):
                    if found:
                        self._write_student_files(entry.name, found)
            context = writer.report_context
            shown = self.summary.iterate_and_count_reports(
                iterate_personalized_reports(self._store, self._stored_class, context), context.submission_times
            )
            write_gradebook(shown, self._assignment, writer.path / GRADEBOOK, context)

    # What must be run

    @cached_property
    def _assignment_parts(self) -> dict[str, str]:
        return digest_assignment_parts(self._assignment)

    @cached_property
    def _test_specs(self) -> tuple[HiddenTestSpec, ...]:
        with HiddenSuiteSession(self._assignment) as suite:
            return suite.test_specs

    def _identify(self, entry: StoredSubmissionEntry) -> tuple[SubmissionDigests, bool]:
        """Record what was handed in, and return its digests and whether it is missing.

        An entry with an identity is missing if its content changed since.
        """
        digests = self._compute_digests(entry)
        if entry.submission_identity not in ("", digests.identity):
            return SubmissionDigests(entry.submission_identity, ""), True
        if digests.identity != entry.submission_identity:
            self._store.classes.record_submission_digests(self._stored_class, entry.name, digests)
        return digests, False

    def _find_reason_to_run(self, before: StoredResult | None) -> str:
        """Return why an earlier result does not give the new one; empty if it does."""
        rules = self._rules
        if before is None:
            return NOTHING_KEPT
        if before.kit_version != rules.kit:
            return OTHER_KIT
        if before.environment_hash != rules.environment_hash:
            return OTHER_CONDITIONS
        if not before.is_final:
            return PROVISIONAL if unpack_report(before.packed_report).status.provisional else GRADER_ERROR
        if reason := find_reason_to_run(msgspec.json.decode(before.assignment_parts), self._assignment_parts):
            return reason
        has_same_mistakes = before.misconceptions_state in (rules.misconceptions_state, ANY_MISCONCEPTIONS_STATE)
        return "" if has_same_mistakes else OTHER_MISTAKES

    def _update_digests_if_present(
        self, planned: _PlannedSubmission, graded_sha256: str
    ) -> _PlannedSubmission | None:
        """Return the plan with the digests of the graded files; None if these are neither planned nor present.

        Files may change between planning and grading, and again after it.
        """
        if graded_sha256 == planned.digests.sha256:
            return planned
        now = self._compute_digests(planned.entry)
        if graded_sha256 != now.sha256:
            return None
        self._store.classes.record_submission_digests(self._stored_class, planned.entry.name, now)
        return replace(planned, digests=now)

    def _compute_digests(self, entry: StoredSubmissionEntry) -> SubmissionDigests:
        return compute_submission_digests(entry.path, entry.problem, self._assignment.limits.submission_mb * 2**20)

    # What becomes of it

    def _reuse(self, entry: StoredSubmissionEntry, found: StoredResult) -> ScoreReport:
        """Let a stored result count, of this submission or of another one with the same files, and report it."""
        self._report_reused_result(entry.name, found)
        report = self._count_stored_result(entry, found)
        self._report(make_task_result(entry.name, report, sum_processing_seconds(report), was_reused=True))
        return report

    def _rescore(self, planned: _PlannedSubmission, before: StoredResult) -> None:
        """Save and report the result that follows from an earlier one."""
        packed_before = self._store.results.load_packed_result(before)
        report = rescore_report(unpack_report(packed_before.packed_report), self._test_specs, self._assignment)
        packed_result = replace(packed_before, packed_report=pack_report(report))
        self.summary.rescored_count += 1
        digests = SubmissionDigests(planned.digests.identity, report.submission.sha256)
        done = make_task_result(planned.entry.name, report, 0.0)
        self._record(replace(planned, digests=digests), report, packed_result, done)

    def _record(
        self, planned: _PlannedSubmission, report: ScoreReport, packed_result: PackedResult, done: GradingTaskResult
    ) -> None:
        self._save(planned, report, packed_result)
        self._explain_later(planned, report, done.program_key)
        if done.will_be_retried:
            self._first[planned.entry.name] = (planned, report, replace(done, packed_result=None))
        else:
            self._report_regrade(planned, report, done)

    def _save(self, planned: _PlannedSubmission, report: ScoreReport, packed_result: PackedResult) -> None:
        """Save a new result and the audit row of a changed mark in one transaction, and write the student's files.

        Do nothing if the entry was erased meanwhile.
        """
        name = planned.entry.name
        with self._store.group():
            if not self._store.classes.lock_entry_if_present(self._stored_class, name):
                return
            row_id = self._store.results.save_result_unless_final(
                planned.digests, self._rules, self._assignment_parts, report, packed_result
            )
            if row_id is not None:
                self._store.classes.record_counted_result(self._stored_class, name, row_id)
                if self._mark_change_recorder:
                    self._mark_change_recorder.record_mark_change_if_any(
                        name, report, self._student_files_writer.report_context
                    )
        if row_id is not None:
            record = packed_result.packed_pytest_record
            self._student_files_writer.update_student_files(name, report, bool(record), lambda: record)
        elif found := self._store.results.find_result(planned.digests.identity, self._rules):
            self._count_stored_result(planned.entry, found)  # an equal submission was graded meanwhile

    def _count_stored_result(self, entry: StoredSubmissionEntry, found: StoredResult) -> ScoreReport:
        if found.row_id != entry.last_result_id:
            self._store.classes.record_counted_result(self._stored_class, entry.name, found.row_id)
        if self._mark_change_recorder:
            self._mark_change_recorder.record_reused_result(
                entry.name, found, self._student_files_writer.report_context
            )
        return self._write_student_files(entry.name, found)

    def _write_student_files(self, name: str, found: StoredResult) -> ScoreReport:
        report = unpack_report(found.packed_report)
        self._student_files_writer.update_student_files(
            name, report, found.has_pytest_record, partial(self._store.results.load_packed_pytest_record, found)
        )
        return report

    def _explain_later(self, planned: _PlannedSubmission, report: ScoreReport, program_key: str = "") -> None:
        if self._explanations is not None and not planned.is_missing:
            self._explanations.add_if_unexplained(planned.entry, planned.digests.identity, report, program_key)

    # What is told

    def _report(self, result: GradingTaskResult) -> None:
        """Count and report the result of a submission, without its packed form."""
        result = replace(result, packed_result=None)
        self.summary.add_result(result)
        self._config.on_result(result)

    def _report_regrade(self, planned: _PlannedSubmission, report: ScoreReport, done: GradingTaskResult) -> None:
        self._compare_with_mark_before(planned.entry.name, report, planned.reason_to_run)
        self._report(done)

    def _report_reused_result(self, name: str, found: StoredResult) -> None:
        """Report that a stored result counts from now on, unless it gives the mark that counted before."""
        before = self._marks_before.results.get(name)
        if before is None:
            self.summary.duplicate_count += 1
            return
        is_restored = before.row_id != found.row_id
        self.summary.restored_count += is_restored
        if is_restored or self._marks_before.context_before_deadline_change:
            self.summary.compared_reused_count += 1
            self._compare_with_mark_before(name, unpack_report(found.packed_report), "")

    def _compare_with_mark_before(self, name: str, report: ScoreReport, reason_to_run: str) -> None:
        before = self._marks_before.load_report_or_none(self._store, name, before_deadline_change=True)
        if before:
            after = personalize_report(report, name, self._student_files_writer.report_context)
            self._config.on_regraded(RegradedReportPair(name, before, after, reason_to_run))
