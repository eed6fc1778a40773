"""Hold what is known of a suite's tests before they run on a submission, from one submission to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from autograder.grading.prefetching.known_request_paths import KnownRequestPaths
from autograder.grading.prefetching.verdict_cache import VerdictByAnswersCache


@dataclass(slots=True)
class KnownRequestsAndVerdicts:
    """The request paths and verdicts of a suite's tests that are known before they run on a submission."""

    request_paths: KnownRequestPaths = field(default_factory=KnownRequestPaths)
    verdict_cache: VerdictByAnswersCache = field(default_factory=VerdictByAnswersCache)
    unknown_test_count: int = 0
    """How many tests had to be run because there was no verdict on the answers."""
    load_more: Callable[[], bool] | None = None
    """Reads what is known of engines that are written differently, and returns whether there is anything.

    It is called when a test first has no verdict, since many classes never need this. Afterwards it is None.
    """

    def load_more_once(self) -> bool:
        """Call ``load_more`` if it was not called yet; return whether more is known now."""
        load_more, self.load_more = self.load_more, None
        return load_more is not None and load_more()
