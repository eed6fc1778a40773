"""pytest-json-report's record of a run, kept for the record; marks come from the kit's own count.

The package writes one report per pytest session. Here a session outlives many submissions, so its collector is
emptied between them.
"""

from __future__ import annotations

from typing import Any

import pytest


class RawReport:
    """The record of one submission's run at a time."""

    def __init__(self, config: pytest.Config) -> None:
        self._plugin: Any = config._json_report  # type: ignore[attr-defined]

    def start(self, session: pytest.Session) -> None:
        """Forget the submission before."""
        self._plugin._json_tests.clear()
        self._plugin._json_warnings.clear()
        self._plugin.pytest_sessionstart(session)

    def finish(self, session: pytest.Session) -> dict[str, Any]:
        """The record since ``start``, in pytest-json-report's format."""
        self._plugin.pytest_sessionfinish(session)
        report: dict[str, Any] = dict(self._plugin.report)
        return report
