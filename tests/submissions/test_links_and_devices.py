"""What is no file is refused: a link is not followed, a pipe not waited for. Nor is what may not be opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.submissions.handed_in import SOLVED, Put, Refusal, zip_of

NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's rights, so that modes mean something."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("target", ["real.py", "nowhere"])
def test_a_link_is_refused_and_not_followed(put: Put, folder: Path, refusal: Refusal, target: str) -> None:
    put("real.py")
    (folder / "value.py").symlink_to(target)
    assert refusal(folder / "value.py").reason == "link"


@pytest.mark.parametrize("name", ["value.py", "value.zip", "folder"])
def test_a_link_to_something_outside_is_refused(tmp_path: Path, refusal: Refusal, name: str) -> None:
    zip_of(tmp_path / "outside" / "real.zip", value=SOLVED)
    (tmp_path / name).symlink_to(tmp_path / "outside" / ("real.zip" if name == "value.zip" else "."))
    assert refusal(tmp_path / name).reason == "link"


def test_links_in_a_folder_are_left_out(folder: Path, tmp_path: Path, refusal: Refusal) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "value.py").write_text(SOLVED, encoding="utf-8")
    (folder / "value.py").symlink_to(secret / "value.py")
    (folder / "more").symlink_to(secret)
    assert refusal(folder).reason == "no-python-file"


@pytest.mark.parametrize("name", ["value.py", "value.ipynb", "value.zip"])
def test_a_pipe_is_refused_and_not_waited_for(folder: Path, refusal: Refusal, name: str) -> None:
    os.mkfifo(folder / name)
    assert refusal(folder / name).reason == "not-a-file"
    assert refusal(folder).reason in ("not-a-file", "no-python-file")


def test_a_device_is_refused(refusal: Refusal) -> None:
    assert refusal(Path("/dev/zero")).reason == "not-a-file"


@pytest.fixture
def locked() -> Iterator[Path]:
    """A folder with a submission, in a place that everybody can get at until a mode says otherwise."""
    with TemporaryDirectory() as made:
        os.chmod(made, 0o755)
        folder = Path(made) / "alice"
        folder.mkdir(mode=0o755)
        (folder / "value.py").write_text(SOLVED, encoding="utf-8")
        yield folder


def test_a_file_that_may_not_be_opened_is_refused(locked: Path, refusal: Refusal) -> None:
    (locked / "value.py").chmod(0)
    with as_nobody():
        refused = [refusal(locked / "value.py"), refusal(locked)]
    assert {one.reason for one in refused} == {"unreadable"}
    assert all("Permission denied" in one.message for one in refused)


@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111], ids=oct)
def test_a_folder_that_may_not_be_opened_is_refused(locked: Path, refusal: Refusal, mode: int) -> None:
    locked.chmod(mode)
    with as_nobody():
        refused = refusal(locked)
    assert (refused.reason, "Permission denied" in refused.message) == ("unreadable", True)
