"""One submission after the other: what is known of it already, what must be done, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from autograder.batch.gradebook import write_gradebook
from autograder.batch.history import History
from autograder.batch.summary import BatchSummary, Progress
from autograder.batch.views import GRADEBOOK, Views, in_gradebook
from autograder.batch.work import Done, Task, done_with, seconds_of
from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.store.again import Earlier, rescored
from autograder.store.change import Plan, plan_for
from autograder.store.classes import Batch
from autograder.store.database import Store
from autograder.store.keys import HandedIn, Rules, handed_in
from autograder.store.members import Member
from autograder.store.record import Record, unpack, unpack_kept
from autograder.store.results import Found

CHANGED = "it changed while it was graded: run the same command again"
GONE = "it is not there any more as it was handed in"
FIRST = Plan("nothing of it was kept")


@dataclass(frozen=True, slots=True)
class Regraded:
    """A submission with a result of an earlier version, and the new one."""

    name: str
    before: ScoreReport
    after: ScoreReport
    plan: Plan
    """What was done anew, and why."""


@dataclass(frozen=True, slots=True)
class _Underway:
    member: Member
    handed_in: HandedIn
    before: Found | None
    plan: Plan


class Clerk:
    """Hands out what must be graded, and keeps what comes back.

    Attributes:
        store: what is kept.
        summary: the batch in numbers, until now.
    """

    def __init__(
        self,
        store: Store,
        batch: Batch,
        views: Views,
        assignment: Assignment,
        progress: Progress,
        regraded: Callable[[Regraded], None] | None = None,
    ) -> None:
        """Nothing is done yet.

        Args:
            store: what is kept.
            batch: the class, with the rules it is graded by.
            views: where reports go.
            assignment: what is graded.
            progress: told of every submission once.
            regraded: told of those of which there was a result of an earlier version.
        """
        self.summary = BatchSummary(pages=views.pages)
        self.store, self._batch, self._views, self._assignment = store, batch, views, assignment
        self._progress, self._regraded = progress, regraded or (lambda _: None)
        self._underway: dict[str, _Underway] = {}
        self._history = History(store, batch.rules, assignment)

    def tasks(self, members: Iterable[Member]) -> Iterator[Task]:
        """What must be graded; the rest is dealt with at once.

        Args:
            members: the class. One with an identity is graded only if it is still what it was.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        for member in members:
            self.summary.submissions += 1
            task = self._begun(member)
            if task:
                yield task

    def keep(self, done: Done) -> None:
        """Keep what came of a task, and show it."""
        underway = self._underway.pop(done.name)
        if done.record and not done.failure:
            report = unpack(done.record.report)
            handed = self._still(underway, report.submission.sha256)
            if handed:
                self._put(replace(underway, handed_in=handed), report, done.record, done)
                return
            done = replace(done, failure=CHANGED)
        self._tell(done)

    def finish(self) -> None:
        """Write the gradebook, and count what stands in it.

        Raises:
            CallerFault: it cannot be written.
        """
        self.store.commit()
        terms = self._views.terms
        shown = self.summary.counted(in_gradebook(self.store, self._batch, terms), terms.hand_ins)
        write_gradebook(shown, self._assignment, self._views.out / GRADEBOOK, terms.hand_ins, terms.origins)

    def _begun(self, member: Member) -> Task | None:
        """A task, if there is anything to be run for a submission."""
        handed = handed_in(member.path, member.problem, self._assignment.limits.submission_mb * 2**20)
        gone = bool(member.identity) and member.identity != handed.identity
        if gone:
            handed = HandedIn(member.identity, "")
        elif handed.identity != member.identity:
            self.store.classes.note(self._batch, member.name, handed)
        found = self.store.results.find(handed.identity, self._rules)
        if found and found.final:
            self._show_again(member, found)
            return None
        before, change = self._history.of(handed.identity)
        plan, earlier = FIRST, None
        if before:
            record = self.store.results.record(before)
            if change:
                plan = plan_for(change, unpack(record.report), unpack_kept(record.kept))
            if not plan.everything:
                earlier = Earlier(record, self._rules.known, tuple(plan.tests), plan.diagnosis)
        underway = _Underway(member, handed, before, plan)
        if earlier and not earlier.tests and self._rescored(underway, earlier):
            return None
        if gone:
            self._miss(member, before)
            return None
        self._history.keep()
        self._underway[member.name] = underway
        return Task(member.name, member.path, member.problem, earlier)

    def _rescored(self, underway: _Underway, earlier: Earlier) -> bool:
        record = rescored(earlier, self._history.described, self._assignment)
        if record is None:
            return False
        report = unpack(record.report)
        done = replace(done_with(report, 0.0), name=underway.member.name, record=record)
        self.summary.rescored += 1
        handed = HandedIn(underway.handed_in.identity, report.submission.sha256)
        self._put(replace(underway, handed_in=handed), report, record, done)
        return True

    def _still(self, underway: _Underway, graded: str) -> HandedIn | None:
        """What was handed in, if it is what was graded; it may have changed since it was looked at."""
        if graded == underway.handed_in.sha256:
            return underway.handed_in
        member = underway.member
        now = handed_in(member.path, member.problem, self._assignment.limits.submission_mb * 2**20)
        if graded != now.sha256:
            return None
        self.store.classes.note(self._batch, member.name, now)
        return now

    def _put(self, underway: _Underway, report: ScoreReport, record: Record, done: Done) -> None:
        member, identity = underway.member, underway.handed_in.identity
        if self.store.results.put(underway.handed_in, self._rules, report, record):
            self._views.show(member.name, report, bool(record.raw), lambda: record.raw)
        else:  # somebody else handed in the same, and was quicker
            found = self.store.results.find(identity, self._rules)
            if found:
                self._show(member, found)
        if underway.before:
            before = unpack(underway.before.report)
            self._regraded(Regraded(member.name, before, report, underway.plan))
        self._tell(done)

    def _miss(self, member: Member, before: Found | None) -> None:
        """It would have to be graded, and is not there: what is known of it stays."""
        self.summary.gone.append(member.name)
        if before:
            self._show_again(member, before)
        else:
            self._progress(Done(member.name, failure=GONE))

    def _show_again(self, member: Member, found: Found) -> None:
        """What was graded before, and stays."""
        report = self._show(member, found)
        self._tell(replace(done_with(report, seconds_of(report), reused=True), name=member.name))

    def _show(self, member: Member, found: Found) -> ScoreReport:
        report = unpack(found.report)
        self._views.show(member.name, report, found.has_raw, partial(self._raw_of, found))
        return report

    def _tell(self, done: Done) -> None:
        """Count it and tell of it, without what was kept."""
        done = replace(done, record=None)
        self.summary.add(done)
        self._progress(done)

    def _raw_of(self, found: Found) -> bytes:
        return self.store.results.record(found).raw

    @property
    def _rules(self) -> Rules:
        return self._batch.rules
