"""Who may read what the kit creates."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.faults import CourseWarning
from autograder.files import (
    make_output_folder,
    open_new_output_file,
    override_output_file_readers,
    warn_about_exposed_files,
)
from autograder.store.connection import make_store_url
from autograder.store.store import open_or_create_store


@pytest.fixture(autouse=True, params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(*paths: Path) -> set[str]:
    return {oct(path.stat().st_mode & 0o7777) for path in paths}


def test_a_store_is_closed_and_so_are_its_files_beside_it_while_it_is_open(tmp_path: Path) -> None:
    with open_or_create_store(make_store_url(tmp_path)):
        files = [tmp_path / f"results.sqlite{ending}" for ending in ("", "-wal", "-shm")]
        assert modes(*files) == {"0o600"}


def test_folders_above_are_made_as_closed_and_those_that_are_there_are_left(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    there.chmod(0o750)
    make_output_folder(there / "a" / "b")
    assert modes(there / "a", there / "a" / "b") == {"0o700"}
    assert modes(there) == {"0o750"}


def test_a_folder_whose_files_take_its_group_hands_that_on(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o2750)
    with override_output_file_readers("group"):
        make_output_folder(shared / "a")
    assert modes(shared / "a") == {"0o2750"}


def test_a_file_that_is_there_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        open_new_output_file(tmp_path / "a")


@pytest.mark.parametrize(
    ("mode", "above", "readers", "told"),
    [
        (0o600, 0o755, "owner", False),
        (0o604, 0o755, "owner", True),
        (0o640, 0o755, "owner", True),
        (0o640, 0o755, "group", False),
        (0o660, 0o755, "group", True),
        (0o644, 0o755, "everybody", False),
        (0o604, 0o750, "owner", False),
        (0o666, 0o700, "owner", False),
    ],
)
def test_what_others_can_reach_and_open_is_told(
    tmp_path: Path, mode: int, above: int, readers: str, told: bool, recwarn: pytest.WarningsRecorder
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "it's"
    path.touch()
    path.chmod(mode)
    folder.chmod(above)
    with override_output_file_readers(readers):  # type: ignore[arg-type]
        if told:
            with pytest.warns(CourseWarning, match="chmod -R"):
                warn_about_exposed_files([path, folder / "nothing"])
        else:
            warn_about_exposed_files([path, folder / "nothing"])
