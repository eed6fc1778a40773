"""Remember results of the course's own programs, a bounded number."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class LruCache(Generic[Key, Result]):
    """A cache of up to ``max_results`` results by key; the least recently used one is dropped first."""

    def __init__(self, max_results: int) -> None:
        """Remember nothing yet.

        Args:
            max_results: how many results to remember.
        """
        self._most = max_results
        self._results: OrderedDict[Key, Result] = OrderedDict()

    def get(self, key: Key) -> Result | None:
        """Return the result for a key; None if it is not remembered."""
        if key not in self._results:
            return None
        self._results.move_to_end(key)
        return self._results[key]

    def store(self, key: Key, result: Result) -> None:
        """Remember a result."""
        self._results[key] = result
        self._results.move_to_end(key)
        while len(self._results) > self._most:
            self._results.popitem(last=False)
