"""Of a notebook the code cells are read, in order; what is no notebook is refused."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from tests.submissions.handed_in import SOLVED, Put, Read, Refusal, notebook, sources


def notebook_with(**cell: Any) -> str:
    """A notebook whose second cell is as given."""
    right = json.loads(notebook(SOLVED))
    return json.dumps({**right, "cells": [*right["cells"], cell]})


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_notebook_is_its_code_known_by_the_hash_of_its_bytes(put: Put, read: Read, mark: str) -> None:
    text = mark + notebook(SOLVED)
    submission = read(put("value.ipynb", text))
    assert sources(submission) == [SOLVED]
    assert submission.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_code_cells_are_counted_and_others_are_not(put: Put, read: Read) -> None:
    text = json.loads(notebook("x = 1", SOLVED))
    for kind in ("markdown", "raw"):
        text["cells"].insert(1, {"cell_type": kind, "id": kind, "metadata": {}, "source": "class Value: ..."})
    units = read(put("value.ipynb", json.dumps(text))).units
    assert [unit.name for unit in units] == ["code cell 1", "code cell 2"]


def test_an_empty_cell_is_counted_and_left_out(put: Put, read: Read) -> None:
    (unit,) = read(put("value.ipynb", notebook("", " \n", SOLVED))).units
    assert unit.name == "code cell 3"


def test_a_notebook_without_code_has_nothing_to_run(put: Put, read: Read) -> None:
    assert read(put("value.ipynb", notebook())).units == ()


@pytest.mark.parametrize("half", [0xD800, 0xDFFF], ids=hex)
def test_half_a_character_in_a_notebook_does_not_reach_the_students_process(put: Put, read: Read, half: int) -> None:
    units = read(put("value.ipynb", notebook(SOLVED, f"# {chr(half)}"))).units
    assert units[0].source == SOLVED
    for unit in units:
        unit.source.encode()


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[" * 100_000, '{"cells":' * 100_000, "{}", "[]", "3", "null", '"text"'),
        *(notebook(SOLVED)[:-40], notebook(SOLVED, nbformat=99), notebook(SOLVED, nbformat="four")),
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
        '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}}',
        '{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": 3}',
        *(notebook(cells=wrong) for wrong in ({"source": SOLVED}, None, 7, ["code"], [None], [[SOLVED]])),
        notebook_with(cell_type="code"),
        notebook_with(source="x = 1"),
        *(notebook_with(cell_type="code", source=wrong) for wrong in (None, 7, [1, 2], {"x": 2}, ["x = ", ["1"]])),
    ],
    ids=lambda text: text[-50:],
)
def test_what_is_no_notebook_is_refused(put: Put, refusal: Refusal, text: str) -> None:
    refused = refusal(put("value.ipynb", text))
    assert refused.reason == "not-a-notebook"
    assert "Open it in Jupyter, save it there and hand it in again." in refused.message
