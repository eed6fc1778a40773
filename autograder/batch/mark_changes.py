"""Compare final marks before and after a regrade: which go down, which go up, by which tests, and how many stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from autograder.reports import ScoreReport

PointsAndBonus = tuple[float, float]
"""Final points, and bonus."""
NOT_THERE = "not there"


@dataclass(frozen=True, slots=True)
class TestResultChange:
    """One test with other points or another outcome than before."""

    __test__ = False

    id: str
    concept: str
    before: str
    """The earlier outcome; ``NOT_THERE`` for a new test. ``after`` has it for a removed one."""
    after: str
    difference: float


@dataclass(frozen=True, slots=True)
class SubmissionMarkComparison:
    """One submission's final mark, before and after a regrade, with lateness and decisions applied."""

    submission_name: str
    before: PointsAndBonus
    after: PointsAndBonus
    concept_differences: tuple[tuple[str, float], ...]
    """Concepts that give other points than before, each with the difference; lateness is not in it."""
    test_changes: tuple[TestResultChange, ...] = ()
    statuses_before_and_after: tuple[str, str] = ("graded", "graded")
    """Whether it could be graded, before and after."""
    reason_to_run: str = ""
    """Why it was graded again; empty if nothing was run."""

    @property
    def difference(self) -> float:
        """Return the points gained, bonus included; below zero for a loss."""
        return round(sum(self.after) - sum(self.before), 6)

    @property
    def has_lower_points_or_bonus(self) -> bool:
        """Return whether points or bonus are fewer; a gain in one does not make up for a loss in the other."""
        return any(after < before for before, after in zip(self.before, self.after, strict=True))


def compare_final_marks(regraded: RegradedReportPair) -> SubmissionMarkComparison:
    """Return the final mark of a submission that was graded again, before and after."""
    before, after = regraded.before, regraded.after
    return SubmissionMarkComparison(
        regraded.submission_name,
        get_final_points_and_bonus(before),
        get_final_points_and_bonus(after),
        tuple(_compute_concept_differences(before, after)),
        tuple(_iterate_test_changes(before, after)),
        (before.status.outcome, after.status.outcome),
        regraded.reason_to_run,
    )


@dataclass(slots=True)
class ClassMarkComparison:
    """The marks of a class that was regraded."""

    unchanged_count: int = 0
    """How many submissions have the same mark as before."""
    _changed: list[SubmissionMarkComparison] = field(default_factory=list)

    def add_regraded_submission(self, regraded: RegradedReportPair) -> None:
        """Note how the mark of one submission changed."""
        change = compare_final_marks(regraded)
        if change.before == change.after:
            self.unchanged_count += 1
        else:
            self._changed.append(change)

    @property
    def lowered(self) -> Sequence[SubmissionMarkComparison]:
        """Return the marks that go down, the largest loss first."""
        return sorted(
            (one for one in self._changed if one.has_lower_points_or_bonus),
            key=lambda one: (one.difference, one.submission_name),
        )

    @property
    def raised(self) -> Sequence[SubmissionMarkComparison]:
        """Return the marks that go up, the largest gain first."""
        raised = (one for one in self._changed if not one.has_lower_points_or_bonus)
        return sorted(raised, key=lambda one: (-one.difference, one.submission_name))


def get_final_points_and_bonus(report: ScoreReport) -> PointsAndBonus:
    """Return the final mark of a student's report."""
    return report.final.score, report.final.bonus


def _compute_concept_differences(before: ScoreReport, after: ScoreReport) -> list[tuple[str, float]]:
    """Return the concepts' differences in the order of the new report, then those of concepts that are gone."""
    had = {concept.name: concept.score for concept in before.concepts}
    has = {concept.name: concept.score for concept in after.concepts}
    gained = ((name, round(has.get(name, 0.0) - had.get(name, 0.0), 6)) for name in {**has, **had})
    return [(name, points) for name, points in gained if points]


def _iterate_test_changes(before: ScoreReport, after: ScoreReport) -> Iterator[TestResultChange]:
    """Yield the tests that changed, in the order of the new report, then those that are gone."""
    had, has = ({test.id: test for test in report.tests} for report in (before, after))
    for name in {**has, **had}:
        old, new = had.get(name), has.get(name)
        gained = round((new.score if new else 0.0) - (old.score if old else 0.0), 6)
        outcomes = (old.outcome if old else NOT_THERE, new.outcome if new else NOT_THERE)
        test = new or old
        if test and (gained or outcomes[0] != outcomes[1]):
            yield TestResultChange(name, test.concept, *outcomes, gained)


@dataclass(frozen=True, slots=True)
class RegradedReportPair:
    """A submission with the report that counted before the run, and the one that counts now, both personalized.

    Both have lateness and decisions, and everything that students may not see.
    """

    submission_name: str
    before: ScoreReport
    after: ScoreReport
    reason_to_run: str = ""
    """Why it was graded again; empty if nothing was run."""
