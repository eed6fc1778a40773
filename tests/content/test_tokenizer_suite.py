"""The hidden suite of tokenizer: wrong programs that short texts and one-digit ids do not show lose marks, once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.course import Assignment, Course
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig


class Mistake(NamedTuple):
    """A part of the solution, what stands there instead, and the tests that fail."""

    old: str
    new: str
    failed: set[str]


ENCODE = """        ids = list(text.encode())
        for pair, new in self.merges.items():
            ids = merge(ids, pair, new)
        return ids
"""

ENCODED_BADLY = {"encoding-and-decoding.many-texts-are-encoded"}
DECODED_BADLY = {"encoding-and-decoding.many-ids-are-decoded"}

MISTAKES = {
    "counting goes as deep as the list is long": Mistake(
        "    counts: dict[Pair, int] = {}\n",
        "    if len(ids) > 1:\n        count_pairs(ids[1:])\n    counts: dict[Pair, int] = {}\n",
        {"pairs.many-lists-of-ids"},
    ),
    "ids are the same object, or another id": Mistake(
        "tuple(ids[place : place + 2]) == tuple(pair)",
        "len(ids) > place + 1 and ids[place] is pair[0] and ids[place + 1] is pair[1]",
        {"merging.many-lists-and-pairs"},
    ),
    "of equals, only the first ids are compared": Mistake(
        "(-counts[pair], pair)", "(-counts[pair], pair[0])", {"learning.many-texts"}
    ),
    "new ids are floats": Mistake(
        "self.merges[best] = new",
        "self.merges[best] = float(new)",
        {"learning.many-texts", *ENCODED_BADLY},
    ),
    "few pairs are learnt": Mistake("range(256, size)", "range(256, min(size, 300))", {"learning.many-texts"}),
    "only the first pairs are used": Mistake(
        ENCODE, ENCODE.replace("self.merges.items()", "list(self.merges.items())[:9]"), ENCODED_BADLY
    ),
    "encode gives an iterator": Mistake(
        ENCODE,
        ENCODE.replace("return ids", "return iter(ids)"),
        {
            f"encoding-and-decoding.{name}"
            for name in (
                "a-text-in-pieces",
                "the-order-of-merging",
                "there-and-back",
                "many-texts-are-encoded",
                "two-tokenizers",
            )
        },
    ),
    "two bytes that are no text become one character": Mistake(
        '.decode(errors="replace")',
        '.decode(errors="replace").replace("\ufffd\ufffd", "\ufffd")',
        DECODED_BADLY,
    ),
}
COUNTS = """    counts: dict[Pair, int] = {}
    for pair in pairwise(ids):
"""
UNUSUAL = {
    "a named tuple is a tuple": (
        COUNTS,
        "    from collections import namedtuple\n\n    named = namedtuple('Both', 'left right')\n"
        "    counts: dict[Pair, int] = {}\n    for pair in map(named, ids, ids[1:]):\n",
    ),
    "a subclass of dict is a dict": (COUNTS, COUNTS.replace("{}", "__import__('collections').Counter()")),
    "a subclass of list is a list": ("    return merged\n", "    return type('Ids', (list,), {})(merged)\n"),
}


@pytest.fixture(scope="module")
def tokenizer(course: Course) -> Assignment:
    return next(one for one in course.assignments if one.name == "tokenizer")


@pytest.fixture(scope="module")
def tokenizer_grader(tokenizer: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    with Grader(tokenizer, sandbox) as opened:
        yield opened


@pytest.mark.first_cases(3)
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_that_short_examples_hide_loses_its_own_tests(tokenizer_grader: Grader, name: str) -> None:
    solution = tokenizer_grader.assignment.solution_file.read_text(encoding="utf-8")
    mistake = MISTAKES[name]
    assert solution.count(mistake.old) == 1
    source = solution.replace(mistake.old, mistake.new)
    graded = tokenizer_grader.grade_submission(make_submission_from_source("ada", source))
    assert {one.spec.id for one in graded.test_results if one.outcome != "passed"} == mistake.failed


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("name", UNUSUAL)
def test_an_unusual_type_that_the_handout_allows_loses_nothing(tokenizer_grader: Grader, name: str) -> None:
    solution = tokenizer_grader.assignment.solution_file.read_text(encoding="utf-8")
    old, new = UNUSUAL[name]
    assert solution.count(old) == 1
    graded = tokenizer_grader.grade_submission(make_submission_from_source("ada", solution.replace(old, new)))
    assert {one.spec.id for one in graded.test_results if one.outcome != "passed"} == set()
