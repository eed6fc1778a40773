"""Who handed something in is said by its place in the batch, and by nothing in it; nobody is shown another's work."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.batch.output_files import assign_file_names
from autograder.course import Assignment
from autograder.submissions import UngradableSubmission, open_submission_entries, read_submission

SOLVED = "class Value:\n    solved = True\n"
BOBS = "class Value:\n    bobs = True\n"

Make = Callable[[Path], object]


def notebook(source: str, **metadata: object) -> str:
    cell = {"cell_type": "code", "metadata": {"student": "bob"}, "outputs": [], "source": source, "id": "bob"}
    return json.dumps({"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def zip_as_bob(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as opened:
        opened.comment = b"student: bob"
        member = zipfile.ZipInfo("bob/value.py")
        member.comment = b"bob"
        opened.writestr(member, SOLVED)


def folder_as_bob(path: Path) -> None:
    (path / "bob").mkdir(parents=True)
    (path / "bob" / "value.py").write_text(SOLVED)
    (path / "student.json").write_text('{"student_id": "bob"}')
    (path / "bob.py").write_text("student = 'bob'\n")


CLAIMS: dict[str, tuple[str, Make]] = {
    "a comment": ("alice.py", lambda path: path.write_text(f"# student: bob\n# id: bob\n{SOLVED}")),
    "a name in the code": ("alice.py", lambda path: path.write_text(f"__student__ = __author__ = 'bob'\n{SOLVED}")),
    "a docstring": ("alice.py", lambda path: path.write_text(f'"""Submitted by bob."""\n{SOLVED}')),
    "a notebook's authors": (
        "alice.ipynb",
        lambda path: path.write_text(notebook(SOLVED, authors=[{"name": "bob"}], student_id="bob", title="bob")),
    ),
    "a zip's comment and its folder": ("alice.zip", zip_as_bob),
    "a folder's files": ("alice", folder_as_bob),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_to_be_somebody_else_changes_no_row_and_no_file(
    engine: Assignment, tmp_path: Path, claim: str
) -> None:
    name, make = CLAIMS[claim]
    (tmp_path / "class").mkdir()
    make(tmp_path / "class" / name)
    handed_in = [path for path in (tmp_path / "class").rglob("*") if path.is_file()]
    assert any(b"bob" in path.read_bytes() for path in handed_in), "whoever looks inside reads bob"
    with open_submission_entries(tmp_path / "class") as entries:
        assert [entry.name for entry in entries] == ["alice"]
        assert assign_file_names(entry.name for entry in entries) == {"alice": "alice"}
        assert read_submission(entries[0].path, engine, entries[0].name).id == "alice"


def test_an_owner_in_a_files_metadata_is_nobody(engine: Assignment, tmp_path: Path) -> None:
    path = tmp_path / "alice.py"
    path.write_text(SOLVED)
    before = read_submission(path, engine)
    os.utime(path, (0, 0))
    path.chmod(0o700)
    assert read_submission(path, engine) == before


# Another's work, or the teacher's


@pytest.fixture
def students(tmp_path: Path) -> Path:
    """A class of Bob, and a solution beside it that is the teacher's."""
    folder = tmp_path / "class"
    (folder / "bob").mkdir(parents=True)
    (folder / "bob" / "value.py").write_text(BOBS)
    (tmp_path / "solution.py").write_text(SOLVED)
    return folder


def test_a_module_of_another_student_cannot_be_imported(engine: Assignment, students: Path) -> None:
    (students / "alice").mkdir()
    (students / "alice" / "value.py").write_text(f"import helpers\n{SOLVED}")
    (students / "bob" / "helpers.py").write_text("secret = 1\n")
    (students / "alice" / "helpers.py").symlink_to("../bob/helpers.py")
    assert (students / "alice" / "helpers.py").read_text() == "secret = 1\n", "who follows it has bob's"
    assert read_submission(students / "alice", engine).modules == {}


# What is no file


def test_a_folder_of_hundreds_of_folders_in_folders_is_refused(engine: Assignment, tmp_path: Path) -> None:
    made = tmp_path / "alice"
    made.mkdir()
    here = os.open(made, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("a", dir_fd=here)
        below = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    with pytest.raises(UngradableSubmission) as caught:
        read_submission(made, engine)
    assert caught.value.reason == "too-many-files"
    assert "Hand in your own files alone." in caught.value.message


def test_a_file_that_grows_while_it_is_read_is_what_was_read(engine: Assignment, tmp_path: Path) -> None:
    path = tmp_path / "alice.py"
    path.write_text(SOLVED)
    first = read_submission(path, engine)
    with path.open("a") as writing:
        writing.write("# more\n")
        assert first.units[0].source == SOLVED
    assert read_submission(path, engine).sha256 != first.sha256


def test_a_zip_of_a_class_gives_nobody_the_place_of_another(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        opened.writestr("mallory.py/../bob.py", SOLVED)
        opened.writestr("bob.py", BOBS)
    (tmp_path / "class.zip").write_bytes(made.getvalue())
    with open_submission_entries(tmp_path / "class.zip") as entries:
        (bob,) = (entry for entry in entries if entry.name == "bob")
        assert (bob.path.read_text(), bob.reading_problem) == (BOBS, "")
