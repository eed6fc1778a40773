"""List the parts of an engine; experiments look at each by itself, apart from the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from autograder.diagnosis.diagnosis_definition import DiagnosablePart, DiagnosisContext
from autograder.diagnosis.part_experiment_log import PartExperimentLog

from .engine_operations import CORE, OPERATIONS, list_available_operations
from .probes.backpropagation import probe_backpropagation
from .probes.new_values import probe_new_values
from .probes.operation_experiment import OperationExperiment
from .probes.operation_gradients import probe_local_gradients
from .probes.operation_results import probe_forward
from .probes.second_backward import probe_second_backward, probe_zero_grad_between_backwards
from .probes.whole_engine import probe_whole_engine
from .probes.zero_grad import probe_zero_grad

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


def list_engine_parts(context: DiagnosisContext) -> tuple[DiagnosablePart, ...]:
    """Return the parts of what a submission has; those that others depend on come first."""
    return tuple(_list_parts(context.implemented_names))


def _list_parts(has: frozenset[str]) -> Iterator[DiagnosablePart]:
    yield DiagnosablePart("values", "`Value(...)`", ("Value", "__init__"), probe_new_values)
    available = sorted(list_available_operations(has), key=_level)
    for name in available:
        if name in CORE:
            yield from _operation(name)
    for name, probe, after in (
        ("backward", probe_backpropagation, ()),
        ("zero_grad", probe_zero_grad, ()),
        ("again", probe_second_backward, ("backward",)),
        ("between", probe_zero_grad_between_backwards, ("backward", "zero_grad", "again")),
    ):
        needs = {"again": ("backward",), "between": ("backward", "zero_grad")}.get(name, (name,))
        if has.issuperset(needs):
            told = "`zero_grad()`" if name == "zero_grad" else "`backward()`"
            yield DiagnosablePart(name, told, needs, probe, ("values", *after))
    if has.issuperset(("backward", "__add__", "__mul__")):
        core = has & {"__add__", "__mul__", "tanh", "backward", "zero_grad"}
        yield DiagnosablePart(
            "whole", "the engine", (), partial(probe_whole_engine, defined_names=core), probes_everything=True
        )
    for name in available:
        if name not in CORE:
            yield from _operation(name)


def _level(name: str) -> int:
    """Count how many operations an operation may be made of, one built from the other."""
    return max((1 + _level(other) for other in FROM_OTHERS.get(name, ())), default=0)


def _operation(name: str) -> Iterator[DiagnosablePart]:
    operation = OPERATIONS[name]
    told = f"`{operation.text.format('a', 'b', n=operation.example_numbers[0] if operation.example_numbers else '')}`"
    numbers: tuple[float | None, ...] = NUMBERS.get(name, operation.example_numbers[:1]) or (None,)
    others = [f"{other} {kind}" for other in FROM_OTHERS.get(name, ()) for kind in ("forward", "local")]
    for kind, probe in (("forward", probe_forward), ("local", probe_local_gradients)):
        after = ("values", *others, *([f"{name} forward"] if kind == "local" else []))
        run = partial(_with_numbers, probe=probe, name=name, numbers=numbers)
        yield DiagnosablePart(f"{name} {kind}", told, operation.required_names, run, after, is_required=name in CORE)


def _with_numbers(
    log: PartExperimentLog,
    student: Any,
    *,
    probe: Callable[[PartExperimentLog, OperationExperiment], None],
    name: str,
    numbers: tuple[float | None, ...],
) -> None:
    for number in numbers:
        if not log.findings:
            probe(log, OperationExperiment(student, name, number))
