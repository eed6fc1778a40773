"""Keep, show, count and report the result of each submission."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from autograder.batch.folder import GRADEBOOK, Views
from autograder.batch.gradebook import write_gradebook
from autograder.batch.summary import BatchSummary, Progress
from autograder.batch.views import in_gradebook
from autograder.batch.work import Done, done_with, seconds_of
from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.store.classes import Batch
from autograder.store.database import Store
from autograder.store.keys import HandedIn
from autograder.store.members import Member
from autograder.store.record import Record, unpack
from autograder.store.results import Found

GONE = "it is not there any more as it was handed in"


class Keeper:
    """Keeps results, and shows those that there are.

    Attributes:
        summary: the batch in numbers, until now.
    """

    def __init__(self, store: Store, batch: Batch, views: Views, progress: Progress) -> None:
        """Prepare to keep results; keep none yet.

        Args:
            store: where results are kept.
            batch: the class, with the rules it is graded by.
            views: where they are shown.
            progress: told of every submission once.
        """
        self.summary = BatchSummary(pages=views.pages)
        self._store, self._batch, self._views, self._progress = store, batch, views, progress

    def put(self, member: Member, handed_in: HandedIn, report: ScoreReport, record: Record) -> None:
        """Keep a new result, and show it.

        Args:
            member: the member of the class.
            handed_in: the submission that was graded.
            report: its report.
            record: the same result in the form in which it is kept.
        """
        if self._store.results.put(handed_in, self._batch.rules, report, record):
            self._views.show(member.name, report, bool(record.raw), lambda: record.raw)
            return
        found = self._store.results.find(handed_in.identity, self._batch.rules)
        if found:  # somebody else handed in the same, and was quicker
            self._show(member, found)

    def leave(self, member: Member, found: Found) -> None:
        """Show and report a result of an earlier run that stays as it is."""
        report = self._show(member, found)
        self.tell(replace(done_with(report, seconds_of(report), reused=True), name=member.name))

    def miss(self, member: Member, before: Found | None) -> None:
        """Report a submission that would have to be graded, and is not there: what is known of it stays."""
        self.summary.gone.append(member.name)
        if before:
            self.leave(member, before)
        else:
            self._progress(Done(member.name, failure=GONE))

    def tell(self, done: Done) -> None:
        """Count and report the result of a submission, without its record."""
        done = replace(done, record=None)
        self.summary.add(done)
        self._progress(done)

    def finish(self, assignment: Assignment) -> None:
        """Write the gradebook, and count what stands in it.

        Raises:
            CallerFault: the gradebook cannot be written.
        """
        if self._views.dry:
            return
        self._store.commit()
        terms = self._views.terms
        shown = self.summary.counted(in_gradebook(self._store, self._batch, terms), terms.hand_ins)
        write_gradebook(shown, assignment, self._views.out / GRADEBOOK, terms.hand_ins, terms.origins)

    def _show(self, member: Member, found: Found) -> ScoreReport:
        report = unpack(found.report)
        self._views.show(member.name, report, found.has_raw, partial(self._raw_of, found))
        return report

    def _raw_of(self, found: Found) -> bytes:
        return self._store.results.record(found).raw
