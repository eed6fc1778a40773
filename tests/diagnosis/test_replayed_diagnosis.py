"""A replay tells what a student's own ``backward()`` does, call by call, as seen in its sandboxed process."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.bridge import Bridge, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment
from autograder.diagnosis.model import Counterexample, Node, Replay
from autograder.diagnosis.replay import MOST_STEPS, SideBySideReplayer
from tests.diagnosis.conftest import edited

ROOT = Path(__file__).resolve().parents[2]
DIAMOND = ("a = Value(3.0)", "b = Value(4.0)", "c = a * b", "d = c + c", "d.backward()")
PROGRAMS = (
    ("a = Value(3.0)", "b = Value(4.0)", "c = a * b", "d = c + c", "e = d + a", "e.backward()"),
    ("a = Value(3.0)", "b = Value(4.0)", "c = a * b", "d = c + a", "d.backward()", "d.backward()"),
    ("a = Value(3.0)", "b = Value(4.0)", "c = a * b", "d = c + a", "d.backward()", "d.zero_grad()", "d.backward()"),
)
MUL = "            self.grad += other.data * out.grad\n            other.grad += self.data * out.grad\n"

TAPE = """
class Value:
    def __init__(self, data, uses=()):
        self.data, self.grad, self._prev = data, 0.0, [node for node, _ in uses]
        self.uses = uses

    def __add__(self, other):
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def backward(self):
        def give(node, amount):
            node.grad += amount
            for used, slope in node.uses:
                give(used, slope * amount)
        give(self, 1.0)
"""
"""An engine without ``_backward``."""

Replays = Callable[..., Replay | None]


def story_of(program: tuple[str, ...]) -> Counterexample:
    """The graph of a program; an error, so that it does not matter how it ends."""
    nodes: list[Node] = []
    for line in program:
        statement = ast.parse(line).body[0]
        if isinstance(statement, ast.Assign):
            names = [one.id for one in ast.walk(statement.value) if isinstance(one, ast.Name) and one.id != "Value"]
            nodes.append(Node(name=ast.unparse(statement.targets[0]), operands=tuple(names), data=0.0))
    return Counterexample(kind="error", program=program, nodes=tuple(nodes))


@pytest.fixture
def replay(engine: Assignment, processes: ProcessPool) -> Iterator[Replays]:
    """``replay(program, (old, new), ...)``: of the reference engine with pieces replaced, or of ``source``."""
    bridges: list[Bridge] = []

    def opened(text: str) -> Bridge:
        bridges.append(Bridge(SubmissionProgram((("value.py", text),), engine.defines), processes, engine.limits))
        return bridges[-1]

    replayer = SideBySideReplayer(lambda: opened(engine.solution_file.read_text(encoding="utf-8")))

    def make(program: tuple[str, ...], *edits: tuple[str, str], source: str = "") -> Replay | None:
        return replayer.replay_beside_reference_if_meaningful(
            opened(source or edited(engine.solution_file, *edits)), story_of(program)
        )

    yield make
    for bridge in bridges:
        bridge.end_process()


def calls_of(replay: Replay) -> list[str]:
    return [step.node for step in replay.student.steps]


def test_each_call_is_seen_with_the_gradients_after_it(replay: Replays) -> None:
    seen = replay(DIAMOND)
    assert seen is not None
    assert calls_of(seen) == ["", "d", "c"]
    assert seen.student.before == {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0}
    assert seen.student.steps[-1].grads == {"a": 8.0, "b": 6.0, "c": 2.0, "d": 1.0}
    assert (seen.difference, seen.beside, seen.missing) == (None, (0, 1, 2), ())


@pytest.mark.parametrize(
    ("edits", "at", "difference"),
    [
        (
            [(MUL, MUL.replace("other.grad +=", "other.grad -="))],
            2,
            "c._backward() adds -6.0 to b.grad; it should add 6.0.",
        ),
        (
            [("            self.grad += out.grad\n            other.grad += out.grad\n",
              "            self.grad = out.grad\n            other.grad = out.grad\n")],
            1,
            "d._backward() adds 1.0 to c.grad; it should add 2.0.",
        ),
        (
            [("self.grad = 1.0", "pass")],
            0,
            "d.backward() does not set d.grad to 1.0 before the first call.",
        ),
        (
            [("self.grad = 1.0", "self.grad = 2.0")],
            0,
            "d.backward() sets d.grad to 2.0; it should be 1.0.",
        ),
        (
            [("reversed(", "list(")],
            1,
            "c._backward() is called while c.grad is 0.0; it is 2.0 once every node that uses c has passed on its "
            "part.",
        ),
    ],
    ids=["wrong sign", "overwrites", "no seed", "wrong seed", "wrong order"],
)  # fmt: skip
def test_the_first_step_that_differs_is_found(
    replay: Replays, edits: list[tuple[str, str]], at: int, difference: str
) -> None:
    seen = replay(DIAMOND, *edits)
    assert seen is not None
    assert seen.difference is not None
    assert (seen.difference.step, seen.difference.sentence) == (at, difference)


def test_an_engine_that_calls_nodes_without_end_is_recorded_up_to_a_limit(replay: Replays) -> None:
    seen = replay(DIAMOND, ("node._backward()", "[node._backward() for _ in range(500)]"))
    assert seen is not None
    assert seen.student.cut
    assert len(seen.student.steps) == MOST_STEPS


def test_a_call_that_raises_is_the_last_one_seen(replay: Replays) -> None:
    seen = replay(DIAMOND, (MUL, "            raise ValueError\n"))
    assert seen is not None
    assert (calls_of(seen), seen.student.error) == (["", "d", "c"], "ValueError")
    assert (seen.student.error_file, seen.student.error_line > 0) == ("value.py", True)


def test_without_backward_on_the_nodes_each_line_is_a_step(replay: Replays) -> None:
    seen = replay(PROGRAMS[0], source=TAPE)
    assert seen is not None
    assert not seen.student.sees_calls
    assert [(step.node, step.line) for step in seen.student.steps] == [("", 5)]
    assert (seen.beside, seen.difference) == ((0,), None)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    "program",
    [*(pytest.param(one, marks=pytest.mark.thorough) for one in PROGRAMS[:2]), PROGRAMS[2]],
    ids=["once", "twice", "after zero_grad"],
)
def test_no_step_of_a_right_engine_differs_however_it_is_written(replay: Replays, program: tuple[str, ...]) -> None:
    wheats = sorted((ROOT / "solutions/autograd-engine/wheats").glob("*.py"))
    seen = {path.stem: replay(program, source=path.read_text(encoding="utf-8")) for path in wheats}
    assert {name: one.difference for name, one in seen.items() if one and one.difference} == {}
    assert sum(one is not None and one.student.sees_calls for one in seen.values()) > 80


def test_operations_that_are_built_from_others_are_seen_line_by_line(replay: Replays) -> None:
    program = ("a = Value(3.0)", "b = Value(4.0)", "c = a - b", "c.backward()")
    right = replay(program)
    assert right is not None
    assert (right.student.sees_calls, right.difference) == (False, None)
    wrong = replay(program, ("self * -1", "self * 1"))
    assert wrong is not None
    assert wrong.difference is not None
    assert wrong.difference.sentence == "c.backward() sets b.grad to 1.0; it should be -1.0."


def test_an_operation_that_changes_gradients_is_seen(replay: Replays) -> None:
    program = ("a = Value(3.0)", "b = a + a", "b.backward()", "c = a + a")
    clears = 'out = Value(self.data + other.data, (self, other), "+")'
    seen = replay(program, (clears, f"{clears}\n        self.grad = 0.0"))
    assert seen is not None
    assert seen.difference is not None
    assert seen.difference.sentence == "c = a + a changes a.grad outside any `_backward`."
    assert seen.student.steps[-1].grads == {"a": 0.0, "b": 1.0, "c": 0.0}


def test_what_is_no_number_is_told_as_what_it_is(replay: Replays) -> None:
    seen = replay(DIAMOND, (MUL, "            self.grad = '<b>12</b>'\n"))
    assert seen is not None
    assert seen.student.steps[-1].grads["a"] == "str '<b>12</b>'"
    assert seen.difference is not None
    assert seen.difference.sentence == "c._backward() leaves a.grad as str '<b>12</b>': no number."


HOSTILE = {
    "endless operands": ("    def backward(self)", "    _prev = property(lambda self: iter(int, 1), print)", ""),
    "a gradient that ends the process": (
        "    def backward(self)",
        "    grad = property(lambda self: __import__('os')._exit(0), lambda self, number: None)",
        "stopped",
    ),
    "a call that ends the process": ("        give(self, 1.0)", "        __import__('os')._exit(0)", "stopped"),
    "a call that never ends": ("        give(self, 1.0)", "        while True: pass", "stopped"),
    "a sum that is no node": (
        "        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])",
        "        return 7.0",
        "TypeError",
    ),
}


@pytest.mark.parametrize(("before", "line", "error"), HOSTILE.values(), ids=HOSTILE)
def test_whatever_an_engine_does_its_replay_ends(replay: Replays, before: str, line: str, error: str) -> None:
    assert before in TAPE
    seen = replay(PROGRAMS[0], source=TAPE.replace(before, f"{line}\n\n{before}" if "def" in before else line))
    assert seen is not None
    assert seen.student.error == error
