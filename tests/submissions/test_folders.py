"""Of a folder one file is graded: the one that defines what is asked for, if it is the only one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.submissions import UngradableSubmission, read_submission
from tests.submissions.handed_in import SOLVED, Put, Read, Refusal, notebook, sources, zip_of


@pytest.mark.parametrize("name", ["my engine.py", "week 3/mine/value.py"])
def test_a_folder_with_one_file_is_that_file(put: Put, folder: Path, read: Read, name: str) -> None:
    put(name)
    assert sources(read(folder)) == [SOLVED]


def test_a_folder_may_be_called_like_a_zip(put: Put, folder: Path, read: Read) -> None:
    put("alice.zip/value.py")
    assert sources(read(folder / "alice.zip")) == [SOLVED]


@pytest.mark.parametrize(
    "other",
    [
        *("tests/test_1_forward.py", "conftest.py", "notebook_check.py", "setup.py", "test_mine.py", "._value.py"),
        *(".ipynb_checkpoints/value-checkpoint.ipynb", "__pycache__/value.py", "__MACOSX/._value.py"),
        *(".git/hooks/value.py", "venv/lib/value.py", "node_modules/value.py"),
    ],
)
def test_files_that_are_nobodys_work_are_left_out(put: Put, folder: Path, read: Read, other: str) -> None:
    put("value.py")
    put(other, "class Value: ...\n")
    submission = read(folder)
    assert (sources(submission), submission.files, submission.notes) == ([SOLVED], ("value.py",), ())


def test_a_program_whose_name_begins_with_a_dot_is_named_in_a_note(put: Put, folder: Path, read: Read) -> None:
    put("value.py")
    put(".helper.py", "x = 1\n")
    submission = read(folder)
    assert (sources(submission), submission.files) == ([SOLVED], ("value.py",))
    assert submission.notes == (".helper.py is not read: the name begins with a dot.",)


@pytest.mark.parametrize("zipped", [False, True])
def test_who_has_no_other_program_reads_that_the_name_begins_with_a_dot(
    put: Put, folder: Path, refusal: Refusal, *, zipped: bool
) -> None:
    if zipped:
        zip_of(folder / "work.zip", **{".value": SOLVED})
    else:
        put(".value.py")
    error = refusal(folder)
    assert error.reason == "no-python-file"
    assert ".value.py is not read: the name begins with a dot." in error.message


def test_the_file_that_defines_what_is_asked_for_is_the_one(put: Put, folder: Path, read: Read) -> None:
    put("main.py", "from engine import Value\nprint(Value(2))\n")
    put("engine.py")
    assert sources(read(folder)) == [SOLVED]


@pytest.mark.parametrize(
    "text",
    ["class Value(Base):\n  x = 1\n", "if True:\n  class Value: ...\n", "Value = make()\n", "Value: type = make()\n"],
)
def test_there_are_several_ways_to_define_a_name(put: Put, folder: Path, read: Read, text: str) -> None:
    put("engine.py", text)
    put("other.py", "x = 1\n")
    assert sources(read(folder)) == [text]


@pytest.mark.parametrize(
    "text", ["from engine import Value\n", "# class Value\n", "Value == 3\n", "class Values: ...\n", "print(Value)\n"]
)
def test_a_name_that_is_only_used_is_not_defined(put: Put, folder: Path, refusal: Refusal, text: str) -> None:
    put("first.py", text)
    put("second.py", text)
    refused = refusal(folder)
    assert refused.reason == "nothing-defined"
    assert "None of the files defines Value: first.py, second.py" in refused.message


@pytest.mark.parametrize("source", [SOLVED, SOLVED.splitlines(keepends=True), "x = 1\n" + SOLVED])
def test_a_notebook_beside_a_script_defines_a_name_too(
    put: Put, folder: Path, read: Read, source: str | list[str]
) -> None:
    put("mine.ipynb", notebook(source))
    put("plot.py", "from mine import Value\n")
    assert "".join(source) in sources(read(folder))


@pytest.mark.parametrize("place", ["", "week 3/"])
def test_files_beside_the_one_that_is_graded_can_be_imported(put: Put, folder: Path, read: Read, place: str) -> None:
    put(f"{place}value.py", "import helpers\n" + SOLVED)
    put(f"{place}helpers.py", "\ufeffx = 1\n")
    assert read(folder).modules == {"helpers": "x = 1\n"}


def test_two_files_that_define_it_are_refused_by_name(put: Put, folder: Path, refusal: Refusal) -> None:
    put("engine.py")
    put("old engine.py", "class Value: ...\n")
    refused = refusal(folder)
    assert refused.reason == "several-candidates"
    assert refused.message == (
        "2 files define Value: engine.py, old engine.py. Hand in one of them, named value.py or value.ipynb. "
        "A course may say which one counts: `submission` in grading.yml."
    )


def test_of_several_files_the_one_named_value_is_graded_and_the_others_are_noted(
    put: Put, folder: Path, read: Read
) -> None:
    put("value.py")
    put("old.py", "class Value: ...\n")
    submission = read(folder)
    assert sources(submission) == [SOLVED]
    assert submission.notes == ("Graded value.py; old.py also defines Value and was not graded.",)


def test_an_empty_folder_is_refused(folder: Path, refusal: Refusal) -> None:
    refused = refusal(folder)
    assert (refused.reason, refused.files) == ("no-python-file", ())


def test_a_folder_of_other_files_is_refused_by_their_names(put: Put, folder: Path, refusal: Refusal) -> None:
    put("report.pdf")
    put("notes.txt", "hello")
    assert "only notes.txt, report.pdf" in refusal(folder).message


def test_a_folder_of_thousands_of_files_is_refused(put: Put, folder: Path, refusal: Refusal) -> None:
    for number in range(2001):
        (folder / f"{number}.txt").touch()
    assert refusal(folder).reason == "too-many-files"


def test_the_hash_of_a_folder_is_over_names_and_contents(put: Put, folder: Path, read: Read) -> None:
    put("helpers.py", "x = 1\n")
    hashes = {read(put("value.py").parent).sha256}
    put("helpers.py", "x = 2\n")
    hashes.add(read(folder).sha256)
    (folder / "helpers.py").rename(folder / "others.py")
    hashes.add(read(folder).sha256)
    assert len(hashes) == 3


def test_work_that_is_spread_over_two_files_is_told_to_become_one(put: Put, folder: Path, engine: Assignment) -> None:
    put("first.py", "class Value: ...\n")
    put("second.py", "from first import Value\nclass Neuron: ...\n")
    with pytest.raises(UngradableSubmission) as caught:
        read_submission(folder, replace(engine, defines=("Value", "Neuron")))
    told = "No file by itself defines Value and Neuron: first.py, second.py. Put your code into one"
    assert told in caught.value.message
