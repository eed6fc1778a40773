"""Programs with the same code share a repair: each is proven by itself, and none gets another one's words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec import structs

from autograder.bridge import SubmissionProgram
from autograder.grading import Grader
from autograder.repair.model import Repair
from autograder.repair.search import find_repair
from autograder.repair.sharing import SharedRepair, fit_shared_repair, hash_program, share_repair
from autograder.sandbox.tiers import choose_strongest_sandbox
from autograder.submissions import SourceUnit, Submission
from tests.toy import load_toy

WRONG = "def double(x):\n    return x + x + 1\n"
NOTED = '"""Twice a number."""\n\n\ndef double(x):\n    # mine alone\n    return x + x + 1\n'
OUTCOMES = {"doubling.double-3": "failed", "doubling.double-5": "failed"}


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    assignment = load_toy(tmp_path_factory.mktemp("toy"))
    with Grader(assignment, choose_strongest_sandbox("process", None, assignment.packages)) as grader:
        yield grader


def program(grader: Grader, text: str, name: str = "value.py") -> SubmissionProgram:
    return grader.suite_runner.make_program(Submission("a", "", (name,), (SourceUnit(name, text),)))


def share(grader: Grader, text: str = WRONG) -> tuple[Repair, SharedRepair]:
    """Find the repair of a program, and what is shared of it."""
    wrong = program(grader, text)
    repair = find_repair(grader, wrong, OUTCOMES, 100)
    assert repair.edits
    return repair, share_repair(repair, wrong)


def test_a_repair_is_told_in_each_programs_own_lines(grader: Grader) -> None:
    repair, shared = share(grader)
    noted = program(grader, NOTED, "mine.py")
    fitting = fit_shared_repair(grader, noted, OUTCOMES, shared)
    assert fitting is not None
    assert [(edit.file, edit.line) for edit in fitting.edits] == [("mine.py", 6)]
    assert [edit.after for edit in fitting.edits] == [edit.after for edit in repair.edits]
    assert (fitting.mends, fitting.tried, fitting.proven) == (repair.mends, repair.tried, True)


def test_what_does_not_mend_the_same_here_is_not_told(grader: Grader) -> None:
    repair, shared = share(grader)
    worse = structs.replace(repair.edits[0], after="    return x + x + 2")
    (edit,) = shared.edits
    useless = SharedRepair(repair, (type(edit)(worse, edit.unit, edit.occurrence),), ())
    assert fit_shared_repair(grader, program(grader, NOTED), OUTCOMES, useless) is None


def test_a_program_that_writes_the_line_in_another_way_is_looked_at_by_itself(grader: Grader) -> None:
    _, shared = share(grader)
    other = program(grader, WRONG.replace("x + x + 1", "x+x+1"))
    assert hash_program(other, OUTCOMES) == hash_program(program(grader, WRONG), OUTCOMES)
    assert fit_shared_repair(grader, other, OUTCOMES, shared) is None


def test_no_comment_comes_with_a_repair(grader: Grader) -> None:
    repair, _ = share(grader)
    wrong = program(grader, WRONG)
    talking = structs.replace(repair, edits=(structs.replace(repair.edits[0], after="    return x + x  # said Ada"),))
    shared = share_repair(talking, wrong)
    assert fit_shared_repair(grader, program(grader, NOTED), OUTCOMES, shared) is None


@pytest.mark.parametrize(
    ("text", "is_equal"),
    [(NOTED, True), (WRONG.replace("x", "y"), False), (WRONG.replace("1", "2"), False), ("def double(x:\n", False)],
)
def test_equal_programs_have_the_same_code(grader: Grader, text: str, is_equal: bool) -> None:
    key = hash_program(program(grader, WRONG), OUTCOMES)
    assert (hash_program(program(grader, text), OUTCOMES) == key) == is_equal
    assert hash_program(program(grader, WRONG), {**OUTCOMES, "doubling.double-3": "passed"}) != key
