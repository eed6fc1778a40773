"""How large a submission may be: what counts, and what is said of one that is larger."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from autograder.course import Assignment
from tests.submissions.handed_in import MB, SOLVED, Put, Read, Refusal, notebook, sources, sparse


def test_a_python_file_may_be_as_large_as_the_limit(put: Put, read: Read, engine: Assignment) -> None:
    size = engine.limits.source_kb * 1024
    assert read(put("value.py", SOLVED + "#" * (size - len(SOLVED)))).units


def test_a_larger_python_file_is_refused(put: Put, refusal: Refusal, engine: Assignment) -> None:
    refused = refusal(put("value.py", "#" * (engine.limits.source_kb * 1024 + 1)))
    assert (refused.reason, "at most 1024 kB" in refused.message) == ("too-large", True)


@pytest.mark.parametrize("name", ["value.py", "value.ipynb", "value.zip", "value.pdf"])
def test_fifty_megabytes_are_refused_with_their_size_and_their_hash(
    folder: Path, refusal: Refusal, name: str
) -> None:
    refused = refusal(sparse(folder / name, 50 * MB))
    assert refused.reason == "too-large"
    assert f"With {name}, the submission has 50.0 MB; at most 20 MB can be graded" in refused.message
    assert refused.sha256 == hashlib.sha256(bytes(50 * MB)).hexdigest()


def test_files_of_a_folder_share_its_limit(folder: Path, refusal: Refusal) -> None:
    for name in ("a.py", "b.py"):
        sparse(folder / name, 15 * MB)
    assert refusal(folder).reason == "too-large"


def test_files_of_other_kinds_do_not_count(put: Put, folder: Path, read: Read) -> None:
    sparse(folder / "film.mp4", 50 * MB)
    put("value.py")
    assert sources(read(folder)) == [SOLVED]


def test_a_notebook_may_have_large_outputs(put: Put, read: Read) -> None:
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": SOLVED, "id": "one"}
    output = {"output_type": "stream", "name": "stdout", "text": "x" * (5 * MB)}
    assert sources(read(put("value.ipynb", notebook(cells=[{**cell, "outputs": [output]}])))) == [SOLVED]


def test_a_notebook_with_more_code_than_a_file_may_have_is_refused(put: Put, refusal: Refusal) -> None:
    assert refusal(put("value.ipynb", notebook(*["#" * (300 * 1024)] * 4))).reason == "too-large"


def test_text_that_looks_like_many_annotations_is_searched_once(put: Put, folder: Path, read: Read) -> None:
    put("x.ipynb", b'"Value:' * 50_000)
    put("value.py")
    assert sources(read(folder)) == [SOLVED]
