"""List the parts of an assignment; experiments look at each by itself, apart from the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from autograder.course import Assignment
from autograder.diagnosis.operations import CORE, OPERATIONS, list_available_operations
from autograder.diagnosis.probes.backward_traversal import probe_backward
from autograder.diagnosis.probes.experiment_log import ExperimentLog
from autograder.diagnosis.probes.new_values import probe_new_values
from autograder.diagnosis.probes.operations import OperationBench, probe_forward, probe_local_gradients
from autograder.diagnosis.probes.second_backward import probe_second_backward, probe_zero_grad_between_backwards
from autograder.diagnosis.probes.topological_sort import probe_backward_order, probe_build_topo
from autograder.diagnosis.probes.whole_engine import probe_whole_engine
from autograder.diagnosis.probes.zero_grad import probe_zero_grad

MILD = frozenset(
    (
        "gradient-does-not-start-at-zero", "result-has-a-gradient",
        "operator-changes-gradients",
    )
)  # fmt: skip
"""Findings that spoil no other experiment."""
NUMBERS: dict[str, tuple[float | None, ...]] = {"pow": (2, 3, -1, 0.5)}
STYLED = frozenset(("backward", "zero_grad", "again", "between", "whole"))
"""Parts that may look different in another style of the same mistake."""
FROM_OTHERS = {
    "add number": ("add",),
    "mul number": ("mul",),
    "sub": ("neg",),
    "sub number": ("sub",),
    "number sub": ("sub", "neg"),
    "div": ("pow",),
    "div number": ("div",),
    "number div": ("div", "pow"),
}
"""Operations that are often made of others: these come first, and if one is wrong, it is the cause."""


@dataclass(frozen=True, slots=True)
class EnginePart:
    """One part, and the experiments on it."""

    name: str
    told: str
    """How a student calls it."""
    about: tuple[str, ...]
    """Names by which hidden tests say that they are about it."""
    probe: Callable[[ExperimentLog, Any], None]
    """Given notes and the submission."""
    after: tuple[str, ...] = ()
    """Parts that must be right before it is looked at."""
    core: bool = True
    whole: bool = False
    """Whether it looks at everything together, once all parts are right."""


def list_engine_parts(assignment: Assignment, defined_names: Collection[str]) -> tuple[EnginePart, ...]:
    """Return the parts of what a submission has; those that others depend on come first.

    Args:
        assignment: the assignment; what it ``defines`` decides.
        defined_names: the names that the submission has.
    """
    if "Value" in assignment.defines:
        return tuple(_engine(frozenset(defined_names)))
    return tuple(_sort(frozenset(defined_names)))


def _engine(has: frozenset[str]) -> Iterator[EnginePart]:
    yield EnginePart("values", "`Value(...)`", ("Value", "__init__"), probe_new_values)
    available = sorted(list_available_operations(has), key=_level)
    for name in available:
        if name in CORE:
            yield from _operation(name)
    for name, probe, after in (
        ("backward", probe_backward, ()),
        ("zero_grad", probe_zero_grad, ()),
        ("again", probe_second_backward, ("backward",)),
        ("between", probe_zero_grad_between_backwards, ("backward", "zero_grad", "again")),
    ):
        needs = {"again": ("backward",), "between": ("backward", "zero_grad")}.get(name, (name,))
        if has.issuperset(needs):
            told = "`zero_grad()`" if name == "zero_grad" else "`backward()`"
            yield EnginePart(name, told, needs, probe, ("values", *after))
    if has.issuperset(("backward", "__add__", "__mul__")):
        core = has & {"__add__", "__mul__", "tanh", "backward", "zero_grad"}
        yield EnginePart("whole", "the engine", (), partial(probe_whole_engine, defined_names=core), whole=True)
    for name in available:
        if name not in CORE:
            yield from _operation(name)


def _level(name: str) -> int:
    """Count how many operations an operation may be made of, one built from the other."""
    return max((1 + _level(other) for other in FROM_OTHERS.get(name, ())), default=0)


def _operation(name: str) -> Iterator[EnginePart]:
    operation = OPERATIONS[name]
    told = f"`{operation.text.format('a', 'b', n=operation.numbers[0] if operation.numbers else '')}`"
    numbers: tuple[float | None, ...] = NUMBERS.get(name, operation.numbers[:1]) or (None,)
    others = [f"{other} {kind}" for other in FROM_OTHERS.get(name, ()) for kind in ("forward", "local")]
    for kind, probe in (("forward", probe_forward), ("local", probe_local_gradients)):
        after = ("values", *others, *([f"{name} forward"] if kind == "local" else []))
        run = partial(_with_numbers, probe=probe, name=name, numbers=numbers)
        yield EnginePart(f"{name} {kind}", told, operation.needs, run, after, core=name in CORE)


def _with_numbers(
    log: ExperimentLog,
    student: Any,
    *,
    probe: Callable[[ExperimentLog, OperationBench], None],
    name: str,
    numbers: tuple[float | None, ...],
) -> None:
    for number in numbers:
        if not log.findings:
            probe(log, OperationBench(student, name, number))


def _sort(has: frozenset[str]) -> Iterator[EnginePart]:
    if "build_topo" in has:
        yield EnginePart("build_topo", "`build_topo`", ("build_topo",), probe_build_topo)
    if "backward_order" in has:
        yield EnginePart(
            "backward_order", "`backward_order`", ("backward_order",), probe_backward_order, ("build_topo",)
        )
