"""Look at a submission before it is graded: what was handed in, what is known of it, and what of that still holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autograder.batch.earlier_results import EarlierResults
from autograder.batch.tasks import GradingTask
from autograder.course import Assignment
from autograder.store.assignment_change import OTHER_CONDITIONS, OTHER_KIT, RegradePlan, plan_regrade
from autograder.store.class_members import ClassMember
from autograder.store.class_table import StoredClass
from autograder.store.database import Store
from autograder.store.regrade import EarlierResult, rescore_result
from autograder.store.result_keys import SubmissionKey, compute_submission_key
from autograder.store.result_record import ResultRecord, decode_regrade_data, decompress_report
from autograder.store.result_table import FoundResult

FIRST = RegradePlan("nothing of it was kept")


@dataclass(frozen=True, slots=True)
class PlannedSubmission:
    """One submission, and what is to be done about it."""

    member: ClassMember
    handed_in: SubmissionKey
    gone: bool = False
    """Whether it is not there any more as it was handed in."""
    result: FoundResult | None = None
    """What stays; None where something must be done."""
    before: FoundResult | None = None
    """The latest result by other rules, or one that is not final."""
    plan: RegradePlan = FIRST
    """What must be done anew, and why."""
    earlier: EarlierResult | None = None
    """The result of the earlier version, where some of it holds."""
    last: bool = False
    """Whether it is graded after all others, alone: it was graded by these very rules, and a wall clock struck."""

    @property
    def task(self) -> GradingTask:
        """Return the task that a worker gets."""
        return GradingTask(self.member.name, self.member.path, self.member.problem, self.earlier, last=self.last)


class SubmissionPlanner:
    """Looks at submissions and decides."""

    def __init__(self, store: Store, stored_class: StoredClass, assignment: Assignment, *, other_kits: bool) -> None:
        """Prepare to look at submissions; look at none yet.

        Args:
            store: where results are kept.
            stored_class: the class, with the rules it is graded by.
            assignment: the assignment that is graded.
            other_kits: whether a result by another version of the kit stays as it is.
        """
        self._store, self._batch, self._assignment = store, stored_class, assignment
        self._other_kits = other_kits
        self._history = EarlierResults(store, stored_class.rules, assignment)

    def plan_submission(self, member: ClassMember) -> PlannedSubmission:
        """Decide what to do about a submission. One with an identity must still be what it was, or it is gone.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        handed = self._handed_in(member)
        gone = bool(member.identity) and member.identity != handed.identity
        if gone:
            handed = SubmissionKey(member.identity, "")
        elif handed.identity != member.identity:
            self._store.classes.record_submission(self._batch, member.name, handed)
        found = self._store.results.find_result(handed.identity, self._batch.rules)
        if found and found.final:
            return PlannedSubmission(member, handed, gone, found)
        latest = self._store.results.find_latest_result(handed.identity, self._batch.rules.assignment)
        if latest and latest.kit != self._batch.rules.kit:
            stays = self._other_kits and latest.final
            return PlannedSubmission(member, handed, gone, latest if stays else None, latest, RegradePlan(OTHER_KIT))
        before, change = self._history.find_latest_with_change(handed.identity)
        if before is None:
            return PlannedSubmission(
                member, handed, gone, before=latest, plan=RegradePlan(OTHER_CONDITIONS) if latest else FIRST
            )
        record, plan = self._store.results.load_record(before), FIRST
        report = decompress_report(record.report)
        if change:
            plan = plan_regrade(change, report, decode_regrade_data(record.kept))
        again = None
        if not plan.everything:
            again = EarlierResult(record, self._batch.rules.known, tuple(plan.tests), plan.diagnosis)
        last = found is not None and report.status.provisional
        return PlannedSubmission(member, handed, gone, before=before, plan=plan, earlier=again, last=last)

    def rescore_without_running(self, planned: PlannedSubmission) -> ResultRecord | None:
        """Return the new result, if it follows from what was kept; None where something must be run."""
        if planned.earlier is None or planned.earlier.tests:
            return None
        return rescore_result(planned.earlier, self._history.described_assignment, self._assignment)

    def save_assignment_version(self) -> None:
        """Keep the assignment's present version: something is about to be run by it.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        self._history.save_manifest()

    def match_graded_files(self, planned: PlannedSubmission, sha256: str) -> PlannedSubmission | None:
        """Return the case of what was graded; None if something else lies there now, as files may change meanwhile.

        Args:
            planned: the case as it was when the submission was looked at.
            sha256: the digest of what was graded.
        """
        if sha256 == planned.handed_in.sha256:
            return planned
        now = self._handed_in(planned.member)
        if sha256 != now.sha256:
            return None
        self._store.classes.record_submission(self._batch, planned.member.name, now)
        return replace(planned, handed_in=now)

    def _handed_in(self, member: ClassMember) -> SubmissionKey:
        return compute_submission_key(member.path, member.problem, self._assignment.limits.submission_mb * 2**20)
