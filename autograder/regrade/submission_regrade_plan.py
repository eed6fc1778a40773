"""Compare two versions of an assignment, and find what the change affects in an earlier result.

All functions are pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.grading.graded_submission import GRADED, may_timeouts_affect_other_tests
from autograder.regrade.assignment_manifest import AssignmentManifest
from autograder.reports import ScoreReport
from autograder.reports.report_model import ReportedTest
from autograder.store.results.packed_result import ObservationsForRegrade

REASONS_NOTHING_HOLDS = {
    "shared": "what the hidden tests share changed",
    "solution": "the reference solution changed",
    "template": "the template changed",
    "conventions": "the conventions changed",
    "hints": "the hints of the assignment changed",
    "defines": "what a submission must define changed",
    "packages": "the packages that a submission may import changed",
}
"""Parts of a manifest that affect every test of every submission."""
STOPPED_BY = {
    "cpu_seconds": ("cpu",),
    "wall_seconds": ("sleep", "wall"),
    "memory_mb": ("memory", "signal", "exit"),
    "output_kb": ("flood",),
    "messages": ("messages",),
}
"""The limits that stop a test, with the causes that a result may then give."""
WHILE_LOADING = ("import_seconds", "memory_mb", "output_kb", "messages", "submission_seconds")
NOT_LOADED = ("cannot-be-loaded", "nothing-defined")
"""Outcomes of a submission whose code could not be loaded, or defined nothing."""
OTHER_KIT = "the kit changed"
OTHER_CONDITIONS = "Python, a package or the isolation changed"
PROVISIONAL = "a wall-clock limit was hit when it was graded"
BEFORE_LOADING = ("source_kb", "submission_mb")


@dataclass(frozen=True, slots=True)
class AssignmentVersionDifference:
    """The difference between two versions of an assignment."""

    reason_nothing_holds: str = ""
    """Why no part of an earlier result holds; empty if a part may."""
    reason_by_test_to_run: dict[str, str] = field(default_factory=dict)
    """Tests of the new version that must be run, each with why."""
    removed_tests: frozenset[str] = frozenset()
    """Tests that the new version does not have any more."""
    raised_limits: frozenset[str] = frozenset()
    """Limits that are higher than before."""
    are_texts_changed: bool = False
    """Whether the texts about failed tests changed."""
    are_misconceptions_changed: bool = False
    """Whether other mistakes are known, or known ones look different."""


@dataclass(frozen=True, slots=True)
class SubmissionRegradePlan:
    """The parts of one submission that must be graded again."""

    reason_to_run_everything: str = ""
    """Why everything must run again; empty if a part of the result holds."""
    reason_by_test_to_run: dict[str, str] = field(default_factory=dict)
    """The tests to be run, each with why."""
    redoes_diagnosis: bool = False
    """Whether mistakes must be looked for again, if there are any."""


def compare_manifests(
    old_manifest: AssignmentManifest, new_manifest: AssignmentManifest
) -> AssignmentVersionDifference:
    """Return what is different in ``new_manifest``, as far as a verdict may depend on it."""
    for name, reason in REASONS_NOTHING_HOLDS.items():
        if getattr(old_manifest, name) != getattr(new_manifest, name):
            return AssignmentVersionDifference(reason_nothing_holds=reason)
    lowered_limits = [
        name for name, limit in new_manifest.limits.items() if limit < old_manifest.limits.get(name, limit)
    ]
    if lowered_limits or old_manifest.limits.keys() != new_manifest.limits.keys():
        return AssignmentVersionDifference(
            reason_nothing_holds=f"{lowered_limits[0]} went down" if lowered_limits else "there are other limits"
        )
    return AssignmentVersionDifference(
        reason_by_test_to_run=dict(_iterate_changed_tests(old_manifest, new_manifest)),
        removed_tests=frozenset(old_manifest.tests.keys() - new_manifest.tests.keys()),
        raised_limits=frozenset(
            name for name, limit in new_manifest.limits.items() if limit > old_manifest.limits[name]
        ),
        are_texts_changed=old_manifest.observed_values != new_manifest.observed_values,
        are_misconceptions_changed=old_manifest.mistakes != new_manifest.mistakes
        or old_manifest.looked_for != new_manifest.looked_for,
    )


def _iterate_changed_tests(
    old_manifest: AssignmentManifest, new_manifest: AssignmentManifest
) -> Iterator[tuple[str, str]]:
    for name, source in new_manifest.tests.items():
        old_source = old_manifest.tests.get(name)
        if old_source is None:
            yield name, "it is new"
        elif old_source.own != source.own:
            yield name, "it changed"
        elif old_source.rest != source.rest:
            yield name, "its module changed"


def plan_submission_regrade(
    version_difference: AssignmentVersionDifference, old_report: ScoreReport, old_regrade_data: ObservationsForRegrade
) -> SubmissionRegradePlan:
    """Return what must be done anew for one result after a change.

    Args:
        version_difference: the change from the result's version to the requested one.
        old_report: the result.
        old_regrade_data: what is kept beside it.
    """
    if version_difference.reason_nothing_holds:
        return SubmissionRegradePlan(version_difference.reason_nothing_holds)
    if old_report.status.provisional:
        return SubmissionRegradePlan(PROVISIONAL)
    loading_limits = version_difference.raised_limits.intersection(WHILE_LOADING)
    has_loading_problem = (
        old_report.notes if old_report.status.outcome == GRADED else old_report.status.outcome in NOT_LOADED
    )
    if loading_limits and has_loading_problem:
        return SubmissionRegradePlan(f"{min(loading_limits)} went up, and not all of it could be loaded")
    if version_difference.raised_limits.intersection(BEFORE_LOADING) and old_report.status.outcome == "too-large":
        return SubmissionRegradePlan(f"{min(version_difference.raised_limits.intersection(BEFORE_LOADING))} went up")
    if old_report.status.outcome != GRADED:
        return SubmissionRegradePlan()
    reason_by_test = dict(version_difference.reason_by_test_to_run)
    for test in old_report.tests:
        reason = _find_reason_to_run(version_difference, test, old_regrade_data)
        if reason:
            reason_by_test.setdefault(test.id, reason)
    has_stopped_test = any(test.cause for test in old_report.tests)
    are_tests_dependent = old_regrade_data.ran_each_test_fresh or may_timeouts_affect_other_tests(
        (test.outcome, test.cause) for test in old_report.tests
    )
    is_stopped_test_removed = any(
        test.cause and test.id in version_difference.removed_tests for test in old_report.tests
    )
    if are_tests_dependent and (
        reason_by_test or is_stopped_test_removed or (version_difference.raised_limits and has_stopped_test)
    ):
        return SubmissionRegradePlan(
            "its tests depend on each other: one was stopped, or a fresh process gave another answer"
        )
    return SubmissionRegradePlan(
        reason_by_test_to_run=reason_by_test,
        redoes_diagnosis=version_difference.are_misconceptions_changed
        or version_difference.are_texts_changed
        or bool(version_difference.raised_limits and has_stopped_test),
    )


def _find_reason_to_run(
    version_difference: AssignmentVersionDifference, test: ReportedTest, observations: ObservationsForRegrade
) -> str:
    """Return why a test that did not change must be run again all the same; empty if it need not."""
    if test.outcome == "grader error":
        return "it did not work when it was run"
    if version_difference.are_texts_changed and test.outcome == "failed":
        return "what it says of a wrong number changed"
    for limit in sorted(version_difference.raised_limits):
        if test.cause in STOPPED_BY.get(limit, ()):
            return f"{limit} went up, and it was stopped by that"
    if (
        "memory_mb" in version_difference.raised_limits
        and observations.observation_by_test_id.get(test.id) == "raises MemoryError"
    ):
        return "memory_mb went up, and it had too little"
    return ""
