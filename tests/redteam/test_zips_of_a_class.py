"""In the zip of a class, what one student hands in stops nobody else."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from autograder.submissions import open_submission_entries, zips
from autograder.submissions.zips import BadArchive, unpack_zip
from tests.machine import cost_of
from tests.redteam.zips import SOLVED, Member, special, zip_of


def entries_of(path: Path) -> dict[str, str]:
    """Each entry's name, and what is wrong with it."""
    with open_submission_entries(path) as entries:
        return {entry.name: entry.reading_problem for entry in entries}


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
    monkeypatch.setattr(zips, "MOST_OF_ONE", 1000)
    (tmp_path / "class.zip").write_bytes(zip_of(("alice.py", SOLVED), member, ("bob.py", SOLVED)))
    with pytest.raises(BadArchive):
        unpack_zip(tmp_path / "class.zip", tmp_path / "out", 4000)
    found = entries_of(tmp_path / "class.zip")
    assert (found["alice"], found["bob"]) == ("", "")
    (problem,) = (problem for name, problem in found.items() if name not in ("alice", "bob"))
    assert why in problem


def test_a_name_as_long_as_a_zip_holds_is_shortened_at_once(tmp_path: Path) -> None:
    (tmp_path / "class.zip").write_bytes(zip_of(("alice.py", SOLVED), ("é" * 32_000 + ".py", SOLVED)))
    assert len(entries_of(tmp_path / "class.zip")) == 2
    assert cost_of(lambda: entries_of(tmp_path / "class.zip")) < 8


def test_a_folder_of_a_class_is_bounded_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zips, "MOST_OF_ONE", 1000)
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
