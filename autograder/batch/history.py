"""Find results of earlier versions of an assignment, and what changed since."""

from __future__ import annotations

from functools import cached_property

from autograder.course import Assignment
from autograder.store.change import Change, change_between
from autograder.store.database import Store
from autograder.store.keys import Rules
from autograder.store.manifest import Described, Manifest, describe, from_text, to_text
from autograder.store.results import Found


class History:
    """What was graded by earlier versions, seen from the present one."""

    def __init__(self, store: Store, rules: Rules, assignment: Assignment) -> None:
        """Prepare to look back; read nothing yet.

        Args:
            store: where results are kept.
            rules: the rules that are graded by now.
            assignment: the assignment.
        """
        self._store, self._rules, self._assignment = store, rules, assignment
        self._changes: dict[tuple[str, str], Change | None] = {}

    def of(self, identity: str) -> tuple[Found | None, Change | None]:
        """Find the latest result of the same submission under another version, and what changed since.

        Results of versions that are still known come first. The change is None if nothing is known of the version.

        Args:
            identity: the identity of what was handed in.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        candidates = self._store.results.earlier(identity, self._rules)
        for found in candidates:
            change = self._change_since(found)
            if change:
                return found, change
        return (candidates[0], None) if candidates else (None, None)

    def keep(self) -> None:
        """Keep the manifest of the present version, unless it is kept already: a later one is compared with it.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        self._manifest  # noqa: B018

    @cached_property
    def described(self) -> Described:
        """Describe the assignment as it is now, with its tests, and keep its manifest.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        described = describe(self._assignment)
        self._store.results.keep_manifest(self._rules, to_text(described.manifest))
        return described

    @cached_property
    def _manifest(self) -> Manifest:
        rules = self._rules
        kept = from_text(self._store.results.manifest(rules.assignment, rules.version, rules.known))
        return kept or self.described.manifest

    def _change_since(self, found: Found) -> Change | None:
        key = (found.version, found.known)
        if key not in self._changes:
            old = from_text(self._store.results.manifest(self._assignment.name, *key))
            self._changes[key] = change_between(old, self._manifest) if old else None
        return self._changes[key]
