"""A wheel of this repository, built for real, and an environment that has it and nothing of the repository."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.starter.installing import build, copy_sources, install


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of a build."""
    return copy_sources(tmp_path_factory.mktemp("source") / "kit")


@pytest.fixture(scope="session")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel."""
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path) -> Iterator[Path]:
    """The interpreter of an environment with the wheel, where every user may read: no file mode is what denies."""
    place = Path(tempfile.mkdtemp(prefix="environment-", dir="/tmp"))
    place.chmod(0o755)
    yield install(wheel, place / "venv")
    shutil.rmtree(place)
