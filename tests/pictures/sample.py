"""Counterexamples and replays for the tests of pictures, with room for a student's text."""

from __future__ import annotations

from autograder.diagnosis.model import (
    BackwardReplayStep,
    Counterexample,
    Gradients,
    Node,
    RecordedBackwardRun,
    Replay,
)
from autograder.diagnosis.readings import Seen
from autograder.diagnosis.replay import make_replay

DIAMOND = ("a = Value(3.0)", "b = Value(4.0)", "c = a * b", "d = c + c", "d.backward()")


def called_twice(got: Seen = 16.0) -> Counterexample:
    """A diamond whose shared node is called twice; ``got`` is what ``a.grad`` holds."""
    read = {"a": got, "b": 12.0, "c": 2.0, "d": 1.0}
    right = {"a": 8.0, "b": 6.0, "c": 2.0, "d": 1.0}
    numbers = {"a": 3.0, "b": 4.0, "c": 12.0, "d": 24.0}
    made = {"c": ("a * b", ("a", "b")), "d": ("c + c", ("c", "c"))}
    return Counterexample(
        kind="gradient",
        program=DIAMOND,
        leaves={"a": 3.0, "b": 4.0},
        nodes=tuple(
            Node(
                name=name,
                operation=made.get(name, ("", ()))[0],
                operands=made.get(name, ("", ()))[1],
                data=number,
                data_got=number,
                grad=(right[name],),
                grad_got=read[name],
                grad_wrong=read[name] != right[name],
            )
            for name, number in numbers.items()
        ),
        first_wrong="b",
        remark="b.grad is 12.0, as if both paths were counted twice",
        text="the program as text",
    )


def run_of(*steps: tuple[str, float, Seen, float, float]) -> RecordedBackwardRun:
    """A run of ``DIAMOND``: steps as (node called, then the gradients of a, b, c and d) with b between a and c."""
    told = tuple(BackwardReplayStep(node=node, line=4, grads=_grads(a, b, c, d)) for node, b, a, c, d in steps)
    return RecordedBackwardRun(before=_grads(0.0, 0.0, 0.0, 0.0), steps=told)


def _grads(a: Seen, b: Seen, c: Seen, d: Seen) -> Gradients:
    return {"a": a, "b": b, "c": c, "d": d}


RIGHT = run_of(("", 0.0, 0.0, 0.0, 1.0), ("d", 0.0, 0.0, 2.0, 1.0), ("c", 6.0, 8.0, 2.0, 1.0))


def replay_of(*more: tuple[str, float, Seen, float, float]) -> Replay:
    """The right steps and more after them, beside the right steps alone."""
    student = run_of(("", 0.0, 0.0, 0.0, 1.0), ("d", 0.0, 0.0, 2.0, 1.0), ("c", 6.0, 8.0, 2.0, 1.0), *more)
    return make_replay(student, RIGHT, called_twice())


def calls_again(got: Seen = 16.0) -> Replay:
    """A replay in which the shared node is called a second time."""
    return replay_of(("c", 12.0, got, 2.0, 1.0))


def chain(length: int, wrong: str) -> Counterexample:
    """A counterexample of ``length`` nodes in a row; the names are n0, n1 ..."""
    nodes = tuple(
        Node(
            name=f"n{at}",
            operation=f"n{at - 1} + 1" if at else "",
            operands=(f"n{at - 1}",) if at else (),
            data=float(at),
            data_got=float(at),
            grad=(1.0,),
            grad_got=0.0 if f"n{at}" == wrong else 1.0,
            grad_wrong=f"n{at}" == wrong,
        )
        for at in range(length)
    )
    return Counterexample(kind="gradient", program=("...",), nodes=nodes, first_wrong=wrong)
