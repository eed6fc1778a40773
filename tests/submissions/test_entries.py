"""A class hands in a folder or a zip: one file or sub-folder a student, each under a name of its own."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from autograder.faults import CallerFault
from autograder.submissions import open_submission_entries

Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Make a folder of files; a name that ends in a slash is a folder."""

    def made(*names: str) -> Path:
        folder = tmp_path / "class"
        folder.mkdir()
        for name in names:
            path = folder / name
            (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
            if not name.endswith("/"):
                path.write_text("class Value: ...\n", encoding="utf-8")
        return folder

    return made


@pytest.fixture
def zipped(tmp_path: Path) -> Put:
    """Make a zip of files."""

    def made(*names: str) -> Path:
        archive = tmp_path / "class.zip"
        with zipfile.ZipFile(archive, "w") as opened:
            for name in names:
                opened.writestr(name, "class Value: ...\n")
        return archive

    return made


def names(source: Path) -> list[str]:
    with open_submission_entries(source) as entries:
        return [entry.name for entry in entries]


def refusal(source: Path) -> str:
    with pytest.raises(CallerFault) as caught, open_submission_entries(source):
        pass
    return str(caught.value)


FOLDERS = {
    "a file is named without its ending": (["alice.py", "bob.ipynb", "carol.zip"], ["alice", "bob", "carol"]),
    "an ending may be in capitals": (["ALICE.PY"], ["ALICE"]),
    "a folder is one student": (["alice/value.py", "alice/helpers.py", "bob.smith/value.py"], ["alice", "bob.smith"]),
    "an empty folder is a student": (["alice.py", "nothing/"], ["alice", "nothing"]),
    "a file of another kind was handed in, too": (["alice.txt", "bob.py"], ["alice.txt", "bob"]),
    "they come in the order of their files": (["carol.py", "alice.py", "bob.py"], ["alice", "bob", "carol"]),
    "names that differ in their ending keep it": (["alice.py", "alice.ipynb"], ["alice.ipynb", "alice.py"]),
    "names that differ in capitals keep their ending": (["Alice.py", "alice.ipynb"], ["Alice.py", "alice.ipynb"]),
    "a folder and a file of the same name": (["alice/value.py", "alice.py"], ["alice", "alice.py"]),
}


@pytest.mark.parametrize(("files", "found"), FOLDERS.values(), ids=FOLDERS)
def test_each_file_or_folder_is_an_entry_of_its_own_name(put: Put, files: list[str], found: list[str]) -> None:
    assert names(put(*files)) == found


@pytest.mark.parametrize(
    "junk", [".DS_Store", "._alice.py", "Thumbs.db", "desktop.ini", "__MACOSX/._alice.py", ".git/config", "Icon\r"]
)
def test_what_an_operating_system_leaves_behind_is_nobodys(put: Put, junk: str) -> None:
    assert names(put("alice.py", junk)) == ["alice"]


def test_no_two_entries_have_the_same_name(put: Put) -> None:
    found = names(put("alice.py", "alice.ipynb", "alice.py.py"))
    assert len(set(found)) == len(found) == 3


def test_links_and_pipes_are_entries_to_be_told_about(put: Put) -> None:
    folder = put("alice.py")
    (folder / "link.py").symlink_to("alice.py")
    (folder / "nowhere.py").symlink_to("nothing")
    os.mkfifo(folder / "pipe.py")
    assert len(names(folder)) == 4


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (["alice.py", "bob/value.py", ".DS_Store", "__MACOSX/._alice.py"], ["alice", "bob"]),
        (["homework/alice.py", "homework/bob/value.py", "__MACOSX/homework/._alice.py"], ["alice", "bob"]),
        (["alice/value.py", "alice/helpers.py"], ["alice"]),
        (["alice/value.ipynb", "alice/helpers.py"], ["alice"]),
    ],
    ids=["as in a folder", "in one folder", "of one student", "of one student with a notebook"],
)
def test_a_zip_holds_entries_like_a_folder(zipped: Put, files: list[str], found: list[str]) -> None:
    assert names(zipped(*files)) == found


def test_what_was_unpacked_is_gone_afterwards_also_when_something_goes_wrong(zipped: Put) -> None:
    with suppress(KeyboardInterrupt), open_submission_entries(zipped("alice.py")) as entries:
        path = entries[0].path
        assert path.is_file()
        raise KeyboardInterrupt
    assert not path.exists()


def test_a_source_that_does_not_exist_or_has_too_long_a_name_is_refused(tmp_path: Path) -> None:
    assert "this folder or zip does not exist" in refusal(tmp_path / "nowhere")
    assert "nowhere" in refusal(tmp_path / ("nowhere" * 50))


def test_a_folder_or_zip_without_submissions_is_refused(put: Put, zipped: Put) -> None:
    for source in (put(".DS_Store"), zipped()):
        assert "holds no submissions" in refusal(source)


def test_a_file_that_is_no_zip_is_refused(put: Put) -> None:
    refused = refusal(put("alice.py") / "alice.py")
    assert "this file is not an intact zip" in refused
    assert "name a folder or a zip of submissions" in refused


def test_a_name_in_a_zip_that_no_file_system_takes_is_shortened_and_stops_nobody(tmp_path: Path) -> None:
    long, other = "龍" * 120, "龍" * 121
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        for name in (f"{long}.py", f"{other}.py", f"{long}/value.py", "ada.py"):
            packed.writestr(name, "class Value: ...\n")
    with open_submission_entries(tmp_path / "class.zip") as entries:
        assert [one.reading_problem for one in entries] == [""] * 4
        assert [one.path.is_file() for one in entries].count(True) == 3
        assert entries[0].name == "ada"
        assert all(one.name.startswith("龍" * 70) and "~" in one.name for one in entries[1:])
