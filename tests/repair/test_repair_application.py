"""A repair put into the file that was handed in: its lines change, and no other byte."""

from __future__ import annotations

import json

import pytest

from autograder.faults import CallerFault
from autograder.repair.application import apply_edits
from autograder.repair.model import Edit
from autograder.submissions.submission_files import SubmittedFile

CELLS = ["# first\n", "a = 1\nb = 2", ""]


def edit(line: int, before: str, after: str, file: str = "value.py") -> Edit:
    return Edit(file=file, line=line, end_line=line + before.count("\n"), before=before, after=after, kind="constant")


def applied(content: bytes, *edits: Edit) -> bytes:
    return apply_edits(SubmittedFile("value.py", content), edits)


def notebook(**parts: object) -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# é"]},
        *(
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": text.splitlines(keepends=True)}
            for text in CELLS
        ),
    ]
    return (json.dumps({"cells": cells, "nbformat": 4} | parts, indent=1, ensure_ascii=False) + "\n").encode()


@pytest.mark.parametrize(
    ("content", "result"),
    [
        (b"a = 1\nb = 2\n", b"a = 1\nb = 3\n"),
        (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\n"),
        (b"a = 1\rb = 2\r", b"a = 1\rb = 3\r"),
        (b"a = 1\nb = 2", b"a = 1\nb = 3"),
        (b"\xef\xbb\xbfa = 1\nb = 2\n", b"\xef\xbb\xbfa = 1\nb = 3\n"),
        (b"a = '\x0c\xc2\x85'\nb = 2\n", b"a = '\x0c\xc2\x85'\nb = 3\n"),
    ],
    ids=["as usual", "Windows", "old Mac", "no last end", "mark", "no ends for Python"],
)
def test_a_changed_line_leaves_all_other_bytes(content: bytes, result: bytes) -> None:
    assert applied(content, edit(2, "b = 2", "b = 3")) == result


def test_new_text_has_the_encoding_that_the_file_declares() -> None:
    content = "# coding: latin-1\na = 'ä'\n".encode("latin-1")
    assert applied(content, edit(2, "a = 'ä'", "a = 'ö'")) == "# coding: latin-1\na = 'ö'\n".encode("latin-1")


def test_lines_count_as_they_were_handed_in_whatever_the_edits_above_add() -> None:
    edits = edit(1, "a = 1", "a = 1\naa = 1"), edit(3, "c = 3", "c = 4")
    assert applied(b"a = 1\nb = 2\nc = 3\n", *edits) == b"a = 1\naa = 1\nb = 2\nc = 4\n"


def test_lines_are_taken_out() -> None:
    assert applied(b"a = 1\nb = 2\nc = 3\n", edit(1, "a = 1\nb = 2", "")) == b"c = 3\n"


def test_in_a_notebook_the_cell_changes_and_nothing_else() -> None:
    content = notebook()
    result = apply_edits(SubmittedFile("value.ipynb", content), [edit(2, "b = 2", "b = 3", "code cell 2")])
    assert result == content.replace(b"b = 2", b"b = 3")


def test_what_is_not_in_the_file_is_refused() -> None:
    with pytest.raises(CallerFault, match="code cell 7"):
        apply_edits(SubmittedFile("value.ipynb", notebook()), [edit(1, "a", "b", "code cell 7")])
    with pytest.raises(CallerFault, match="code cell 1"):
        applied(b"a = 1\n", edit(1, "a", "b", "code cell 1"))
