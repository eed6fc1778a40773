"""The hidden suite of tokenizer: wrong programs that short texts and one-digit ids do not show lose marks, once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from autograder.author_checks.grading_pool import make_submission_from_source
from autograder.course import Assignment, Course
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig


class Mistake(NamedTuple):
    """A part of the solution, what stands there instead, and the tests that fail."""

    old: str
    new: str
    failed: set[str]


MERGE_LOOP = """    merged: list[int] = []
    place = 0
    while place < len(ids):
        if tuple(ids[place : place + 2]) == tuple(pair):
            merged.append(new)
            place += 2
        else:
            merged.append(ids[place])
            place += 1
    return merged
"""
LONGEST_FIRST = """        pieces = {byte: bytes([byte]) for byte in range(256)}
        for (left, right), new in self.merges.items():
            pieces[new] = pieces[left] + pieces[right]
        rest, ids = text.encode(), []
        while rest:
            ids.append(max((one for one in pieces if rest.startswith(pieces[one])), key=lambda one: len(pieces[one])))
            rest = rest[len(pieces[ids[-1]]) :]
        return ids
"""
ENCODE = """        ids = list(text.encode())
        for pair, new in self.merges.items():
            ids = merge(ids, pair, new)
        return ids
"""

MISTAKES = {
    "ids are replaced as text": Mistake(
        MERGE_LOOP,
        '    text = " ".join(map(str, ids)).replace(f"{pair[0]} {pair[1]}", str(new))\n'
        "    return [int(one) for one in text.split()]\n",
        {"merging.only-that-pair", "encoding-and-decoding.the-order-of-merging"},
    ),
    "without an occurrence, the very list is given back": Mistake(
        "    merged: list[int] = []\n",
        "    if pair not in [*pairwise(ids)]:\n        return ids\n    merged: list[int] = []\n",
        {"merging.the-list-that-was-passed-stays"},
    ),
    "of equals, only the first ids are compared": Mistake(
        "(-counts[pair], pair)", "(-counts[pair], pair[0])", {"learning.the-smallest-of-equals"}
    ),
    "new ids are floats": Mistake("self.merges[best] = new", "self.merges[best] = float(new)", {"learning.the-size"}),
    "few pairs are learnt": Mistake(
        "range(256, size)",
        "range(256, min(size, 262))",
        {"learning.pieces-of-pieces", "learning.nothing-left-to-learn"},
    ),
    "the longest piece is taken": Mistake(ENCODE, LONGEST_FIRST, {"encoding-and-decoding.the-order-of-merging"}),
    "only the first pairs are used": Mistake(
        ENCODE,
        ENCODE.replace("self.merges.items()", "list(self.merges.items())[:4]"),
        {"encoding-and-decoding.the-order-of-merging"},
    ),
    "encode gives an iterator": Mistake(
        ENCODE,
        ENCODE.replace("return ids", "return iter(ids)"),
        {f"encoding-and-decoding.{name}" for name in ("a-text-in-pieces", "the-order-of-merging", "there-and-back")},
    ),
    "blanks around a text are lost": Mistake(
        '.decode(errors="replace")',
        '.decode(errors="replace").strip()',
        {"encoding-and-decoding.there-and-back"},
    ),
}


@pytest.fixture(scope="module")
def tokenizer(course: Course) -> Assignment:
    return next(one for one in course.assignments if one.name == "tokenizer")


@pytest.fixture(scope="module")
def tokenizer_grader(tokenizer: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    with Grader(tokenizer, sandbox) as opened:
        yield opened


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_that_short_examples_hide_loses_its_own_tests(tokenizer_grader: Grader, name: str) -> None:
    solution = tokenizer_grader.assignment.solution_file.read_text(encoding="utf-8")
    mistake = MISTAKES[name]
    assert solution.count(mistake.old) == 1
    source = solution.replace(mistake.old, mistake.new)
    graded = tokenizer_grader.grade_submission(make_submission_from_source("ada", source))
    assert {one.spec.id for one in graded.test_results if one.outcome != "passed"} == mistake.failed
