"""Plan the grading of each submission: its content, its stored results, and the parts of these that still hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autograder.batch.earlier_version_results import EarlierVersionResultFinder
from autograder.course import Assignment
from autograder.regrade.partial_regrade import PartlyValidResult, try_rescore
from autograder.regrade.submission_regrade_plan import (
    OTHER_CONDITIONS,
    OTHER_KIT,
    SubmissionRegradePlan,
    plan_submission_regrade,
)
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.packed_result import PackedResult, unpack_observations, unpack_report
from autograder.store.results.result_key import SubmissionDigests, compute_submission_digests
from autograder.store.results.result_table import StoredResult
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.store import Store
from autograder.workers.grading_tasks import GradingTask

NOTHING_KEPT = SubmissionRegradePlan("nothing of it was kept")


@dataclass(frozen=True, slots=True)
class PlannedSubmission:
    """One submission, with the plan for grading it."""

    entry: StoredSubmissionEntry
    submission_digests: SubmissionDigests
    is_missing: bool = False
    """Whether its files are gone or changed."""
    valid_result: StoredResult | None = None
    """The result to reuse as it is; None if something must be done."""
    outdated_result: StoredResult | None = None
    """The result by other rules that counted last, or one that is not final."""
    plan: SubmissionRegradePlan = NOTHING_KEPT
    """The parts that must be graded again, and why."""
    partly_valid_result: PartlyValidResult | None = None
    """The result of the earlier version, if a part of it holds."""
    runs_last_and_alone: bool = False
    """Whether to grade it alone after all others, because it hit a wall-clock limit under the same rules before."""

    @property
    def task(self) -> GradingTask:
        """Return the task that a worker gets."""
        return GradingTask(
            self.entry.name,
            self.entry.path,
            self.entry.problem,
            self.partly_valid_result,
            runs_last_and_alone=self.runs_last_and_alone,
        )


class SubmissionPlanner:
    """Decides for each submission which parts of its stored result still hold and which must be run.

    It records the submission's new key in the store.
    """

    def __init__(
        self,
        store: Store,
        stored_class: StoredGradedClass,
        assignment: Assignment,
        *,
        accept_other_kit_versions: bool,
    ) -> None:
        """Prepare to plan submissions; read none yet.

        Args:
            store: where results are kept.
            stored_class: the class, with the rules it is graded by.
            assignment: the assignment that is graded.
            accept_other_kit_versions: whether a result by another version of the kit stays as it is.
        """
        self._store, self._stored_class, self._assignment = store, stored_class, assignment
        self._accept_other_kit_versions = accept_other_kit_versions
        self._history = EarlierVersionResultFinder(store, stored_class.rules, assignment)

    def plan_submission_and_record_digests(self, entry: StoredSubmissionEntry) -> PlannedSubmission:
        """Plan the grading of a submission. An entry with an identity counts as missing if its content changed.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        handed = self._compute_submission_digests(entry)
        gone = bool(entry.submission_identity) and entry.submission_identity != handed.identity
        if gone:
            handed = SubmissionDigests(entry.submission_identity, "")
        elif handed.identity != entry.submission_identity:
            self._store.classes.record_submission_digests(self._stored_class, entry.name, handed)
        found = self._store.results.find_result(handed.identity, self._stored_class.rules)
        if found and found.is_final:
            return PlannedSubmission(entry, handed, gone, found)
        latest = self._store.results.find_last_counted_result(
            handed.identity, self._stored_class.rules.assignment, entry.last_result_id
        )
        if latest and latest.kit_version != self._stored_class.rules.kit:
            stays = self._accept_other_kit_versions and latest.is_final
            return PlannedSubmission(
                entry, handed, gone, latest if stays else None, latest, SubmissionRegradePlan(OTHER_KIT)
            )
        before, change = self._history.find_latest_result_and_change(handed.identity)
        if before is None:
            plan = SubmissionRegradePlan(OTHER_CONDITIONS) if latest else NOTHING_KEPT
            return PlannedSubmission(entry, handed, gone, outdated_result=latest, plan=plan)
        packed_result, plan = self._store.results.load_packed_result(before), NOTHING_KEPT
        report = unpack_report(packed_result.packed_report)
        if change:
            observations = unpack_observations(packed_result.packed_observations_for_regrade)
            plan = plan_submission_regrade(change, report, observations)
        return PlannedSubmission(
            entry,
            handed,
            gone,
            outdated_result=latest,
            plan=plan,
            partly_valid_result=self._make_partly_valid_result(packed_result, plan),
            runs_last_and_alone=found is not None and report.status.provisional,
        )

    def _make_partly_valid_result(
        self, packed_result: PackedResult, plan: SubmissionRegradePlan
    ) -> PartlyValidResult | None:
        if plan.reason_to_run_everything:
            return None
        return PartlyValidResult(
            packed_result,
            self._stored_class.rules.misconceptions_state,
            tuple(plan.reason_by_test_to_run),
            plan.redoes_diagnosis,
        )

    def try_rescore_from_stored_data(self, planned: PlannedSubmission) -> PackedResult | None:
        """Return the new result if it follows from stored data; None if something must be run."""
        if planned.partly_valid_result is None or planned.partly_valid_result.tests_to_run:
            return None
        return try_rescore(
            planned.partly_valid_result, self._history.saved_current_manifest_with_tests, self._assignment
        )

    def save_assignment_manifest_if_missing(self) -> None:
        """Save the manifest of the present version, before something is run by it.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        self._history.current_manifest  # noqa: B018

    def try_update_plan_digests(self, planned: PlannedSubmission, graded_sha256: str) -> PlannedSubmission | None:
        """Return the plan with the digests of the graded files; None if these are neither planned nor present.

        Files may change between planning and grading, and again after it.

        Args:
            planned: the plan made before the grading.
            graded_sha256: the digest of the files that were graded.
        """
        if graded_sha256 == planned.submission_digests.sha256:
            return planned
        now = self._compute_submission_digests(planned.entry)
        if graded_sha256 != now.sha256:
            return None
        self._store.classes.record_submission_digests(self._stored_class, planned.entry.name, now)
        return replace(planned, submission_digests=now)

    def _compute_submission_digests(self, entry: StoredSubmissionEntry) -> SubmissionDigests:
        return compute_submission_digests(entry.path, entry.problem, self._assignment.limits.submission_mb * 2**20)
