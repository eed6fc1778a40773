"""A zip that is a bomb fills no disk and no memory, and takes no time.

Each attack is first seen to work on a grader that unpacks as most do.
"""

from __future__ import annotations

import bz2
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.submissions.safe_paths import MAX_DEPTH
from autograder.submissions.submission_files import MAX_FILES
from autograder.submissions.zips import MOST_MEMBERS, unpack_zip
from tests.machine import cost_of
from tests.redteam.zips import LIMIT, MB, SOLVED, naively, refusal, zip_of


def again(whole: bytes, times: int) -> bytes:
    """A zip of one member whose directory names it many times."""
    start, end = whole.index(b"PK\1\2"), whole.index(b"PK\5\6")
    entry = whole[start:end]
    counts = struct.pack("<HHI", times, times, times * len(entry))
    return whole[:start] + entry * times + whole[end : end + 8] + counts + whole[end + 16 :]


def test_a_bomb_is_refused_and_no_more_than_the_limit_is_written(folder: Path) -> None:
    bomb = zip_of(("value.py", "\0" * (30 * MB)))
    assert len(bomb) < MB
    assert "unpacks to more than 1 MB" in refusal(bomb, folder, MB)
    assert sum(path.stat().st_size for path in folder.rglob("*")) <= MB


def test_the_limit_is_for_all_members_together(folder: Path) -> None:
    bomb = zip_of(*((f"part{number}.py", "\0" * MB) for number in range(5)))
    assert "unpacks to more than 3 MB" in refusal(bomb, folder, 3 * MB)
    assert sum(path.stat().st_size for path in folder.rglob("*")) <= 3 * MB


def test_what_counts_is_what_is_read_and_not_what_the_zip_says(folder: Path) -> None:
    bomb = zip_of(("value.py", "\0" * (5 * MB)))
    refusal(bomb.replace(struct.pack("<I", 5 * MB), struct.pack("<I", 10)), folder, MB)
    assert sum(path.stat().st_size for path in folder.rglob("*")) <= MB


def test_a_zip_in_a_zip_is_not_unpacked(folder: Path) -> None:
    unpack_zip(zip_of(("inner.zip", zip_of(("value.py", "\0" * (3 * MB))))), folder, MB)
    assert [path.name for path in folder.iterdir()] == ["inner.zip"]


def test_members_that_share_their_bytes_are_refused(folder: Path) -> None:
    bomb = again(zip_of(("value.py", "\0" * MB)), 1000)
    with zipfile.ZipFile(io.BytesIO(bomb)) as opened:
        members = opened.infolist()
    first = members[0].header_offset + 30 + len("value.py")
    inflated = [len(zlib.decompress(bomb[first : first + one.compress_size], -15)) for one in members[:3]]
    assert inflated == [MB] * 3, "every one of them unpacks to as much again"
    assert len(bomb) < MB / 10
    assert "'value.py' overlaps what comes after it" in refusal(bomb, folder, 10**12)
    assert list(folder.iterdir()) == []


def test_a_member_that_reaches_into_the_next_is_refused(folder: Path) -> None:
    whole = zip_of(("a.py", "1" * 10), ("b.py", "2" * 10), method=zipfile.ZIP_STORED)
    size = struct.pack("<II", 10, 10)
    longer = whole.replace(size, struct.pack("<II", 40, 40), 3)
    assert longer != whole
    assert "overlaps" in refusal(longer, folder)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=["bzip2", "LZMA"])
def test_a_compression_that_is_undone_all_at_once_is_refused(folder: Path, method: int) -> None:
    assert "Make it again with your system's own tool" in refusal(zip_of(("a.py", "1"), method=method), folder)
    if method == zipfile.ZIP_BZIP2:
        first_read = bz2.compress(bytes(40 * MB))[:1000]
        assert len(bz2.BZ2Decompressor().decompress(first_read)) > 30 * MB, "a kilobyte becomes the whole bomb"


@pytest.mark.redteam
def test_a_hundred_thousand_members_are_refused_before_an_object_is_made_of_each(folder: Path) -> None:
    whole = zip_of(("a", ""))
    count = 100_000
    start = whole.index(b"PK\1\2")
    directory = whole[start : whole.index(b"PK\5\6")] * count
    end_of_it = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), start)
    end64 = struct.pack("<4sIQI", b"PK\6\7", 0, start + len(directory), 1)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    bomb = whole[:start] + directory + end_of_it + end64 + end
    naive = cost_of(lambda: zipfile.ZipFile(io.BytesIO(bomb)).close())
    assert refusal(bomb, folder).startswith(f"The zip has {count} members; at most {MOST_MEMBERS} are unpacked.")
    assert cost_of(lambda: refusal(bomb, folder)) < naive / 10
    assert list(folder.iterdir()) == []


def test_a_path_of_hundreds_of_folders_is_refused(folder: Path, outcome: Callable[[bytes], str]) -> None:
    bomb = zip_of(*((f"{number}/" + "a/" * 200 + "value.py", "") for number in range(5)))
    naively(bomb, folder)
    assert len(list(folder.rglob("*"))) > 1000, "a few bytes of name are a folder each"
    assert "folders in folders, 202 deep" in refusal(bomb, folder)
    assert outcome(bomb) == "bad-zip"


def test_folders_count_as_members_do(folder: Path) -> None:
    bomb = zip_of(*((f"{number}/" + "a/" * (MAX_DEPTH - 2), "") for number in range(MOST_MEMBERS // 30)))
    assert "at most 20000 are unpacked" in refusal(bomb, folder)
    assert list(folder.iterdir()) == []


@pytest.mark.redteam
def test_thousands_of_files_are_refused_before_one_is_made(folder: Path) -> None:
    bomb = zip_of(*((f"{number}.py", "") for number in range(MAX_FILES + 1)))
    assert f"at most {MAX_FILES} are unpacked" in refusal(bomb, folder)
    assert list(folder.iterdir()) == []


def test_what_nobody_reads_is_never_made_and_stops_nobody(outcome: Callable[[bytes], str]) -> None:
    environment = ((f"venv/lib/{number}.py", "x") for number in range(MAX_FILES + 1))
    assert outcome(zip_of(("./", ""), ("value.py", SOLVED), *environment)) == "read"


WORST: dict[str, Callable[[], bytes]] = {
    "as much as is allowed, of nothing": lambda: zip_of(("value.py", bytes(LIMIT - 1))),
    "more than is allowed, of nothing": lambda: zip_of(("value.py", bytes(LIMIT + 1))),
    "as many members as are allowed": lambda: zip_of(
        *((f"venv/{number}/" + "x" * 200, "") for number in range(9_000))
    ),
    "names of accents alone": lambda: zip_of(*(("\u0301\u0323" * 60 + str(n), "") for n in range(MAX_FILES))),
    "names as long as a zip can have them": lambda: zip_of(
        *(("\u0301\u0323" * 8000 + str(n), "") for n in range(60))
    ),
}


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("name", WORST)
def test_the_worst_zip_takes_little_time(outcome: Callable[[bytes], str], name: str) -> None:
    content = WORST[name]()
    assert len(content) <= LIMIT
    assert cost_of(lambda: outcome(content)) < 32
