"""Platforms of the tests' own, as installed as any."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.platforms.common import installed_platforms
from tests.platforms.canvas_stand_in import TOKEN, Canvas, running
from tests.platforms.installed import distribution, foreign

Foreign = Callable[..., Path]


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[Canvas]:
    """A Canvas in which the class of ``canvas_uploads`` has some scores already."""
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    held = Canvas()
    held.add(11, "Ada, A")
    held.add(12, "Bob, B", 5.0)
    held.add(13, "Eve, E", 1.0)
    held.add(14, "Max, M")
    held.add(15, "Student, Test")
    with running(held):
        yield held


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Puts a distribution on the path, for as long as the test takes."""

    def installed(place: Path) -> None:
        monkeypatch.syspath_prepend(place)
        installed_platforms.load_installed_platforms.cache_clear()

    yield installed
    installed_platforms.load_installed_platforms.cache_clear()
    sys.modules.pop("foreign", None)


@pytest.fixture
def school(install: Callable[[Path], None], tmp_path_factory: pytest.TempPathFactory) -> None:
    install(distribution(tmp_path_factory.mktemp("site"), "school", "tests.platforms.school:SCHOOL"))


@pytest.fixture
def install_foreign(install: Callable[[Path], None], tmp_path_factory: pytest.TempPathFactory) -> Foreign:
    """Installs somebody else's platform, with the bodies given; the file that it lies in."""

    def installed(**bodies: str) -> Path:
        place = foreign(tmp_path_factory.mktemp("site"), **bodies)
        install(place)
        return place / "foreign.py"

    return installed
