"""A platform, and what the tool needs to speak with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.web.lti.http import HttpClient
from autograder.web.lti.tool import AccessTokenProvider, ToolSigningKeyFile
from tests.web.lti.fake_platform import FakePlatform, serve_platform


@pytest.fixture
def fake() -> Iterator[FakePlatform]:
    with serve_platform() as served:
        yield served


@pytest.fixture
def keys(tmp_path: Path) -> ToolSigningKeyFile:
    return ToolSigningKeyFile(tmp_path / "results")


@pytest.fixture
def tokens(keys: ToolSigningKeyFile) -> AccessTokenProvider:
    return AccessTokenProvider(keys, HttpClient())
