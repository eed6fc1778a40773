"""Whatever is done to a notebook, it is read or refused with a sentence; nothing else is ever raised."""

from __future__ import annotations

import copy
import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.submissions.submission_files import SubmittedFile
from autograder.submissions.submission_model import UngradableSubmission
from autograder.submissions.submission_reading import read_source_file

LIMIT = 4096
RIGHT: dict[str, Any] = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": 1,
            "id": "one",
            "metadata": {"tags": ["a"]},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["hi\n"]}],
            "source": ["%matplotlib inline\n", "class Value:\n", "    pass\n"],
        },
        {"cell_type": "markdown", "id": "two", "metadata": {}, "source": "text", "attachments": {"a": {"b": "c"}}},
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "three",
            "metadata": {},
            "outputs": [],
            "source": "x = 1",
        },
    ],
    "metadata": {"kernelspec": {"name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
LONG = "an integer that is longer than Python reads"
WRONG: list[Any] = [
    *(None, True, 0, -1, 3, 4, 5, 4.5, math.nan, math.inf, 2**64, LONG, ""),
    *("code", "%%time", "\ud800", "\0", "\u202e", "x" * 5000, [], {}),
    *([None], [[]], ["a", 1], {"a": 1}, {"": {}}, [{}] * 3, "((((", "!ls\n(\n%x"),
]
Place = tuple[str | int, ...]


def places(value: Any, above: Place = ()) -> Iterator[Place]:
    """The way to every value in a JSON document."""
    yield above
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in below:
        yield from places(item, (*above, key))


PLACES = list(places(RIGHT))


def changed(whole: Any, place: Place, value: Any) -> Any:
    """The document with another value there; without the place itself where the value is ``Ellipsis``."""
    if not place:
        return None if value is ... else value
    made = copy.deepcopy(whole)
    inside = made
    try:
        for key in place[:-1]:
            inside = inside[key]
        if value is ...:
            del inside[place[-1]]
        else:
            inside[place[-1]] = value
    except (KeyError, IndexError, TypeError):
        return whole  # an earlier change took the place away
    return made


def said(content: bytes) -> str:
    """``read``, or the key of why not; anything else that is raised fails the test."""
    try:
        units = read_source_file(SubmittedFile("value.ipynb", content), LIMIT).units
    except UngradableSubmission as refused:
        message = refused.message
        assert message.endswith("."), message
        assert message.isprintable(), message
        return refused.reason
    for unit in units:
        unit.source.encode()
    return "read"


def test_a_notebook_with_values_of_wrong_types_is_read_or_refused() -> None:
    outcomes: Counter[str] = Counter()

    @settings(max_examples=300, database=None)
    @given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from([*WRONG, ...])), min_size=1, max_size=4))
    def mutated(changes: list[tuple[Place, Any]]) -> None:
        document = RIGHT
        for place, value in changes:
            document = changed(document, place, value)
        text = json.dumps(document).replace(f'"{LONG}"', "9" * 5000)
        outcomes[said(text.encode())] += 1

    mutated()
    assert min(outcomes["read"], outcomes["not-a-notebook"]) > 5, outcomes


def test_a_notebook_with_wrong_bytes_is_read_or_refused() -> None:
    outcomes: Counter[str] = Counter()
    whole = json.dumps(RIGHT).encode()
    span = st.tuples(st.integers(0, len(whole)), st.integers(0, 3))
    bits = st.sampled_from(
        [b"", b"\0", b"\xff", b'"', b"\\", b"{", b"]", b",", b"NaN", b"\\ud800", b"1e999", b"%%\\n"]
    )

    @settings(max_examples=300, database=None)
    @given(st.lists(st.tuples(span, bits), min_size=1, max_size=3), st.integers(0, 3))
    def mutated(edits: list[tuple[tuple[int, int], bytes]], cut: int) -> None:
        content = whole
        for (start, length), put in edits:
            content = content[:start] + put + content[start + length :]
        outcomes[said(content[: len(content) - 50 * max(0, cut - 2)])] += 1

    mutated()
    assert min(outcomes["read"], outcomes["not-a-notebook"]) > 5, outcomes


def test_a_cell_of_any_text_is_text_afterwards() -> None:
    words = [
        "%%time\n",
        "%time ",
        "!ls\n",
        "x = ",
        "?",
        "\n",
        "\\\n",
        '"""',
        "'",
        "(",
        ")",
        "#",
        " ",
        "\0",
        "\ud800",
        "é",
    ]

    @settings(max_examples=300, database=None)
    @given(st.lists(st.sampled_from(words), max_size=40).map("".join))
    def any_text(source: str) -> None:
        assert (
            said(json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": source}]}).encode()) == "read"
        )

    any_text()
