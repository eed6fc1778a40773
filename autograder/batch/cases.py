"""Look at a submission before it is graded: what was handed in, what is known of it, and what of that still holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autograder.batch.history import History
from autograder.batch.work import Task
from autograder.course import Assignment
from autograder.store.again import Earlier, rescored
from autograder.store.change import OTHER_CONDITIONS, OTHER_KIT, Plan, plan_for
from autograder.store.classes import Batch
from autograder.store.database import Store
from autograder.store.keys import HandedIn, handed_in
from autograder.store.members import Member
from autograder.store.record import Record, unpack, unpack_kept
from autograder.store.results import Found

FIRST = Plan("nothing of it was kept")


@dataclass(frozen=True, slots=True)
class Case:
    """One submission, and what is to be done about it."""

    member: Member
    handed_in: HandedIn
    gone: bool = False
    """Whether it is not there any more as it was handed in."""
    result: Found | None = None
    """What stays; None where something must be done."""
    before: Found | None = None
    """The latest result by other rules, or one that is not final."""
    plan: Plan = FIRST
    """What must be done anew, and why."""
    earlier: Earlier | None = None
    """The result of the earlier version, where some of it holds."""
    last: bool = False
    """Whether it is graded after all others, alone: it was graded by these very rules, and a wall clock struck."""

    @property
    def task(self) -> Task:
        """Return the task that a worker gets."""
        return Task(self.member.name, self.member.path, self.member.problem, self.earlier, last=self.last)


class Cases:
    """Looks at submissions and decides."""

    def __init__(self, store: Store, batch: Batch, assignment: Assignment, *, other_kits: bool) -> None:
        """Prepare to look at submissions; look at none yet.

        Args:
            store: where results are kept.
            batch: the class, with the rules it is graded by.
            assignment: the assignment that is graded.
            other_kits: whether a result by another version of the kit stays as it is.
        """
        self._store, self._batch, self._assignment = store, batch, assignment
        self._other_kits = other_kits
        self._history = History(store, batch.rules, assignment)

    def of(self, member: Member) -> Case:
        """Decide what to do about a submission. One with an identity must still be what it was, or it is gone.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        handed = self._handed_in(member)
        gone = bool(member.identity) and member.identity != handed.identity
        if gone:
            handed = HandedIn(member.identity, "")
        elif handed.identity != member.identity:
            self._store.classes.note(self._batch, member.name, handed)
        found = self._store.results.find(handed.identity, self._batch.rules)
        if found and found.final:
            return Case(member, handed, gone, found)
        latest = self._store.results.latest(handed.identity, self._batch.rules.assignment)
        if latest and latest.kit != self._batch.rules.kit:
            stays = self._other_kits and latest.final
            return Case(member, handed, gone, latest if stays else None, latest, Plan(OTHER_KIT))
        before, change = self._history.of(handed.identity)
        if before is None:
            return Case(member, handed, gone, before=latest, plan=Plan(OTHER_CONDITIONS) if latest else FIRST)
        record, plan = self._store.results.record(before), FIRST
        report = unpack(record.report)
        if change:
            plan = plan_for(change, report, unpack_kept(record.kept))
        again = None
        if not plan.everything:
            again = Earlier(record, self._batch.rules.known, tuple(plan.tests), plan.diagnosis)
        last = found is not None and report.status.provisional
        return Case(member, handed, gone, before=before, plan=plan, earlier=again, last=last)

    def rescored(self, case: Case) -> Record | None:
        """Return the new result, if it follows from what was kept; None where something must be run."""
        if case.earlier is None or case.earlier.tests:
            return None
        return rescored(case.earlier, self._history.described, self._assignment)

    def begin(self) -> None:
        """Keep the assignment's present version: something is about to be run by it.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        self._history.keep()

    def as_graded(self, case: Case, sha256: str) -> Case | None:
        """Return the case of what was graded; None if something else lies there now, as files may change meanwhile.

        Args:
            case: the case as it was when the submission was looked at.
            sha256: the digest of what was graded.
        """
        if sha256 == case.handed_in.sha256:
            return case
        now = self._handed_in(case.member)
        if sha256 != now.sha256:
            return None
        self._store.classes.note(self._batch, case.member.name, now)
        return replace(case, handed_in=now)

    def _handed_in(self, member: Member) -> HandedIn:
        return handed_in(member.path, member.problem, self._assignment.limits.submission_mb * 2**20)
