"""Collect the overview of a class from its results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from autograder.batch.opened_graded_class import OpenedGradedClass
from autograder.batch.output_layout import PAGES_FOLDER
from autograder.batch.personalized_reports import (
    PersonalizedEntry,
    iterate_personalized_reports,
    load_report_context,
)
from autograder.batch.submission_file_names import assign_file_names
from autograder.class_reports.class_overview_model import (
    ClassOverview,
    ConceptMeanShare,
    PointDistribution,
    SubmissionGroup,
    TestStatistics,
    group_names_by_title,
)
from autograder.grading.graded_submission import GRADED
from autograder.grading.hidden_test_model import OUTCOMES_WITH_FULL_POINTS
from autograder.lateness import SubmissionTimes, select_counting_submissions
from autograder.reports import ScoreReport
from autograder.safe_text import escape_name_unambiguously


def collect_class_overview(
    opened_class: OpenedGradedClass, graded_folder: Path, assignment_version: str = ""
) -> ClassOverview:
    """Collect the overview of a class.

    Args:
        opened_class: the class.
        graded_folder: the folder that it was graded into.
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
        mistakes=group_names_by_title([pair for report in reports for pair in _iterate_mistakes(report)]),
        unnamed=tuple(report.submission.id for report in reports if report.diagnosis.verdict == "unknown"),
        ungradable=group_names_by_title(
            [(report.status.outcome, report.submission.id) for report in reports if report.status.outcome != GRADED]
        ),
        late=group_names_by_title(
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
    return tuple(sorted(group_names_by_title(pairs), key=lambda group: -position_by_title[group.title]))
