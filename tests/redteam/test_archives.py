"""A hostile zip writes nothing outside its folder, and is graded as it was hashed.

Each attack is first seen to work on a grader that unpacks as most do.
"""

from __future__ import annotations

import stat
import sys
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path, PureWindowsPath

import pytest

from autograder.course import Assignment
from autograder.submissions import UngradableSubmission, read_submission, submission_files
from autograder.submissions.zips import unpack_zip
from tests.redteam.zips import LIMIT, SOLVED, naively, refusal, special, zip_of
from tests.submissions.unpacked import files_in, make_deep_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A place with other places above it, for what leaves it."""
    return make_deep_folder(tmp_path)


# Paths


@pytest.mark.parametrize("name", ["../evil.py", "../../evil.py", "a/../../evil.py", "{root}/evil.py"])
def test_a_path_that_leaves_the_folder_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    content = zip_of((name.format(root=tmp_path), "1"))
    naively(content, folder)
    (written,) = tmp_path.rglob("evil.py")
    assert not written.is_relative_to(folder), "a naive grader writes outside"
    written.unlink()
    assert "leaves its folder" in refusal(content, folder)
    assert not list(tmp_path.rglob("*evil*"))


@pytest.mark.parametrize(
    "name",
    [
        "..\\evil.py",
        "a\\..\\..\\evil.py",
        "\\evil.py",
        "\\\\server\\share\\evil.py",
        "//server/share/evil.py",
        "C:\\evil.py",
        "C:/evil.py",
        "c:evil.py",
        "a/C:/evil.py",
        "a/d:evil.py",
    ],
)
def test_a_path_that_leaves_the_folder_on_windows_is_refused_everywhere(
    folder: Path, tmp_path: Path, name: str
) -> None:
    here = PureWindowsPath("E:\\out")
    assert any(
        ".." in there.parts or not there.is_relative_to(here)
        for there in (here / name, here.joinpath(*name.split("/")))
    ), "Windows writes outside"
    assert "leaves its folder" in refusal(zip_of((name, "1")), folder)
    assert not list(tmp_path.rglob("*evil*"))


@pytest.mark.parametrize("name", ["a/..", "...", ". .", ".. /evil.py", "a/ /evil.py", "a/. ./evil.py"])
def test_a_name_of_nothing_but_dots_and_spaces_is_refused(folder: Path, name: str) -> None:
    assert "leaves its folder" in refusal(zip_of((name, "1")), folder)


# Links and devices


@pytest.mark.parametrize(
    "kind",
    [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK],
    ids=["a link", "a pipe", "a terminal", "a disk", "a socket"],
)
def test_a_member_that_is_no_file_is_refused(folder: Path, kind: int) -> None:
    assert "holds a link or a device: 'value.py'" in refusal(zip_of((special("value.py", kind), "/x")), folder)
    assert list(folder.iterdir()) == []


def test_a_link_in_a_zip_shows_nobodys_file(folder: Path, tmp_path: Path, outcome: Callable[[bytes], str]) -> None:
    (tmp_path / "teachers.py").write_text(SOLVED)
    content = zip_of((special("value.py", stat.S_IFLNK), str(tmp_path / "teachers.py")))
    naively(content, folder)
    assert (folder / "value.py").read_text() == SOLVED, "a naive grader grades the teacher's file"
    assert outcome(content) == "bad-zip"


def test_nothing_is_written_through_a_link_to_a_folder(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    content = zip_of((special("more", stat.S_IFLNK), str(outside)), ("more/evil.py", "1"))
    naively(content, folder)
    assert files_in(outside) == {"evil.py": "1"}, "a naive grader writes through it"
    (outside / "evil.py").unlink()
    (folder / "more").unlink()
    refusal(content, folder)
    assert list(outside.iterdir()) == []


def is_reserved(name: str) -> bool:
    if sys.version_info >= (3, 13):
        import ntpath

        return ntpath.isreserved(name)
    return PureWindowsPath(name).is_reserved()


@pytest.mark.parametrize(
    "name",
    ["CON", "con.py", "aux.py", "NUL", "nul.txt.py", "COM1.py", "lpt9", "a/prn/value.py", "COM¹.py", "aux .py"],
)
def test_a_name_that_windows_keeps_for_a_device_is_refused(folder: Path, name: str) -> None:
    assert any(map(is_reserved, name.split("/"))), "Windows opens the device"
    assert "Windows keeps for a device" in refusal(zip_of((name, "1")), folder)


@pytest.mark.parametrize("name", ["console.py", "auxiliary.py", "com.py", "com10.py", "my con.py", "nul_.py"])
def test_a_name_that_only_begins_like_a_device_is_a_name(folder: Path, name: str) -> None:
    unpack_zip(zip_of((name, "1")), folder, LIMIT)
    assert files_in(folder) == {name: "1"}


# Names that are one name to some file system


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Value.py", "value.py"),
        ("a/value.py", "A/value.py"),
        ("größe.py", unicodedata.normalize("NFD", "größe.py")),
        ("straße.py", "STRASSE.py"),
        ("value.py", "value.py."),
        ("a/value.py", "a /value.py"),
    ],
    ids=["capitals", "capitals of a folder", "accents", "sharp s", "a dot at the end", "a space at the end"],
)
def test_two_names_that_some_system_takes_for_one_are_refused(folder: Path, one: str, two: str) -> None:
    content = zip_of((one, "shown to the grader"), (two, "shown to the student"))
    naively(content, folder)
    assert len(files_in(folder)) == 2, "which of them is graded depends on the machine"
    assert "are the same name to many systems" in refusal(content, folder.parent / "other")


def test_a_name_that_comes_twice_is_refused(folder: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        content = zip_of(("value.py", "1"), ("value.py", SOLVED))
    naively(content, folder)
    assert files_in(folder) == {"value.py": SOLVED}, "a naive grader grades the last, whatever a viewer shows"
    (folder / "value.py").unlink()
    assert "Make it again" in refusal(content, folder)


@pytest.mark.parametrize(
    "name",
    ["\x1b[31mred.py", "\u202egp.eulav.py", "two\nlines.py", "a\u2028b.py", "\u200bvalue.py"],
    ids=ascii,
)
def test_what_is_said_of_a_name_cannot_steer_a_terminal(folder: Path, name: str) -> None:
    said = refusal(zip_of((f"../{name}", "1")), folder)
    assert name not in said
    assert said.isprintable()


def test_what_follows_a_null_character_in_a_name_does_not_count(folder: Path) -> None:
    content = zip_of(("value.pyX.txt", "1")).replace(b"value.pyX.txt", b"value.py\0.txt")
    unpack_zip(content, folder, LIMIT)
    assert files_in(folder) == {"value.py": "1"}


# What is hashed is what is graded


def test_a_zip_that_is_exchanged_while_it_is_read_is_graded_as_it_was_hashed(
    engine: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "alice.zip"
    path.write_bytes(zip_of(("value.py", SOLVED)))
    really = submission_files._read_content

    def and_exchanged(path: Path, left: int, limit: int) -> bytes:
        content = really(path, left, limit)
        if path.suffix == ".zip":
            path.write_bytes(zip_of(("value.py", "class Value:\n    exchanged = True\n")))
        return content

    monkeypatch.setattr(submission_files, "_read_content", and_exchanged)
    assert read_submission(path, engine).units[0].source == SOLVED
    assert "exchanged" in zipfile.ZipFile(path).read("value.py").decode(), "who opens it again sees another"


def test_a_zip_that_is_a_program_too_is_what_its_ending_says(engine: Assignment, tmp_path: Path) -> None:
    both = b"class Value:\n    from_the_program = True\n'''" + zip_of(("value.py", SOLVED)) + b"'''"
    for name in ("alice.zip", "alice.py"):
        (tmp_path / name).write_bytes(both)
    assert read_submission(tmp_path / "alice.zip", engine).units[0].source == SOLVED
    with pytest.raises(UngradableSubmission, match="binary"):
        read_submission(tmp_path / "alice.py", engine)
