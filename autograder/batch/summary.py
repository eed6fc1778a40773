"""A batch in numbers, and who is told of its progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from autograder.batch.views import Shown
from autograder.batch.work import Done
from autograder.reports import ScoreReport

Progress = Callable[[Done | None], None]
"""Told of each submission: what came of it, or None when its result was there already."""


@dataclass(slots=True)
class BatchSummary:
    """A batch in numbers."""

    submissions: int = 0
    reused: int = 0
    rescored: int = 0
    """Submissions whose earlier results gave the new ones, with nothing run."""
    statuses: Counter[str] = field(default_factory=Counter)
    failures: list[Done] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    """Submissions that would have to be graded anew, and are not there any more as they were."""
    outdated: int = 0
    """Submissions whose result is by earlier rules."""
    grader_errors: int = 0
    scores: Counter[float] = field(default_factory=Counter)
    seconds: float = 0.0

    def counted(self, shown: Iterable[Shown]) -> Iterator[ScoreReport]:
        """The reports of a class on their way into the gradebook."""
        for one in shown:
            self.statuses[one.report.status.outcome] += 1
            self.scores[one.report.score] += 1
            self.outdated += not one.current
            yield one.report

    @property
    def graded(self) -> int:
        """Submissions with a report."""
        return self.scores.total()

    @property
    def mean(self) -> float:
        """Mean score of those with a report."""
        return sum(score * count for score, count in self.scores.items()) / max(1, self.graded)
