"""Describe a class at a glance: plain data that a page and a terminal show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

TENTHS = 10
"""The number of bins for points below full marks; full marks have a bin of their own."""


@dataclass(frozen=True, slots=True)
class PointDistribution:
    """The points of a class's submissions."""

    points: tuple[float, ...]
    max_score: float

    @property
    def mean_or_zero(self) -> float:
        """Return the mean; 0 of an empty class."""
        return fmean(self.points) if self.points else 0.0

    @property
    def median_or_zero(self) -> float:
        """Return the median, the mean of the middle two points in an even class; 0 of an empty class."""
        return median(self.points) if self.points else 0.0

    @property
    def counts_by_tenth_and_full(self) -> tuple[int, ...]:
        """Return the number of submissions in each tenth of the full marks, lowest first, then with full marks."""
        counts = [0] * (TENTHS + 1)
        for value in self.points:
            share = value / self.max_score if self.max_score else 0.0
            counts[min(TENTHS, int(share * TENTHS + 1e-9))] += 1
        return tuple(counts)


@dataclass(frozen=True, slots=True)
class TestStatistics:
    """How a class did in one test."""

    __test__ = False

    id: str
    sentence: str
    concept: str
    failed: int
    """Submissions that do not pass it, including those that could not be tried."""
    submissions: int
    bonus: bool = False

    @property
    def failed_share(self) -> float:
        """Return the share that does not pass it, from 0 to 1."""
        return self.failed / self.submissions if self.submissions else 0.0


@dataclass(frozen=True, slots=True)
class ConceptMeanShare:
    """The mean share of the points that a class reached in one concept."""

    name: str
    bonus: bool
    mean_share: float
    """The mean of the points reached, as a share of the concept's points."""


@dataclass(frozen=True, slots=True)
class SubmissionGroup:
    """Submissions with a common property, such as a mistake, under a title."""

    title: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassOverview:
    """A class at a glance. Everything but the lists of names is about the submissions that count."""

    title: str
    where: str
    """The folder of the class's results."""
    when: str
    """When it was graded last: UTC, ISO 8601."""
    submissions: int
    """The number of all submissions."""
    counting: int
    """The number of submissions that count: one per student."""
    reached: PointDistribution
    """Points before lateness."""
    final: PointDistribution
    """Final points."""
    concepts: tuple[ConceptMeanShare, ...]
    tests: tuple[TestStatistics, ...]
    """The hardest first."""
    mistakes: tuple[SubmissionGroup, ...]
    """Submissions by named mistake, the most frequent first."""
    unnamed: tuple[str, ...]
    """Submissions with a mistake that has no name."""
    ungradable: tuple[SubmissionGroup, ...]
    late: tuple[SubmissionGroup, ...]
    """Late submissions, by penalty."""
    provisional: tuple[str, ...]
    wrong_with_fresh_numbers: tuple[str, ...]
    """Submissions with nearly full marks that are wrong with numbers that no test uses."""
    missing: tuple[str, ...]
    """Submissions without a result."""
    decided: tuple[str, ...]
    """Submissions about which a person decided something."""
    versions: tuple[SubmissionGroup, ...]
    """Submissions by version of assignment and kit; the version of the last grading comes first."""
    links: dict[str, str] = field(default_factory=dict)
    """The path of each student's page, relative to the folder, by submission."""

    @property
    def full_marks_share(self) -> float:
        """Return the share of the submissions with full marks in the end."""
        return self.final.counts_by_tenth_and_full[-1] / self.counting if self.counting else 0.0

    def find_test_statistics(self, test_id: str) -> TestStatistics | None:
        """Return a test's figures by its id; None if there is no such test."""
        return next((test for test in self.tests if test.id == test_id), None)

    def find_mistake_group_or_none(self, title: str) -> SubmissionGroup | None:
        """Return the submissions with a mistake, by its title; None if there are none."""
        return next((group for group in self.mistakes if group.title == title), None)


def replace_submission_names(overview: ClassOverview, get_shown_name: Callable[[str], str]) -> ClassOverview:
    """Return an overview in which each submission has another name.

    Args:
        overview: the class.
        get_shown_name: returns the name that a submission is shown by.
    """

    def replace_names(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(map(get_shown_name, names)))

    def replace_group_names(groups: Iterable[SubmissionGroup]) -> tuple[SubmissionGroup, ...]:
        return tuple(SubmissionGroup(group.title, replace_names(group.names)) for group in groups)

    return replace(
        overview,
        mistakes=replace_group_names(overview.mistakes),
        unnamed=replace_names(overview.unnamed),
        ungradable=replace_group_names(overview.ungradable),
        late=replace_group_names(overview.late),
        provisional=replace_names(overview.provisional),
        wrong_with_fresh_numbers=replace_names(overview.wrong_with_fresh_numbers),
        missing=replace_names(overview.missing),
        decided=replace_names(overview.decided),
        versions=replace_group_names(overview.versions),
        links={get_shown_name(name): link for name, link in overview.links.items()},
    )


def group_names_by_title(titles_and_names: Sequence[tuple[str, str]]) -> tuple[SubmissionGroup, ...]:
    """Group names by title, the largest group first: pairs of title and name.

    >>> grouped = group_names_by_title([("order", "bob"), ("no tanh", "ada"), ("no tanh", "eva")])
    >>> [(group.title, group.names) for group in grouped]
    [('no tanh', ('ada', 'eva')), ('order', ('bob',))]
    """
    groups: dict[str, dict[str, None]] = {}
    for title, name in titles_and_names:
        groups.setdefault(title, {})[name] = None
    sorted_groups = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return tuple(SubmissionGroup(title, tuple(names)) for title, names in sorted_groups)
