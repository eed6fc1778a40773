"""A zip is read like the folder in it, or refused."""

from __future__ import annotations

import hashlib
import unicodedata
import zipfile
from pathlib import Path
from typing import Literal

import pytest

from autograder.submissions import open_submission_entries
from tests.submissions.handed_in import SOLVED, Put, Read, Refusal, sources, zip_of


@pytest.mark.parametrize("place", ["", "alice__", "alice__alice__"])
def test_a_zip_is_read_like_the_folder_in_it_and_known_by_the_hash_of_its_own_bytes(
    tmp_path: Path, read: Read, place: str
) -> None:
    source = "import helpers\n" + SOLVED
    archive = zip_of(tmp_path / "alice.zip", **{f"{place}value": source, f"{place}helpers": "x = 1\n"})
    submission = read(archive)
    assert (submission.id, sources(submission)) == ("alice", [source])
    assert submission.modules == {"helpers": "x = 1\n"}
    assert submission.sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()


def test_a_zip_whose_content_is_refused_is_known_by_the_hash_of_its_own_bytes(
    tmp_path: Path, refusal: Refusal
) -> None:
    archive = zip_of(tmp_path / "alice.zip", one=SOLVED, two=SOLVED)
    refused = refusal(archive)
    assert refused.reason == "several-candidates"
    assert refused.sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\3\4" + b"\0" * 30])
def test_a_bad_zip_is_refused(put: Put, refusal: Refusal, content: bytes) -> None:
    refused = refusal(put("alice.zip", content))
    assert (refused.reason, refused.files) == ("bad-zip", ("alice.zip",))
    assert "Make it again" in refused.message


def test_a_refusal_does_not_say_where_a_zip_was_unpacked(tmp_path: Path, refusal: Refusal) -> None:
    refused = refusal(zip_of(tmp_path / "alice.zip", value=""))
    assert (refused.reason, refused.message) == ("empty", "value.py is empty. Save your work and hand it in again.")


# ------------------------------------------------------------------ a folder with a zip in it


def test_a_folder_with_a_zip_alone_is_read_as_the_zip(folder: Path, read: Read) -> None:
    archive = zip_of(folder / "hand-in.zip", value=SOLVED, helpers="x = 1\n")
    (folder / "README.md").write_text("see the zip", encoding="utf-8")
    submission = read(folder, "alice")
    assert (submission.id, sources(submission)) == ("alice", [SOLVED])
    assert submission.sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()


def test_a_program_beside_a_zip_is_what_counts(folder: Path, put: Put, read: Read) -> None:
    zip_of(folder / "hand-in.zip", value="class Value: ...\n")
    put("value.py", SOLVED)
    assert sources(read(folder)) == [SOLVED]


def test_of_two_zips_none_is_chosen(folder: Path, refusal: Refusal) -> None:
    zip_of(folder / "a.zip", value=SOLVED)
    zip_of(folder / "b.zip", value=SOLVED)
    refused = refusal(folder)
    assert (refused.reason, "only a.zip, b.zip" in refused.message) == ("no-python-file", True)


def test_a_zip_in_a_zip_is_not_opened(tmp_path: Path, folder: Path, refusal: Refusal) -> None:
    inner = zip_of(tmp_path / "inner.zip", value=SOLVED)
    for place in (tmp_path / "alice.zip", folder / "hand-in.zip"):
        with zipfile.ZipFile(place, "w") as packed:
            packed.write(inner, "inner.zip")
        assert refusal(place).reason == "no-python-file"
    assert refusal(folder).reason == "no-python-file"


class FinderInfo(zipfile.ZipInfo):
    """A member whose name is in UTF-8 without the flag that says so, as the Finder and Debian's ``zip`` write it."""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802
        return self.filename.encode(), self.flag_bits & ~0x800


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("makes_member", [FinderInfo, zipfile.ZipInfo])
def test_a_name_in_a_zip_that_is_utf_8_is_read_as_that(
    tmp_path: Path, form: Literal["NFC", "NFD"], makes_member: type[zipfile.ZipInfo]
) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as opened:
        for name in ("class/Zoë.py", "class/李雷.py", "class/ada/größe.py"):
            opened.writestr(makes_member(unicodedata.normalize(form, name)), SOLVED)
    with open_submission_entries(tmp_path / "class.zip") as entries:
        names = {unicodedata.normalize("NFC", entry.name): entry for entry in entries}
        assert {*names} == {"Zoë", "ada", "李雷"}
        if makes_member is FinderInfo:
            assert "Zoë" in {entry.name for entry in entries}
        assert [unicodedata.normalize("NFC", path.name) for path in names["ada"].path.iterdir()] == ["größe.py"]


def test_a_name_in_a_zip_that_dos_wrote_is_read_as_dos_does(tmp_path: Path) -> None:
    class DosInfo(zipfile.ZipInfo):
        def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802
            return self.filename.encode("cp437"), 0

    with zipfile.ZipFile(tmp_path / "class.zip", "w") as opened:
        opened.writestr(DosInfo("class/Zoë.py"), SOLVED)
        opened.writestr(DosInfo("class/Bob.py"), SOLVED)
    with open_submission_entries(tmp_path / "class.zip") as entries:
        assert {entry.name for entry in entries} == {"Zoë", "Bob"}
