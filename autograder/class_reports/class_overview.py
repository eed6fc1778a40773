"""Collect the overview of a class for its staff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from statistics import fmean, median
from urllib.parse import quote

from autograder.batch.batch_location import PAGES_FOLDER
from autograder.batch.graded_class import OpenedGradedClass
from autograder.batch.output_files import assign_file_names
from autograder.batch.personalized_reports import iterate_personalized_reports, load_report_context
from autograder.class_reports.submission_summaries import (
    SubmissionSummary,
    SummarizedTest,
    format_version,
    summarize_report,
)
from autograder.grading.graded_submission import GRADED
from autograder.lateness import SubmissionTimes, select_counting_submissions
from autograder.text import escape_name_unambiguously

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
    """Return an overview in which each submission has another name."""

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


def _group_names_by_title(titles_and_names: Sequence[tuple[str, str]]) -> tuple[SubmissionGroup, ...]:
    """Group names by title, the largest group first: pairs of title and name.

    >>> grouped = _group_names_by_title([("order", "bob"), ("no tanh", "ada"), ("no tanh", "eva")])
    >>> [(group.title, group.names) for group in grouped]
    [('no tanh', ('ada', 'eva')), ('order', ('bob',))]
    """
    groups: dict[str, dict[str, None]] = {}
    for title, name in titles_and_names:
        groups.setdefault(title, {})[name] = None
    sorted_groups = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return tuple(SubmissionGroup(title, tuple(names)) for title, names in sorted_groups)


def collect_class_overview(
    opened_class: OpenedGradedClass, graded_folder: Path, assignment_version: str = ""
) -> ClassOverview:
    """Collect the overview of a class.

    Args:
        assignment_version: a version of the assignment, to see its results; the present ones when empty.
    """
    store, stored_class = opened_class.store, opened_class.stored_class
    context = load_report_context(store, stored_class, opened_class.assignment.deadline_rules)
    entries = iterate_personalized_reports(store, stored_class, context, assignment_version)
    summaries = {entry.report.submission.id: summarize_report(entry.report) for entry in entries}
    names = [entry.name for entry in store.classes.iterate_entries(stored_class)]
    overview = sum_up_class(
        opened_class,
        summaries,
        context.submission_times or SubmissionTimes(),
        [escape_name_unambiguously(name) for name in names],
    )
    return replace(
        overview,
        where=str(graded_folder),
        links={
            escape_name_unambiguously(name): f"{PAGES_FOLDER}/{quote(file)}.html"
            for name, file in assign_file_names(names).items()
            if (graded_folder / PAGES_FOLDER / f"{file}.html").is_file()
        },
    )


def sum_up_class(
    opened_class: OpenedGradedClass,
    summaries: Mapping[str, SubmissionSummary],
    times: SubmissionTimes,
    names: Sequence[str],
) -> ClassOverview:
    """Return the overview of a class without its folder and links.

    Args:
        summaries: those of all submissions with a result, by name.
        times: whose the submissions are.
        names: those of all submissions.
    """
    assignment, rules = opened_class.assignment, opened_class.stored_class.rules
    totals = [(name, one.total) for name, one in summaries.items()]
    counting_ids = select_counting_submissions(totals, times, assignment.deadline_rules.which_attempt_counts)
    counting = [one for name, one in summaries.items() if name in counting_ids]
    max_score = counting[0].max_score if counting else assignment.max_score

    def group(get_title: Callable[[SubmissionSummary], str]) -> tuple[SubmissionGroup, ...]:
        pairs = [(title, name) for name, one in summaries.items() if (title := get_title(one))]
        return _group_names_by_title(pairs)

    def select(is_selected: Callable[[SubmissionSummary], bool]) -> tuple[str, ...]:
        return tuple(name for name, one in summaries.items() if is_selected(one))

    present_version = format_version(rules.version, rules.kit)
    return ClassOverview(
        title=assignment.title,
        where="",
        when=max((one.graded_at for one in summaries.values()), default=""),
        submissions=len(names),
        counting=len(counting),
        reached=PointDistribution(tuple(one.score for one in counting), max_score),
        final=PointDistribution(tuple(one.points for one in counting), max_score),
        concepts=tuple(_collect_concepts(counting)),
        tests=tuple(_collect_tests(counting)),
        mistakes=_group_names_by_title([(title, name) for name, one in summaries.items() for title in one.mistakes]),
        unnamed=select(lambda one: one.is_wrong_without_name),
        ungradable=group(lambda one: one.outcome if one.outcome != GRADED else ""),
        late=group(lambda one: f"{one.percent_off:g} % off" if one.is_late else ""),
        provisional=select(lambda one: one.is_provisional),
        wrong_with_fresh_numbers=select(lambda one: one.is_wrong_with_fresh_numbers),
        missing=tuple(name for name in names if name not in summaries),
        decided=select(lambda one: one.is_decided),
        versions=tuple(sorted(group(lambda one: one.version), key=lambda one: one.title != present_version)),
    )


def _collect_concepts(summaries: Sequence[SubmissionSummary]) -> Iterable[ConceptMeanShare]:
    shares: dict[str, list[float]] = {}
    for one in summaries:
        for concept, score in zip(one.concepts_of_suite, one.concepts, strict=True):
            if concept.max_score:
                shares.setdefault(concept.name, []).append(score / concept.max_score)
    for concept in summaries[0].concepts_of_suite if summaries else ():
        yield ConceptMeanShare(concept.name, concept.bonus, fmean(shares.get(concept.name, [0.0])))


def _collect_tests(summaries: Sequence[SubmissionSummary]) -> list[TestStatistics]:
    """Return the figures of all tests, the hardest first."""
    bonus_concepts = {concept.name for one in summaries[:1] for concept in one.concepts_of_suite if concept.bonus}
    tried: Counter[str] = Counter()
    described: dict[str, SummarizedTest] = {}
    for tests, count in Counter(one.tests for one in summaries).items():
        described |= {test.id: test for test in tests}
        tried.update(dict.fromkeys((test.id for test in tests), count))
    failed = Counter(chain.from_iterable(one.failed for one in summaries))
    statistics = (
        TestStatistics(name, test.sentence, test.concept, failed[name], tried[name], test.concept in bonus_concepts)
        for name, test in described.items()
    )
    return sorted(statistics, key=lambda test: (-test.failed_share, test.id))
