"""Find results of earlier versions of an assignment, and what changed since."""

from __future__ import annotations

from functools import cached_property

from autograder.course import Assignment
from autograder.regrade.assignment_manifest import (
    AssignmentManifest,
    ManifestWithTests,
    collect_manifest_with_tests,
    serialize_manifest,
    try_parse_manifest,
)
from autograder.regrade.manifest_cache import save_cached_manifest_if_possible, try_load_cached_manifest
from autograder.regrade.submission_regrade_plan import AssignmentVersionDifference, compare_manifests
from autograder.store.results.result_key import GradingRules
from autograder.store.results.result_table import StoredResult
from autograder.store.store import Store


class EarlierVersionResultFinder:
    """Finds the latest result of a submission under an earlier version, and what changed since.

    It keeps the present version's manifest in the store.
    """

    def __init__(self, store: Store, rules: GradingRules, assignment: Assignment) -> None:
        """Prepare to search; read nothing yet.

        Args:
            store: where results are kept.
            rules: the present grading rules.
            assignment: the assignment.
        """
        self._store, self._rules, self._assignment = store, rules, assignment
        self._changes: dict[tuple[str, str], AssignmentVersionDifference | None] = {}

    def find_latest_result_and_change(
        self, submission_identity: str
    ) -> tuple[StoredResult | None, AssignmentVersionDifference | None]:
        """Find the latest result of the same submission under another version, and what changed since.

        Results of versions with a stored manifest are preferred. The change is None if the version has no manifest.

        Args:
            submission_identity: the identity of what was handed in.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        candidates = self._store.results.list_results_of_all_versions(submission_identity, self._rules)
        for found in candidates:
            change = self._change_since(found)
            if change:
                return found, change
        return (candidates[0], None) if candidates else (None, None)

    @cached_property
    def saved_current_manifest_with_tests(self) -> ManifestWithTests:
        """Describe the assignment as it is now, with its tests, and keep its manifest.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        described = collect_manifest_with_tests(self._assignment)
        save_cached_manifest_if_possible(self._rules, described.manifest)
        self._store.versions.save_manifest_if_new(self._rules, serialize_manifest(described.manifest))
        return described

    @cached_property
    def current_manifest(self) -> AssignmentManifest:
        """Return the manifest of the present version, saved, because later versions are compared with it.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        rules = self._rules
        kept = try_parse_manifest(
            self._store.versions.get_manifest_json(rules.assignment, rules.version, rules.misconceptions_state)
        )
        if kept is None and (kept := try_load_cached_manifest(rules)):
            self._store.versions.save_manifest_if_new(rules, serialize_manifest(kept))
        return kept or self.saved_current_manifest_with_tests.manifest

    def _change_since(self, found: StoredResult) -> AssignmentVersionDifference | None:
        key = (found.assignment_version, found.misconceptions_state)
        if key not in self._changes:
            old = try_parse_manifest(self._store.versions.get_manifest_json(self._assignment.name, *key))
            self._changes[key] = compare_manifests(old, self.current_manifest) if old else None
        return self._changes[key]
