"""Collect the overview of a class for its staff."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, median
from urllib.parse import quote

from autograder.batch.batch_location import PAGES_FOLDER
from autograder.batch.graded_class import OpenedGradedClass
from autograder.batch.output_files import assign_file_names
from autograder.batch.personalized_reports import PersonalizedEntry, iterate_personalized_reports, load_report_context
from autograder.grading.graded_submission import GRADED
from autograder.grading.results import OUTCOMES_WITH_FULL_POINTS
from autograder.lateness import SubmissionTimes, select_counting_submissions
from autograder.reports import ScoreReport
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
    entries = [*iterate_personalized_reports(store, stored_class, context, assignment_version)]
    stored_entries = [*store.classes.iterate_entries(stored_class)]
    totals = ((entry.report.submission.id, entry.report.final.total) for entry in entries)
    counting_ids = select_counting_submissions(
        totals, context.submission_times or SubmissionTimes(), context.deadline_rules.which_attempt_counts
    )
    counting_reports = [entry.report for entry in entries if entry.report.submission.id in counting_ids]
    reports = [entry.report for entry in entries]
    report_ids = {report.submission.id for report in reports}
    max_score = counting_reports[0].max_score if counting_reports else opened_class.assignment.max_score
    file_by_name = assign_file_names(entry.name for entry in stored_entries)
    return ClassOverview(
        title=opened_class.assignment.title,
        where=str(graded_folder),
        when=max((report.timing.graded_at for report in reports), default=""),
        submissions=len(stored_entries),
        counting=len(counting_reports),
        reached=PointDistribution(tuple(report.score for report in counting_reports), max_score),
        final=PointDistribution(tuple(report.final.score for report in counting_reports), max_score),
        concepts=tuple(_collect_concepts(counting_reports)),
        tests=tuple(_collect_tests(counting_reports)),
        mistakes=_group_names_by_title([pair for report in reports for pair in _iterate_mistakes(report)]),
        unnamed=tuple(report.submission.id for report in reports if report.diagnosis.verdict == "unknown"),
        ungradable=_group_names_by_title(
            [(report.status.outcome, report.submission.id) for report in reports if report.status.outcome != GRADED]
        ),
        late=_group_names_by_title(
            [
                (f"{report.lateness.percent_off:g} % off", report.submission.id)
                for report in reports
                if report.lateness and report.lateness.seconds_late
            ]
        ),
        provisional=tuple(report.submission.id for report in reports if report.status.provisional),
        wrong_with_fresh_numbers=tuple(report.submission.id for report in reports if report.fresh_look),
        missing=tuple(
            escape_name_unambiguously(entry.name)
            for entry in stored_entries
            if escape_name_unambiguously(entry.name) not in report_ids
        ),
        decided=tuple(report.submission.id for report in reports if report.decided),
        versions=_collect_versions(entries),
        links={
            escape_name_unambiguously(name): f"{PAGES_FOLDER}/{quote(file)}.html"
            for name, file in file_by_name.items()
            if (graded_folder / PAGES_FOLDER / f"{file}.html").is_file()
        },
    )


def _collect_concepts(reports: list[ScoreReport]) -> Iterable[ConceptMeanShare]:
    for concept in reports[0].concepts if reports else ():
        shares = [
            reported_concept.score / reported_concept.max_score
            for report in reports
            for reported_concept in report.concepts
            if reported_concept.name == concept.name and reported_concept.max_score
        ]
        yield ConceptMeanShare(concept.name, concept.bonus, sum(shares) / len(shares) if shares else 0.0)


def _collect_tests(reports: list[ScoreReport]) -> list[TestStatistics]:
    """Return the figures of all tests, the hardest first."""
    statistics: dict[str, TestStatistics] = {}
    bonus_concepts = {concept.name for report in reports[:1] for concept in report.concepts if concept.bonus}
    for report in reports:
        for test in report.tests:
            old_statistics = statistics.get(test.id)
            failed_count = (old_statistics.failed if old_statistics else 0) + (
                test.outcome not in OUTCOMES_WITH_FULL_POINTS
            )
            count = (old_statistics.submissions if old_statistics else 0) + 1
            statistics[test.id] = TestStatistics(
                test.id, test.sentence, test.concept, failed_count, count, test.concept in bonus_concepts
            )
    return sorted(statistics.values(), key=lambda test: (-test.failed_share, test.id))


def _iterate_mistakes(report: ScoreReport) -> Iterable[tuple[str, str]]:
    for cause in report.diagnosis.causes:
        titles = dict.fromkeys(misconception.title for misconception in cause.misconceptions)
        yield " or ".join(titles), report.submission.id


def _collect_versions(entries: list[PersonalizedEntry]) -> tuple[SubmissionGroup, ...]:
    """Group the results by version, the present one first."""
    pairs = [
        (f"{entry.report.assignment.version}, kit {entry.report.kit_version}", entry.report.submission.id)
        for entry in sorted(entries, key=lambda entry: not entry.is_current)
    ]
    position_by_title = {title: position for position, (title, _) in enumerate(reversed(pairs))}
    return tuple(sorted(_group_names_by_title(pairs), key=lambda group: -position_by_title[group.title]))
