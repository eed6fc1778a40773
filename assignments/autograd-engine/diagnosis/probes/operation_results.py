"""Look at what one operation gives: its number, its operands, and whether it leaves those alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograder.diagnosis.part_experiment_log import PartExperimentLog, is_close, is_finite_number, is_student_object

from .operation_experiment import OperationExperiment, describe_operands, name_sides

BEFORE = (0.5, 0.25)
"""Gradients of the operands while an operation is made."""
MOST_LOOKS = 500


def probe_forward(log: PartExperimentLog, experiment: OperationExperiment) -> None:
    """Look at what one operation gives, and whether it leaves its operands alone."""
    student, count = experiment.student, experiment.operation.operand_count
    made: list[tuple[float, float, Sequence[Any], Any]] = []
    for x, y in experiment.list_operand_numbers():
        at = {"op": experiment.source_text, "at": describe_operands(experiment, x, y)}
        with log.catch_failure(f"{x}, {y}"):
            nodes = experiment.make_operands(count, (x, y))
            student.set_attributes((node, "grad", grad) for node, grad in zip(nodes, BEFORE, strict=False))
            out = experiment.apply_operation(nodes)
            if not is_student_object(out):
                log.record_readings(f"{x}, {y}", "no node", out)
                log.add_finding("gives-none" if out is None else "gives-no-value", **at, got=out)
                return
            if any(out is node for node in nodes):
                log.record_readings(f"{x}, {y}", "an operand")
                log.add_finding("gives-its-operand", **at)
                return
            made.append((x, y, nodes, out))
        if log.last_failure:
            log.add_finding("operation-raises", **at, error=log.last_failure.exception_name)
            return
    with log.catch_failure("reading"):
        _read_results(log, experiment, made)
    if log.has_any_finding("operands-cannot-be-listed"):
        return
    if log.last_failure:
        log.add_finding("result-cannot-be-read", op=experiment.source_text, error=log.last_failure.exception_name)
    elif count == 2:
        _apply_to_itself(log, experiment)
    if experiment.name in ("add", "mul") and not log.findings:
        _apply_in_place(log, experiment)


def _read_results(
    log: PartExperimentLog, experiment: OperationExperiment, made: Sequence[tuple[float, float, Sequence[Any], Any]]
) -> None:
    student, count = experiment.student, experiment.operation.operand_count
    outs, nodes = [out for *_, out in made], [node for _, _, both, _ in made for node in both]
    data, grads = student.get_attributes(outs, "data"), student.get_attributes(outs, "grad")
    numbers, before = student.get_attributes(nodes, "data"), student.get_attributes(nodes, "grad")
    for place, (x, y, both, out) in enumerate(made):
        right, _ = experiment.compute_expected_result(x, y)
        own = slice(place * count, (place + 1) * count)
        at = {"op": experiment.source_text, "at": describe_operands(experiment, x, y)}
        with log.catch_failure("operands"):
            below = _find_operands_below(out, both)
        if log.last_failure:
            log.add_finding("operands-cannot-be-listed", **at, error=log.last_failure.exception_name)
            return
        log.record_readings(f"{x}, {y}", data[place], grads[place], *numbers[own], *before[own], *below)
        if not is_finite_number(data[place]):
            log.add_finding("number-is-none", **at, got=data[place], right=right)
        elif not is_close(data[place], right):
            log.add_finding("number-is-wrong", **at, got=data[place], right=right)
        for got, was in zip(numbers[own], (x, y), strict=False):
            if not is_close(got, was):
                log.add_finding("operator-changes-numbers", **at, got=got, right=was)
        for got, was in zip(before[own], BEFORE, strict=False):
            if not is_close(got, was):
                log.add_finding("operator-changes-gradients", **at, got=got, right=was)
        if not is_close(grads[place], 0.0):
            log.add_finding("result-has-a-gradient", **at, got=grads[place])
        if not all(below):
            _add_finding_of_lost_operands(log, at, (x, y)[:count], below)


def _add_finding_of_lost_operands(
    log: PartExperimentLog, at: dict[str, str], numbers: Sequence[float], below: Sequence[bool]
) -> None:
    """Say which operands ``_prev`` does not lead to, and whether only operands with these numbers are lost."""
    lost = [side for side, found in enumerate(below) if not found]
    name = "operands-not-recorded"
    if any(below) and numbers[0] == numbers[-1]:
        name = "equal-operands-recorded-once"
    elif all(numbers[side] == 0 for side in lost) and not log.has_any_finding(name):
        name = "zero-operands-not-recorded"
    log.add_finding(name, **at, side=name_sides(lost, len(numbers)))


def _apply_in_place(log: PartExperimentLog, experiment: OperationExperiment) -> None:
    """``c += b`` makes a new node, too; it is noted only where it does not."""
    written = f"`a {'+=' if experiment.name == 'add' else '*='} b`"
    lines = [*log.lines]
    with log.catch_failure("in place"):
        a, b = experiment.make_operands(2, (3.0, 4.0))
        result = a
        if experiment.name == "add":
            result += b
        else:
            result *= b
        (number,) = experiment.student.get_attributes([a], "data")
        if result is a or not is_close(number, 3.0):
            log.record_readings("in place", "same node" if result is a else "new node", number)
            log.add_finding("in-place-changes-the-operand", op=written, got=number, right=3.0)
    if log.last_failure:
        log.lines[:] = lines


def _apply_to_itself(log: PartExperimentLog, experiment: OperationExperiment) -> None:
    right, _ = experiment.compute_expected_result(3.0, 3.0)
    at = {"op": f"`{experiment.operation.text.format('a', 'a')}`", "at": "at a = 3"}
    with log.catch_failure("itself"):
        (node,) = experiment.make_operands(1, (3.0,))
        out = experiment.apply_operation((node, node))
        if is_student_object(out) and out is not node:
            (data,) = experiment.student.get_attributes([out], "data")
            log.record_readings("itself", data, *_find_operands_below(out, [node]))
            if not is_close(data, right):
                log.add_finding("number-is-wrong", **at, got=data, right=right)
        else:
            log.record_readings("itself", "no node")
            log.add_finding("gives-no-value", **at, got=out)
    if log.last_failure:
        log.add_finding("operation-raises", **at, error=log.last_failure.exception_name)


def _find_operands_below(out: Any, nodes: Sequence[Any]) -> list[bool]:
    """For each node whether following ``_prev`` leads to it; the nearest are looked at first."""
    found, waiting, seen = set[int](), [out], {id(out)}
    while waiting and len(found) < len(nodes) and len(seen) < MOST_LOOKS:
        one = waiting.pop(0)
        found |= {at for at, node in enumerate(nodes) if one is node}
        below = one._prev if is_student_object(one) else ()
        for operand in below if below is not None and not isinstance(below, int | float | str) else ():
            if id(operand) not in seen:
                seen.add(id(operand))
                waiting.append(operand)
                found |= {at for at, node in enumerate(nodes) if operand is node}
    return [at in found for at in range(len(nodes))]
