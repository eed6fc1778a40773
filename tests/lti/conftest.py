"""A platform, and what the tool needs to speak with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.lti.access_tokens import AccessTokens
from autograder.lti.http_client import HttpClient
from autograder.lti.tool_keys import ToolKeys
from tests.lti.fake_platform import FakePlatform, serve_platform


@pytest.fixture
def fake() -> Iterator[FakePlatform]:
    with serve_platform() as served:
        yield served


@pytest.fixture
def keys(tmp_path: Path) -> ToolKeys:
    return ToolKeys(tmp_path / "results")


@pytest.fixture
def tokens(keys: ToolKeys) -> AccessTokens:
    return AccessTokens(keys, HttpClient())
