"""A server's store in a database of each kind, empty or of two people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL

from autograder.batch.batch_location import BatchLocation
from autograder.web.store.server_store import ServerStore, open_or_create_store
from tests.store.conftest import counter_course, graded_counter_course, postgres, regraded_pairs, url
from tests.web.store.two_people import make_store_of_two_people

__all__ = ["counter_course", "graded_counter_course", "postgres", "regraded_pairs", "url"]


@pytest.fixture
def store(url: URL) -> Iterator[ServerStore]:
    """An empty store."""
    with open_or_create_store(url) as opened:
        yield opened


@pytest.fixture
def two_people_location(url: URL, tmp_path: Path) -> BatchLocation:
    return make_store_of_two_people(url, tmp_path)
