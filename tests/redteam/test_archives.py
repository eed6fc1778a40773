"""A hostile zip writes nothing outside its folder, fills no disk and no memory, and stops nobody else's grading.

Each attack is first seen to work on a grader that unpacks as most do.
"""

from __future__ import annotations

import bz2
import io
import os
import stat
import struct
import sys
import time
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PureWindowsPath

import pytest

from autograder.course import Assignment
from autograder.submissions import Unreadable, archive, files, open_entries, read_submission
from autograder.submissions.archive import MOST_MEMBERS, BadArchive, unpack
from autograder.submissions.files import MOST_FILES
from autograder.submissions.paths import MOST_DEEP

MB = 2**20
LIMIT = 20 * MB
SOLVED = "class Value:\n    solved = True\n"

Member = tuple[str | zipfile.ZipInfo, str | bytes]


def zip_of(*members: Member, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of contents by name; the same name may come twice."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as opened:
        for name, content in members:
            opened.writestr(name, content, method)
    return made.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (mode | 0o777) << 16
    return info


def again(whole: bytes, times: int) -> bytes:
    """A zip of one member whose directory names it many times."""
    start, end = whole.index(b"PK\1\2"), whole.index(b"PK\5\6")
    entry = whole[start:end]
    counts = struct.pack("<HHI", times, times, times * len(entry))
    return whole[:start] + entry * times + whole[end : end + 8] + counts + whole[end + 16 :]


def naively(content: bytes, folder: Path) -> None:
    """Unpack as the tools do that are made for zips of one's own: paths as they are, links as links."""
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        for member in opened.infolist():
            target = Path(os.path.normpath(folder / member.filename))
            target.parent.mkdir(parents=True, exist_ok=True)
            if stat.S_ISLNK(member.external_attr >> 16):
                target.symlink_to(opened.read(member).decode())
            elif not member.is_dir():
                target.write_bytes(opened.read(member))


def refusal(content: bytes, folder: Path, limit: int = LIMIT) -> str:
    with pytest.raises(BadArchive) as caught:
        unpack(content, folder, limit)
    return str(caught.value)


def files_in(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "deep" / "out"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def outcome(engine: Assignment, tmp_path: Path) -> Callable[[bytes], str]:
    """What is said of a zip that is handed in: ``read``, or the key of why not."""

    def said(content: bytes) -> str:
        path = tmp_path / "alice.zip"
        path.write_bytes(content)
        try:
            read_submission(path, engine)
        except Unreadable as refused:
            return refused.reason
        return "read"

    return said


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
    unpack(zip_of((name, "1")), folder, LIMIT)
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
    assert "are one name to many systems" in refusal(content, folder.parent / "other")


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
    unpack(content, folder, LIMIT)
    assert files_in(folder) == {"value.py": "1"}


# Bombs


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
    unpack(zip_of(("inner.zip", zip_of(("value.py", "\0" * (3 * MB))))), folder, MB)
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


def test_a_hundred_thousand_members_are_refused_before_an_object_is_made_of_each(folder: Path) -> None:
    whole = zip_of(("a", ""))
    count = 100_000
    start = whole.index(b"PK\1\2")
    directory = whole[start : whole.index(b"PK\5\6")] * count
    end_of_it = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), start)
    end64 = struct.pack("<4sIQI", b"PK\6\7", 0, start + len(directory), 1)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    bomb = whole[:start] + directory + end_of_it + end64 + end
    started = time.process_time()
    with zipfile.ZipFile(io.BytesIO(bomb)) as opened:
        assert len(opened.infolist()) == count
    naive = time.process_time() - started
    started = time.process_time()
    assert refusal(bomb, folder).startswith(f"The zip has {count} members; at most {MOST_MEMBERS} are unpacked.")
    assert time.process_time() - started < naive / 10
    assert list(folder.iterdir()) == []


def test_a_path_of_hundreds_of_folders_is_refused(folder: Path, outcome: Callable[[bytes], str]) -> None:
    bomb = zip_of(*((f"{number}/" + "a/" * 200 + "value.py", "") for number in range(5)))
    naively(bomb, folder)
    assert len(list(folder.rglob("*"))) > 1000, "a few bytes of name are a folder each"
    assert "folders in folders, 202 deep" in refusal(bomb, folder)
    assert outcome(bomb) == "bad-zip"


def test_folders_count_as_members_do(folder: Path) -> None:
    bomb = zip_of(*((f"{number}/" + "a/" * (MOST_DEEP - 2), "") for number in range(MOST_MEMBERS // 30)))
    assert "at most 20000 are unpacked" in refusal(bomb, folder)
    assert list(folder.iterdir()) == []


def test_thousands_of_files_are_refused_before_one_is_made(folder: Path) -> None:
    bomb = zip_of(*((f"{number}.py", "") for number in range(MOST_FILES + 1)))
    assert f"at most {MOST_FILES} are unpacked" in refusal(bomb, folder)
    assert list(folder.iterdir()) == []


def test_what_nobody_reads_is_never_made_and_stops_nobody(outcome: Callable[[bytes], str]) -> None:
    environment = ((f"venv/lib/{number}.py", "x") for number in range(MOST_FILES + 1))
    assert outcome(zip_of(("./", ""), ("value.py", SOLVED), *environment)) == "read"


WORST: dict[str, Callable[[], bytes]] = {
    "as much as is allowed, of nothing": lambda: zip_of(("value.py", bytes(LIMIT - 1))),
    "more than is allowed, of nothing": lambda: zip_of(("value.py", bytes(LIMIT + 1))),
    "as many members as are allowed": lambda: zip_of(
        *((f"venv/{number}/" + "x" * 200, "") for number in range(9_000))
    ),
    "names of accents alone": lambda: zip_of(*(("\u0301\u0323" * 60 + str(n), "") for n in range(MOST_FILES))),
    "names as long as a zip can have them": lambda: zip_of(
        *(("\u0301\u0323" * 8000 + str(n), "") for n in range(60))
    ),
}


@pytest.mark.parametrize("name", WORST)
def test_the_worst_zip_takes_no_more_than_two_seconds(outcome: Callable[[bytes], str], name: str) -> None:
    content = WORST[name]()
    assert len(content) <= LIMIT
    started = time.process_time()
    outcome(content)
    assert time.process_time() - started < 2


# What is hashed is what is graded


def test_a_zip_that_is_exchanged_while_it_is_read_is_graded_as_it_was_hashed(
    engine: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "alice.zip"
    path.write_bytes(zip_of(("value.py", SOLVED)))
    really = files._read

    def and_exchanged(path: Path, left: int, limit: int) -> bytes:
        content = really(path, left, limit)
        if path.suffix == ".zip":
            path.write_bytes(zip_of(("value.py", "class Value:\n    exchanged = True\n")))
        return content

    monkeypatch.setattr(files, "_read", and_exchanged)
    assert read_submission(path, engine).units[0].source == SOLVED
    assert "exchanged" in zipfile.ZipFile(path).read("value.py").decode(), "who opens it again sees another"


def test_a_zip_that_is_a_program_too_is_what_its_ending_says(engine: Assignment, tmp_path: Path) -> None:
    both = b"class Value:\n    from_the_program = True\n'''" + zip_of(("value.py", SOLVED)) + b"'''"
    for name in ("alice.zip", "alice.py"):
        (tmp_path / name).write_bytes(both)
    assert read_submission(tmp_path / "alice.zip", engine).units[0].source == SOLVED
    with pytest.raises(Unreadable, match="binary"):
        read_submission(tmp_path / "alice.py", engine)


# A class's zip: what one student hands in stops nobody else


def entries_of(path: Path) -> dict[str, str]:
    """Each entry's name, and what is wrong with it."""
    with open_entries(path) as entries:
        return {entry.name: entry.problem for entry in entries}


ONE_OF_A_CLASS: dict[str, tuple[Member, str]] = {
    "a bomb": (("mallory.py", "\0" * 5000), "unpacks to more than"),
    "a link": ((special("mallory.py", stat.S_IFLNK), "/etc/passwd"), "holds a link or a device"),
    "a name with backslashes": (("mallory\\..\\bob.py", SOLVED), "leaves its folder"),
    "a path outside": (("../bob.py", SOLVED), "leaves its folder"),
    "a device": (("mallory/nul", SOLVED), "Windows keeps for a device"),
    "folders without an end": (("mallory/" + "a/" * 100, ""), "folders in folders"),
}


@pytest.mark.parametrize("attack", ONE_OF_A_CLASS)
def test_what_one_student_hands_in_leaves_the_others_of_a_class_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: str
) -> None:
    member, why = ONE_OF_A_CLASS[attack]
    monkeypatch.setattr(archive, "MOST_OF_ONE", 1000)
    (tmp_path / "class.zip").write_bytes(zip_of(("alice.py", SOLVED), member, ("bob.py", SOLVED)))
    with pytest.raises(BadArchive):
        unpack(tmp_path / "class.zip", tmp_path / "out", 4000)
    found = entries_of(tmp_path / "class.zip")
    assert (found["alice"], found["bob"]) == ("", "")
    (problem,) = (problem for name, problem in found.items() if name not in ("alice", "bob"))
    assert why in problem


def test_a_folder_of_a_class_is_bounded_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_OF_ONE", 1000)
    parts = ((f"class/mallory/{number}.txt", "x" * 400) for number in range(5))
    (tmp_path / "class.zip").write_bytes(zip_of(("class/alice.py", SOLVED), *parts, ("class/bob.py", SOLVED)))
    found = entries_of(tmp_path / "class.zip")
    assert {name: bool(problem) for name, problem in found.items()} == {
        "alice": False,
        "bob": False,
        "mallory": True,
    }


def test_whose_file_could_not_be_unpacked_has_the_name_that_it_would_have_had(tmp_path: Path) -> None:
    broken = special("mallory.py", stat.S_IFLNK)
    (tmp_path / "class.zip").write_bytes(zip_of(("alice.py", SOLVED), (broken, "x"), ("zoe.py", SOLVED)))
    assert list(entries_of(tmp_path / "class.zip")) == ["alice", "mallory", "zoe"]
