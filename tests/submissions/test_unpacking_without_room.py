"""A disk that is full while submissions are unpacked is the machine's fault, and never a student's."""

from __future__ import annotations

import errno
import os
import resource
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.faults import KitFault
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.submissions import read_submission
from autograder.submissions.submission_files import list_submitted_files


@pytest.fixture
def full_disk() -> Iterator[None]:
    """No file may grow beyond ten bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def zip_of_programs(tmp_path: Path) -> Path:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("ada", "bob"):
            archive.writestr(f"{name}/value.py", "x = 1\n" * 100)
    return path


@pytest.mark.usefixtures("zip_of_programs", "full_disk")
@pytest.mark.parametrize("read", ["class", "student"])
def test_a_full_disk_is_not_blamed_on_a_zip(zip_of_programs: Path, engine: Assignment, read: str) -> None:
    def open_class() -> None:
        with open_class_submissions(zip_of_programs):
            pass

    reading: Callable[[], object] = (
        open_class if read == "class" else lambda: read_submission(zip_of_programs, engine)
    )
    with pytest.raises(KitFault, match="File too large"):
        reading()


def test_too_many_open_files_are_not_blamed_on_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "value.py").write_text("x = 1", encoding="utf-8")

    def refuse(path: Path, *_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files", str(path))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(KitFault, match="Too many open files"):
        list_submitted_files(tmp_path, 1000)


def test_no_room_for_a_temporary_folder_is_told_in_one_line(
    zip_of_programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, *_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", path)

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(KitFault, match="No space left on device"), open_class_submissions(zip_of_programs):
        pass
