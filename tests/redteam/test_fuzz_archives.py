"""Whatever is done to a zip, it is unpacked below its folder and within its limit, or refused with a sentence."""

from __future__ import annotations

import io
import stat
import tempfile
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.submissions.zips import BadArchive, unpack_zip

LIMIT = 10_000

NAMES = st.lists(
    st.sampled_from(
        [
            *("..", ".", "/", "\\", "a", "A", "b.py", "value.py", "C:", "~", " ", "\u0301", "\u202e", "\n"),
            *("con", "é", "..\\", "a/", "x" * 300, "\x1b[2J", "%2e%2e", "a/" * 50, "*", "$HOME", "-rf"),
        ]
    ),
    min_size=1,
    max_size=5,
).map("".join)
KINDS = st.sampled_from([0, 0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, 0o170000])
METHODS = st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
SIZES = st.sampled_from([0, 1, 100, LIMIT - 1, LIMIT, LIMIT + 1])
MEMBERS = st.lists(st.tuples(NAMES, KINDS, METHODS, SIZES), max_size=4)


def zip_of(members: list[tuple[str, int, int, int]]) -> bytes:
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w") as opened:
        warnings.simplefilter("ignore")  # a name that comes twice
        for name, kind, method, size in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = (kind | 0o777) << 16
            opened.writestr(info, b"\n" * size, method)
    return made.getvalue()


SOUND = zip_of([("value.py", 0, zipfile.ZIP_DEFLATED, 500), ("more/helpers.py", 0, zipfile.ZIP_STORED, 40)])


def said(content: bytes) -> str:
    """``unpacked`` or ``refused``; anything else, or anything outside, fails the test."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "inner" / "folder"
        folder.mkdir(parents=True)
        outcome, message = "unpacked", ""
        try:
            unpack_zip(content, folder, LIMIT)
        except BadArchive as refused:
            outcome, message = "refused", str(refused)
        assert message.isprintable()
        assert len(message) < 400
        found = [path for path in Path(place).rglob("*") if path not in (folder, folder.parent)]
        assert all(path.is_relative_to(folder) and not path.is_symlink() for path in found)
        assert sum(path.stat().st_size for path in found if path.is_file()) <= LIMIT
    return outcome


@pytest.mark.redteam
def test_a_zip_of_hostile_members_is_unpacked_or_refused() -> None:
    outcomes: Counter[str] = Counter()

    @settings(max_examples=300, database=None)
    @given(MEMBERS)
    def adversarial(members: list[tuple[str, int, int, int]]) -> None:
        outcomes[said(zip_of(members))] += 1
        outcomes["outside, if one is naive"] += any(".." in name or name.startswith("/") for name, *_ in members)

    adversarial()
    assert min(outcomes["unpacked"], outcomes["refused"], outcomes["outside, if one is naive"]) > 5, outcomes


@pytest.mark.redteam
def test_a_zip_of_changed_bytes_is_unpacked_or_refused() -> None:
    outcomes: Counter[str] = Counter()
    places = st.integers(0, len(SOUND))

    @settings(max_examples=300, database=None)
    @given(
        st.lists(st.tuples(places, st.integers(1, 255)), max_size=4),
        st.none() | st.tuples(places, places),
        st.none() | st.tuples(places, places, places),
    )
    def mutated(
        flips: list[tuple[int, int]], cut: tuple[int, int] | None, copied: tuple[int, int, int] | None
    ) -> None:
        content = bytearray(SOUND)
        for place, bits in flips:
            if place < len(content):
                content[place] ^= bits
        if copied:
            start, end = sorted(copied[:2])
            content[copied[2] : copied[2]] = content[start:end]
        if cut:
            start, end = sorted(cut)
            del content[start:end]
        outcomes[said(bytes(content))] += 1

    mutated()
    assert min(outcomes["unpacked"], outcomes["refused"]) > 5, outcomes


@pytest.mark.redteam
def test_no_byte_of_a_zip_matters_so_much_that_it_cannot_be_refused() -> None:
    for place, byte in enumerate(SOUND):
        for value in (0, 0xFF, byte ^ 1, byte ^ 0x80):
            said(SOUND[:place] + bytes([value]) + SOUND[place + 1 :])
