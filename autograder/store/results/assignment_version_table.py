"""Keep what each version of an assignment was: its manifest."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sqlalchemy import bindparam, select

from autograder.store.core_table_definitions import versions
from autograder.store.results.result_key import ANY_MISCONCEPTIONS_STATE, GradingRules
from autograder.store.session import StoreSession

MANIFEST = select(versions.c.manifest).where(
    *(versions.c[name] == bindparam(name) for name in ("assignment", "version"))
)


class AssignmentVersionTable:
    """The versions of assignments. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession) -> None:
        self._session = session
        dialect = import_module(f"sqlalchemy.dialects.{session.url.get_backend_name()}")
        self._insert_query: Any = dialect.insert(versions).on_conflict_do_nothing()

    def get_manifest_json(self, assignment_name: str, assignment_version: str, misconceptions_state: str) -> str:
        """Return the manifest that was kept of a version of an assignment; empty if there is none.

        Args:
            assignment_name: the assignment's name.
            assignment_version: its version.
            misconceptions_state: the state of the known mistakes then; ``ANY_MISCONCEPTIONS_STATE`` for any state.
        """
        query = (
            MANIFEST
            if misconceptions_state == ANY_MISCONCEPTIONS_STATE
            else MANIFEST.where(versions.c.misconceptions_state == misconceptions_state)
        )
        row = self._session.fetch_one(query, {"assignment": assignment_name, "version": assignment_version})
        return row.manifest if row else ""

    def save_manifest_if_new(self, grading_rules: GradingRules, manifest_json: str) -> None:
        """Keep the manifest of this version; one that was kept before is the same, and stays."""
        key = {
            "assignment": grading_rules.assignment,
            "version": grading_rules.version,
            "misconceptions_state": grading_rules.misconceptions_state,
        }
        self._session.execute_and_commit(self._insert_query, {**key, "manifest": manifest_json})
