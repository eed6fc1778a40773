"""Call something in several threads at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from sqlalchemy import URL

from autograder.web.store.server_store import ServerStore, open_or_create_store

T = TypeVar("T")


def call_in_stores_at_once(url: URL, action: Callable[[ServerStore, int], T], count: int = 4) -> list[T]:
    """Call an action with an open store and a number in each thread, and return what each call returned."""
    together = Barrier(count)

    def call(number: int) -> T:
        with open_or_create_store(url) as store:
            together.wait()
            return action(store, number)

    with ThreadPoolExecutor(count) as threads:
        return [*threads.map(call, range(count))]
