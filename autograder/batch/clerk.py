"""Hand out one submission after the other where something must be run, and take back the results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from autograder.batch.cases import Case, Cases
from autograder.batch.folder import Views
from autograder.batch.keeper import Keeper
from autograder.batch.request import BatchRequest, Regraded
from autograder.batch.work import Done, Task, done_with
from autograder.reports import ScoreReport
from autograder.store.classes import Batch
from autograder.store.database import Store
from autograder.store.keys import HandedIn
from autograder.store.members import Member
from autograder.store.record import Record, unpack

CHANGED = "it changed while it was graded: run the same command again"


class Clerk:
    """Hands out what must be graded, and passes on what comes back.

    Attributes:
        summary: the batch in numbers, until now.
    """

    def __init__(
        self, request: BatchRequest, store: Store, batch: Batch, views: Views, *, other_kits: bool = False
    ) -> None:
        """Prepare to hand out submissions; hand out none yet.

        Args:
            request: how the class is graded.
            store: where results are kept.
            batch: the class, with the rules it is graded by.
            views: where reports go.
            other_kits: whether results by another version of the kit stay as they are.
        """
        self._cases = Cases(store, batch, request.assignment, other_kits=other_kits)
        self._keeper = Keeper(store, batch, views, request.progress)
        self._assignment, self._regraded = request.assignment, request.regraded
        self._underway: dict[str, Case] = {}
        self._first: dict[str, tuple[Case, ScoreReport, Done]] = {}
        self.summary = self._keeper.summary

    def tasks(self, members: Iterable[Member]) -> Iterator[Task]:
        """Yield what must be graded; deal with the rest at once.

        Args:
            members: the class. A member with an identity is graded only if it is still what it was.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        for member in members:
            self.summary.submissions += 1
            case = self._cases.of(member)
            if not self._dealt_with(case):
                self._cases.begin()
                self._underway[member.name] = case
                yield case.task

    def keep(self, done: Done) -> None:
        """Keep the result of a task, and show it; do not report a submission yet that is to be graded once more."""
        case, first = self._underway.pop(done.name), self._first.pop(done.name, None)
        if done.comes_again:
            self._underway[done.name] = case
        if done.record and not done.failure:
            report = unpack(done.record.report)
            graded = self._cases.as_graded(case, report.submission.sha256)
            if graded:
                self._put(graded, report, done.record, done)
                return
            done = replace(done, failure=CHANGED)
        if done.comes_again:
            return
        if first:  # a provisional result is better than none
            self._tell(*first)
        else:
            self._keeper.tell(done)

    def finish(self) -> None:
        """Write the gradebook, and count what stands in it.

        Raises:
            CallerFault: the gradebook cannot be written.
        """
        self._keeper.finish(self._assignment)

    def _dealt_with(self, case: Case) -> bool:
        """Deal at once with a submission for which nothing need or can be run; return whether it is such a one."""
        if case.result:
            self._keeper.leave(case.member, case.result)
        elif record := self._cases.rescored(case):
            self._rescore(case, record)
        elif case.gone:
            self._keeper.miss(case.member, case.before)
        else:
            return False
        return True

    def _rescore(self, case: Case, record: Record) -> None:
        report = unpack(record.report)
        done = replace(done_with(report, 0.0), name=case.member.name, record=record)
        self.summary.rescored += 1
        handed_in = HandedIn(case.handed_in.identity, report.submission.sha256)
        self._put(replace(case, handed_in=handed_in), report, record, done)

    def _put(self, case: Case, report: ScoreReport, record: Record, done: Done) -> None:
        self._keeper.put(case.member, case.handed_in, report, record)
        if done.comes_again:
            self._first[case.member.name] = (case, report, replace(done, record=None))
        else:
            self._tell(case, report, done)

    def _tell(self, case: Case, report: ScoreReport, done: Done) -> None:
        if case.before:
            self._regraded(Regraded(case.member.name, unpack(case.before.report), report, case.plan))
        self._keeper.tell(done)
