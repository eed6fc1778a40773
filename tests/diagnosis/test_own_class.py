"""A class that the kit knows nothing of is diagnosed as its assignment's module says, in a real sandbox."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.course import Assignment
from autograder.course.misconceptions import apply_misconceptions, load_misconception_catalogue
from autograder.diagnosis import Diagnosis, SubmissionDiagnoser
from autograder.diagnosis.naming import (
    digest_lost_tests,
    encode_observations_file,
    get_observations_file_path,
)
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests import toy

SOLUTION = '''\
class Stack:
    """Items, one on the other."""

    def __init__(self, items=()):
        """Begin with these."""
        self.items = list(items)

    def push(self, item):
        """Put one on top."""
        self.items.append(item)

    def pop(self):
        """Take the top one."""
        return self.items.pop()

    def reverse(self):
        """Turn it upside down."""
        self.items.reverse()
'''
MODULE = """\
from autograder.diagnosis import Operation, make_call_diagnosis

diagnosis = make_call_diagnosis(
    [
        Operation("Stack({items})", gives="Stack"),
        Operation("{Stack}.push({number})", gives=None),
        Operation("{Stack}.pop()"),
        Operation("{Stack}.reverse()", gives=None),
    ],
    values={"number": [2, 3, 5], "items": [[7, 8], [], [4]]},
    observe={"Stack": ["{}.items"]},
)
"""
TESTS = '''\
import pytest

pytestmark = pytest.mark.concept("doubling")


@pytest.mark.subject("push")
@pytest.mark.hint("append")
def test_push(student):
    """push puts on top."""
    stack = student.get("Stack")([1])
    stack.push(2)
    assert stack.items == [1, 2], f"{stack.items}"


@pytest.mark.subject("pop")
@pytest.mark.hint("pop")
def test_pop(student):
    """pop takes the top."""
    got = student.get("Stack")([1, 2]).pop()
    assert got == 2, f"{got}"


@pytest.mark.subject("reverse")
@pytest.mark.hint("reverse")
def test_reverse(student):
    """reverse turns it."""
    stack = student.get("Stack")([1, 2])
    stack.reverse()
    assert stack.items == [2, 1], f"{stack.items}"
'''
MISCONCEPTIONS = """\
misconceptions:
  - id: push-goes-below
    title: Push puts below
    concepts: [doubling]
    edits: [{old: "self.items.append(item)", new: "self.items.insert(0, item)"}]
    explanation: It does.
    hints: [one, two, three]
  - id: pop-takes-the-bottom
    title: Pop takes the bottom
    concepts: [doubling]
    edits: [{old: "self.items.pop()", new: "self.items.pop(0)"}]
    explanation: It does.
    hints: [one, two, three]
  - id: reverse-gives-back
    title: Reverse does nothing
    concepts: [doubling]
    edits: [{old: "self.items.reverse()", new: "return self.items[::-1]"}]
    explanation: It does.
    hints: [one, two, three]
"""
BELOW = ("self.items.append(item)", "self.items = [item, *self.items]")
TURN = "self.items = self.items[::-1]\n        "
BOTTOM = ("return self.items.pop()", f"{TURN}one = self.items.pop()\n        {TURN}return one")


@pytest.fixture(scope="module")
def stacks(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    beside = {"assignments/toy/diagnosis.py": MODULE, "solutions/toy/misconceptions.yml": MISCONCEPTIONS}
    files = {toy.SUITE: TESTS, toy.SOLUTION: SOLUTION, **beside}
    return toy.load_toy(tmp_path_factory.mktemp("course"), files=files, defines="Stack")


@pytest.fixture(scope="module")
def stack_grader(stacks: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    with Grader(stacks, sandbox) as opened:
        yield opened


@pytest.fixture(scope="module")
def diagnoser(stacks: Assignment, stack_grader: Grader) -> SubmissionDiagnoser:
    observed = {}
    for one in load_misconception_catalogue(stacks).misconceptions:
        wrong = make_submission_from_source(one.id, apply_misconceptions(SOLUTION, one))
        observed[one.id] = {"plain": digest_lost_tests(stack_grader.grade_submission(wrong).test_results)}
    get_observations_file_path(stacks).write_bytes(encode_observations_file(stacks, observed))
    return SubmissionDiagnoser(stack_grader)


def edited(*edits: tuple[str, str]) -> str:
    source = SOLUTION
    for old, new in edits:
        assert source.count(old) == 1
        source = source.replace(old, new)
    return source


def diagnosis_of(grader: Grader, diagnoser: SubmissionDiagnoser, source: str) -> Diagnosis:
    return diagnoser.diagnose(grader.grade_submission(make_submission_from_source("one", source)))


def names_in(found: Diagnosis) -> list[str]:
    return [one.id for cause in found.causes for one in cause.misconceptions]


def test_a_mistake_is_named_however_it_is_written_and_shown_on_the_smallest_program(
    stack_grader: Grader, diagnoser: SubmissionDiagnoser
) -> None:
    found = diagnosis_of(stack_grader, diagnoser, edited(BOTTOM))
    assert names_in(found) == ["pop-takes-the-bottom"]
    assert found.counterexample is not None
    assert found.counterexample.program == ("a = Stack([7, 8])", "b = a.pop()")
    assert found.counterexample.text.splitlines()[-2:] == [
        "a.items       [7]  [8]   <-- it goes wrong here",
        "b               8    7   <--",
    ]
    assert found.evidence is not None
    assert found.evidence.programs > 20


def test_what_is_not_in_the_catalogue_has_no_name_but_a_program(
    stack_grader: Grader, diagnoser: SubmissionDiagnoser
) -> None:
    found = diagnosis_of(stack_grader, diagnoser, edited(("self.items.append(item)", "self.items.append(item + 1)")))
    assert (found.verdict, names_in(found)) == ("unknown", [])
    assert found.counterexample is not None
    assert found.counterexample.program == ("a = Stack([7, 8])", "a.push(2)")


def test_a_name_needs_proof_beside_a_mistake_that_shows_only_after_other_calls(
    stack_grader: Grader, diagnoser: SubmissionDiagnoser
) -> None:
    once = ("self.items = list(items)", "self.items, self.turned = list(items), False")
    turns_once = ("self.items.reverse()", "self.turned or self.items.reverse()\n        self.turned = True")
    found = diagnosis_of(stack_grader, diagnoser, edited(once, turns_once, BELOW))
    assert (found.verdict, names_in(found)) == ("unknown", [])
    assert found.counterexample is not None


def test_what_does_not_end_is_shown_on_a_program(stack_grader: Grader, diagnoser: SubmissionDiagnoser) -> None:
    endless = edited(("return self.items.pop()", "while True:\n            pass"))
    found = diagnosis_of(stack_grader, diagnoser, endless)
    assert (found.verdict, names_in(found)) == ("unknown", [])
    assert found.counterexample is not None
    assert found.counterexample.error == "stopped"


def test_a_right_program_has_none(stack_grader: Grader, diagnoser: SubmissionDiagnoser) -> None:
    right = edited(("self.items.reverse()", "self.items = self.items[::-1]"))
    assert diagnosis_of(stack_grader, diagnoser, right).verdict == "none"


def test_a_submission_that_attacks_the_programs_is_told_as_text_and_gains_nothing(
    stack_grader: Grader, diagnoser: SubmissionDiagnoser
) -> None:
    hostile = edited(
        ("return self.items.pop()", 'return "<script>alert(1)</script>\\n\\x1b[31m" * 1000'),
        ("self.items.append(item)", "self.items = [[float('nan')] * 10_000] * 100"),
    )
    found = diagnosis_of(stack_grader, diagnoser, hostile)
    assert names_in(found) == []
    assert found.counterexample is not None
    assert "\x1b" not in found.counterexample.text
    assert max(map(len, found.counterexample.text.splitlines())) < 300
