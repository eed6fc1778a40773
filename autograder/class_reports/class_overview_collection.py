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
from autograder.class_reports.class_overview import (
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
    totals = ((one.report.submission.id, one.report.final.total) for one in entries)
    count = select_counting_submissions(
        totals, context.submission_times or SubmissionTimes(), context.deadline_rules.which_attempt_counts
    )
    counting = [one.report for one in entries if one.report.submission.id in count]
    reports = [one.report for one in entries]
    there = {report.submission.id for report in reports}
    full = counting[0].max_score if counting else opened_class.assignment.max_score
    files = assign_file_names(stored_entries)
    return ClassOverview(
        title=opened_class.assignment.title,
        where=str(graded_folder),
        when=max((report.timing.graded_at for report in reports), default=""),
        submissions=len(stored_entries),
        counting=len(counting),
        reached=PointDistribution(tuple(report.score for report in counting), full),
        final=PointDistribution(tuple(report.final.score for report in counting), full),
        concepts=tuple(_collect_concepts(counting)),
        tests=tuple(_collect_tests(counting)),
        mistakes=group_names_by_title([pair for report in reports for pair in _mistakes(report)]),
        unnamed=tuple(one.submission.id for one in reports if one.diagnosis.verdict == "unknown"),
        ungradable=group_names_by_title(
            [(one.status.outcome, one.submission.id) for one in reports if one.status.outcome != GRADED]
        ),
        late=group_names_by_title(
            [
                (f"{one.lateness.percent_off:g} % off", one.submission.id)
                for one in reports
                if one.lateness and one.lateness.seconds_late
            ]
        ),
        provisional=tuple(one.submission.id for one in reports if one.status.provisional),
        missing=tuple(
            escape_name_unambiguously(one.name)
            for one in stored_entries
            if escape_name_unambiguously(one.name) not in there
        ),
        decided=tuple(one.submission.id for one in reports if one.decided),
        versions=_collect_versions(entries),
        links={
            escape_name_unambiguously(name): f"{PAGES_FOLDER}/{quote(file)}.html"
            for name, file in files.items()
            if (graded_folder / PAGES_FOLDER / f"{file}.html").is_file()
        },
    )


def _collect_concepts(reports: list[ScoreReport]) -> Iterable[ConceptMeanShare]:
    for concept in reports[0].concepts if reports else ():
        shares = [
            one.score / one.max_score
            for report in reports
            for one in report.concepts
            if one.name == concept.name and one.max_score
        ]
        yield ConceptMeanShare(concept.name, concept.bonus, sum(shares) / len(shares) if shares else 0.0)


def _collect_tests(reports: list[ScoreReport]) -> list[TestStatistics]:
    """Return the figures of all tests, the hardest first."""
    found: dict[str, TestStatistics] = {}
    extra = {concept.name for report in reports[:1] for concept in report.concepts if concept.bonus}
    for report in reports:
        for test in report.tests:
            before = found.get(test.id)
            failed = (before.failed if before else 0) + (test.outcome not in OUTCOMES_WITH_FULL_POINTS)
            many = (before.submissions if before else 0) + 1
            found[test.id] = TestStatistics(test.id, test.sentence, test.concept, failed, many, test.concept in extra)
    return sorted(found.values(), key=lambda one: (-one.failed_share, one.id))


def _mistakes(report: ScoreReport) -> Iterable[tuple[str, str]]:
    for cause in report.diagnosis.causes:
        titles = dict.fromkeys(one.title for one in cause.misconceptions)
        yield " or ".join(titles), report.submission.id


def _collect_versions(entries: list[PersonalizedEntry]) -> tuple[SubmissionGroup, ...]:
    """Group the results by version, the present one first."""
    pairs = [
        (f"{one.report.assignment.version}, kit {one.report.kit_version}", one.report.submission.id)
        for one in sorted(entries, key=lambda one: not one.is_current)
    ]
    order = {title: place for place, (title, _) in enumerate(reversed(pairs))}
    return tuple(sorted(group_names_by_title(pairs), key=lambda group: -order[group.title]))
