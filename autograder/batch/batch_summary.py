"""Sum up a batch in counters and a few names; the size does not grow with the number of submissions."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from statistics import median_high

from autograder.batch.personalized_reports import PersonalizedEntry
from autograder.lateness import SubmissionTimes
from autograder.reports import ScoreReport
from autograder.text import MOST_NAMES
from autograder.workers.grading_tasks import GradingTaskResult

ResultCallback = Callable[[GradingTaskResult], None]
"""Called once for each submission, with its new or earlier result."""

SLOWEST = 3
SLOW_FACTOR = 3
"""How many times as long as the median a submission must take to be called slow, and a second at least."""


@dataclass(slots=True)
class BatchSummary:
    """The outcome of a batch in numbers."""

    submission_count: int = 0
    explanation_failures: dict[str, str] = field(default_factory=dict)
    """Why nobody could look for the repair of a submission, by its name."""
    reused_count: int = 0
    restored_count: int = 0
    """Reused results other than the ones that counted before the run, such as those of a version that is back."""
    duplicate_count: int = 0
    """Reused results of submissions that had none in this class: the same files were graded for another student, or
    before the student left the class."""
    compared_reused_count: int = 0
    """Reused results whose marks were compared with those before the run, because another result or other deadline
    rules counted then."""
    rescored_count: int = 0
    """Submissions whose new results followed from earlier ones, without running anything."""
    status_counts: Counter[str] = field(default_factory=Counter)
    failures: list[GradingTaskResult] = field(default_factory=list)
    displaced_results: list[str] = field(default_factory=list)
    """Submissions of ``failures`` with an earlier result for other content, which no longer counts."""
    missing_submissions: list[str] = field(default_factory=list)
    """Submissions that need grading, but are gone or changed."""
    outdated_count: int = 0
    """Submissions with a result by earlier rules and the present version of the kit."""
    other_kit_count: int = 0
    """Submissions whose result is by another version of the kit."""
    provisional_count: int = 0
    """Submissions that hit a wall-clock limit, also when they were graded again alone."""
    grader_error_count: int = 0
    score_counts: Counter[float] = field(default_factory=Counter)
    """How many submissions have each score, whatever lateness takes off."""
    mistake_counts: Counter[str] = field(default_factory=Counter)
    """How many submissions each mistake was named in, by its title."""
    late_count: int = 0
    """Submissions later than the time of grace."""
    untimed_count: int = 0
    """Submissions that are not in the table of submission times.

    The first of them by name in ``first_untimed_names``.
    """
    first_untimed_names: list[str] = field(default_factory=list)
    submission_times: SubmissionTimes | None = None
    """The students and times of submissions, where known."""
    wrote_student_pages: bool = False
    """Whether students' pages were written: there were some already."""
    seconds: float = 0.0
    _times: Counter[int] = field(default_factory=Counter)
    """The number of submissions by grading time, in hundredths of a second; time limits bound the number of keys."""
    _slowest: list[tuple[float, str]] = field(default_factory=list)

    def add_result(self, result: GradingTaskResult) -> None:
        """Count the result of one submission."""
        if result.kit_failure:
            self.failures.append(replace(result, packed_result=None))
            return
        self.status_counts[result.status] += 1
        self.score_counts[result.score] += 1
        self.grader_error_count += result.grader_errors
        self.provisional_count += result.is_provisional
        self.mistake_counts.update(set(result.misconceptions))
        if result.was_reused:
            self.reused_count += 1
            return
        self._times[round(result.seconds * 100)] += 1
        heapq.heappush(self._slowest, (result.seconds, result.name))
        if len(self._slowest) > SLOWEST:
            heapq.heappop(self._slowest)

    def iterate_and_count_reports(
        self, entries: Iterable[PersonalizedEntry], submission_times: SubmissionTimes | None
    ) -> Iterator[ScoreReport]:
        """Yield the reports for the gradebook, and count those that are late, untimed, or by earlier rules."""
        self.submission_times = submission_times
        for one in entries:
            self._count(one.report, submission_times)
            self.other_kit_count += one.is_by_other_kit
            self.outdated_count += not (one.is_current or one.is_by_other_kit)
            yield one.report

    def _count(self, report: ScoreReport, submission_times: SubmissionTimes | None) -> None:
        self.late_count += bool(report.lateness and report.lateness.days_late)
        if submission_times and submission_times.find_submission_time(report.submission.id) is None:
            self.untimed_count += 1
            if self.untimed_count <= MOST_NAMES:
                self.first_untimed_names.append(report.submission.id)

    @property
    def report_count(self) -> int:
        """Return how many submissions have a report."""
        return self.score_counts.total()

    @property
    def newly_graded_count(self) -> int:
        """Return how many submissions were graded, in part or in full, this time."""
        return self.report_count - self.reused_count - self.rescored_count

    @property
    def mean_score_or_zero(self) -> float:
        """Return the mean score of the submissions with a report; 0 when there is none."""
        return sum(score * count for score, count in self.score_counts.items()) / max(1, self.report_count)

    @property
    def median_score_or_zero(self) -> float:
        """Return the score in the middle, the upper of two; 0 when there is none."""
        return median_high(self.score_counts.elements()) if self.score_counts else 0.0

    @property
    def mistakes_by_frequency(self) -> list[tuple[str, int]]:
        """Return titles of mistakes and how many submissions each was named in, the most common first."""
        return sorted(self.mistake_counts.items(), key=lambda pair: (-pair[1], pair[0]))

    @property
    def slow_submissions(self) -> list[tuple[str, float]]:
        """Return submissions that took clearly longer than most, with their seconds, the slowest first."""
        if not self._times:
            return []
        least = max(1.0, SLOW_FACTOR * median_high(self._times.elements()) / 100)
        return [(name, seconds) for seconds, name in sorted(self._slowest, reverse=True) if seconds >= least]
