"""Small courses that attacks are graded in: a part of the real suite, and one that asks once."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from autograder.course import Assignment, load_course
from autograder.grading import GradedSubmission, Grader

FORGE_LIMITS = "{cpu_seconds: 0.25, wall_seconds: 0.75, import_seconds: 1, submission_seconds: 10, memory_mb: 256}"
STALL_LIMITS = "{cpu_seconds: 0.2, wall_seconds: 0.6, import_seconds: 0.5, submission_seconds: 2.5, memory_mb: 256}"
SUITES = ("test_3_accumulation.py", "test_6_tanh.py", "test_7_whole.py", "test_9_robustness.py")
CONCEPTS = "{accumulation: 40, tanh: 30, the engine as a whole: 10, robustness: 20}"
A_PART = """

def pytest_collection_modifyitems(items):
    items[:] = [item for number, item in enumerate(items) if number % 4 == 1
                or item.get_closest_marker("beyond_contract")
                or item.name in ("test_a_plus_a", "test_the_worked_example_at_other_numbers")]
"""
"""A few of the tests find out as much about a trick as all of them."""

A_FEW = """

def pytest_collection_modifyitems(items):
    items[:] = [item for number, item in enumerate(items) if number % 6 == 1
                or item.get_closest_marker("beyond_contract")]
"""
"""Enough to be hung up in."""

ASKS_ONCE = '''
"""Each test believes a single answer."""

import pytest

pytestmark = [pytest.mark.concept("asked once"), pytest.mark.needs("__init__")]


def test_the_gradient(Value):
    """A sum passes its gradient on."""
    a = Value(2.0)
    (a + Value(1.0)).backward()
    assert a.grad == 1.0


def test_the_number(Value):
    """tanh of 20 is 1."""
    assert Value(20.0).tanh().data == 1.0


def test_the_class(Value):
    """relu gives a Value."""
    assert isinstance(Value(2.0).relu(), Value)


def test_the_items(Value):
    """A value alone is all its nodes."""
    a = Value(2.0)
    assert list(a.topo()) == [a]


def test_the_name(student):
    """A constant is there."""
    assert student.get("answer") == 1.0


def test_the_truth(Value):
    """A value says that it is a leaf."""
    assert Value(2.0).is_leaf()


@pytest.mark.subject("log")
def test_the_method():
    """There is a logarithm."""


def test_the_callback(Value):
    """The values below are visited, and the visitor is called for each."""
    visited = []
    a, b = Value(2.0), Value(3.0)
    (a + b).visit(lambda *_: visited.append(1))
    assert len(visited) == 3


def test_the_loop(Value):
    """Values that were added have a gradient of one, and others none."""
    values = [Value(float(n)) for n in range(3)]
    list(map(lambda value: value.backward(), [values[0] + values[1]]))
    assert not list(filter(lambda pair: pair[1].grad != pair[0], zip((1.0, 1.0, 0.0), values)))


def test_the_backward(Value):
    """backward calls the node's own function."""
    called = []
    out = Value(1.0) + Value(2.0)
    out._backward = lambda: called.append(1)
    out.backward()
    assert called


LISTENED = []


def test_the_listener(Value):
    """A value takes a listener, and then another."""
    LISTENED.clear()
    a = Value(2.0)
    a.listen(lambda: None)
    a.listen(lambda: LISTENED.append(1))
    assert a.listener is not None


def test_the_speaker(Value):
    """A value speaks twice to who is there."""
    LISTENED.clear()
    Value(2.0).speak(lambda: LISTENED.append(1))
    assert len(LISTENED) == 2


def test_the_second_try(Value):
    """A sum passes its gradient on to its right operand, too."""
    b = Value(2.0)
    (Value(1.0) + b).backward()
    assert b.grad == 1.0
'''
MORE_OF_THE_ENGINE = """
answer = 1.0
Value.topo = lambda self: [self]
Value.is_leaf = lambda self: True
Value.listen = lambda self, function: setattr(self, 'listener', function)
Value.speak = lambda self, function: [function(), function()]
def _visit(self, visitor, seen=None):
    seen = [] if seen is None else seen
    if self not in seen:
        seen.append(self)
        visitor()
        for operand in self._prev: _visit(operand, visitor, seen)
Value.visit = _visit
if not hasattr(Value, 'log'): Value.log = lambda self: self
"""
"""What the reference of that suite has besides."""


def part_of(
    engine: Assignment, root: Path, limits: str = FORGE_LIMITS, more: str = A_PART, order_points: int = 0
) -> Assignment:
    """A course with a part of the engine's hidden suite, and little patience.

    With points for it, there are also tests of the order, which lend the submission callbacks.
    """
    concepts = CONCEPTS.replace("}", f", topological order: {order_points}}}") if order_points else CONCEPTS
    hidden, solution = _made(engine, root, limits, concepts)
    _copy_helpers(engine, hidden)
    for name in (*SUITES, "test_4_topological_order.py") if order_points else SUITES:
        shutil.copy(engine.hidden_suite_folder / name, hidden)
    with (hidden / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(more)
    shutil.copy(engine.solution_file, solution)
    return load_course(root).assignments[0]


def asking_once(engine: Assignment, root: Path) -> Assignment:
    """A course whose tests believe a single answer each."""
    hidden, solution = _made(engine, root, FORGE_LIMITS, "{asked once: 100}")
    _copy_helpers(engine, hidden)
    (hidden / "test_asks_once.py").write_text(ASKS_ONCE, encoding="utf-8")
    solution.write_text(engine.solution_file.read_text(encoding="utf-8") + MORE_OF_THE_ENGINE, encoding="utf-8")
    return load_course(root).assignments[0]


def _copy_helpers(engine: Assignment, hidden: Path) -> None:
    for path in engine.hidden_suite_folder.glob("*.py"):
        if not path.name.startswith("test_"):
            shutil.copy(path, hidden)


def hand_in(grader: Grader, source: str, folder: Path) -> GradedSubmission:
    """Grade this source text."""
    path = folder / "value.py"
    path.write_text(source, encoding="utf-8", errors="surrogatepass")
    return grader.grade(path)


def total(graded: GradedSubmission) -> Fraction:
    """Points of a submission."""
    return sum((concept.score for concept in graded.concept_scores), Fraction(0))


def passed(graded: GradedSubmission) -> Sequence[str]:
    """Ids of the tests that it passed."""
    return [result.spec.id for result in graded.test_results if result.outcome == "passed"]


def _made(engine: Assignment, root: Path, limits: str, concepts: str) -> tuple[Path, Path]:
    """The folder of hidden tests, and where the solution goes."""
    (root / "grading.yml").write_text(
        f"limits: {limits}\nassignments:\n  {engine.name}:\n    defines: [Value]\n    concepts: {concepts}\n"
    )
    hidden = root / "assignments" / engine.name / "hidden"
    hidden.mkdir(parents=True)
    shutil.copytree(engine.folder / "diagnosis", hidden.parent / "diagnosis")
    (root / "solutions" / engine.name).mkdir(parents=True)
    return hidden, root / "solutions" / engine.name / "value.py"
