"""A zip that is sound is unpacked, one that is broken refused with a sentence; tests/redteam has the hostile ones."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from autograder.submissions.zips import BadArchive, unpack_zip
from tests.submissions.unpacked import files_in, make_deep_folder

MB = 2**20
LIMIT = 20 * MB
FLAGS_IN_MEMBER, FLAGS_IN_DIRECTORY = 6, 8
ENCRYPTED = 1

Zip = Callable[..., Path]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "in" / "handed_in.zip"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_deep_folder(tmp_path)


@pytest.fixture
def zipped(archive: Path) -> Zip:
    """Make a zip of texts by name; the same name may come twice."""
    archive.parent.mkdir()

    def make(*members: tuple[str | zipfile.ZipInfo, str], method: int = zipfile.ZIP_DEFLATED) -> Path:
        with zipfile.ZipFile(archive, "w", method) as opened:
            for name, text in members:
                opened.writestr(name, text, method)
        return archive

    return make


def refusal(archive: Path, folder: Path, limit: int = LIMIT) -> str:
    with pytest.raises(BadArchive) as caught:
        unpack_zip(archive, folder, limit)
    return str(caught.value)


# What is right


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=str)
def test_files_are_unpacked_whatever_their_compression(zipped: Zip, folder: Path, method: int) -> None:
    unpack_zip(zipped(("value.py", "x = 1\n" * 100), ("more/notes.txt", "hi"), method=method), folder, LIMIT)
    assert files_in(folder) == {"value.py": "x = 1\n" * 100, "more/notes.txt": "hi"}


@pytest.mark.parametrize(
    ("members", "found"),
    [
        (["a/b/c/value.py", "a/", "a/b/"], ["a/b/c/value.py"]),
        (["alice\\value.py"], ["alice/value.py"]),
        ([], []),
    ],
    ids=["folders without members", "folders of Windows", "empty"],
)
def test_folders_in_a_zip_are_folders(zipped: Zip, folder: Path, members: list[str], found: list[str]) -> None:
    unpack_zip(zipped(*((name, "") for name in members)), folder, LIMIT)
    assert [*files_in(folder)] == found


@pytest.mark.parametrize(
    "name",
    [
        *("my value.py", 'it\'s "mine".py', "two\nlines.py", "größe_値.py", "\u202egp.eulav.py", "-rf.py"),
        *(".value.py", "=1+1.py", "lab 1: engine.py", "x" * 247 + ".py"),
    ],
)
def test_a_name_may_be_odd(zipped: Zip, folder: Path, name: str) -> None:
    unpack_zip(zipped((name, "1")), folder, LIMIT)
    assert files_in(folder) == {name: "1"}


def test_a_zip_may_be_as_large_as_the_limit(zipped: Zip, folder: Path) -> None:
    unpack_zip(zipped(("a.py", "x" * 600), ("b.py", "x" * 400)), folder, 1000)
    assert {name: len(text) for name, text in files_in(folder).items()} == {"a.py": 600, "b.py": 400}


# Broken zips


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.99])
def test_half_a_zip_is_refused(zipped: Zip, folder: Path, kept: float) -> None:
    archive = zipped(*((f"{number}.py", str(number) * 50) for number in range(20)))
    whole = archive.read_bytes()
    archive.write_bytes(whole[: int(len(whole) * kept)])
    assert "Make it again" in refusal(archive, folder)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=str
)
def test_damaged_content_is_refused_whatever_its_compression(zipped: Zip, folder: Path, method: int) -> None:
    name = "value.py"
    archive = zipped((name, "".join(map(str, range(2000)))), method=method)
    whole = bytearray(archive.read_bytes())
    start = whole.index(name.encode()) + len(name)
    for place in range(start + 20, start + 60):
        whole[place] ^= 0xFF
    archive.write_bytes(whole)
    assert "Make it again" in refusal(archive, folder)


@pytest.mark.parametrize("method", [1, 9, 93, 99])
def test_a_compression_that_nobody_knows_is_refused(zipped: Zip, folder: Path, method: int) -> None:
    archive = zipped(("value.py", "x = 1\n"), method=zipfile.ZIP_STORED)
    whole = bytearray(archive.read_bytes())
    whole[8:10] = struct.pack("<H", method)
    entry = whole.index(b"PK\1\2")
    whole[entry + 10 : entry + 12] = struct.pack("<H", method)
    archive.write_bytes(whole)
    assert "Make it again" in refusal(archive, folder)


@pytest.mark.parametrize(("name", "damaged"), [("größe.py", b"\xff" * 7), ("nameless", b"\0ameless")])
def test_a_damaged_name_is_refused(zipped: Zip, folder: Path, name: str, damaged: bytes) -> None:
    archive = zipped((name, "1"))
    archive.write_bytes(archive.read_bytes().replace(name.removesuffix(".py").encode(), damaged))
    assert "Make it again" in refusal(archive, folder)


def test_a_password_is_refused(zipped: Zip, folder: Path) -> None:
    archive = zipped(("value.py", "1"))
    whole = bytearray(archive.read_bytes())
    whole[FLAGS_IN_MEMBER] |= ENCRYPTED
    whole[whole.index(b"PK\1\2") + FLAGS_IN_DIRECTORY] |= ENCRYPTED
    archive.write_bytes(whole)
    assert refusal(archive, folder) == "The zip has a password. Make it again without one."


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("members", [("value.py", "value.py"), ("a", "a/value.py"), ("a/value.py", "a")])
def test_a_name_that_comes_twice_is_refused(zipped: Zip, folder: Path, members: tuple[str, str]) -> None:
    assert "Make it again" in refusal(zipped(*((name, "1") for name in members)), folder)


@pytest.mark.parametrize("name", [".", "./", "x" * 300 + ".py", "/".join("x" * 200 for _ in range(30))])
def test_a_name_that_no_file_can_have_is_refused_or_left_out(zipped: Zip, folder: Path, name: str) -> None:
    archive = zipped((name, "1"))
    with suppress(BadArchive):
        unpack_zip(archive, folder, LIMIT)
    assert files_in(folder) == {}
