"""Results of earlier versions of an assignment, and what changed since."""

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
        """Nothing is read yet.

        Args:
            store: what is kept.
            rules: what is graded by now.
            assignment: which.
        """
        self._store, self._rules, self._assignment = store, rules, assignment
        self._changes: dict[tuple[str, str], Change | None] = {}

    def of(self, identity: str) -> tuple[Found | None, Change | None]:
        """The latest result of the same submission under another version, and what changed since.

        The change is None where nothing is known of that version.

        Args:
            identity: of what was handed in.

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
        """Keep what the present version is, if that is not kept: a later one is compared with it.

        Raises:
            CourseFault: the hidden suite cannot be used.
        """
        self._manifest  # noqa: B018

    @cached_property
    def described(self) -> Described:
        """The assignment as it is now, with its tests.

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
