"""Try an operation whose ``_backward`` is right alone: called twice, with one operand twice, beside other results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograder.diagnosis.part_experiment_log import PartExperimentLog, is_close

from ..engine_operations import CORE, OPERATIONS
from .operation_experiment import EARLIER_GRADIENTS, OperationExperiment, call_backward_and_read, describe_operands


def probe_operation_in_company(log: PartExperimentLog, experiment: OperationExperiment) -> None:
    """Try a right rule once more: called twice, with one operand twice, and beside other results."""
    count, (x, y) = experiment.operation.operand_count, experiment.list_operand_numbers()[0]
    _, slopes = experiment.compute_expected_result(x, y)
    core = experiment.name in CORE
    op = {"op": experiment.source_text, "at": describe_operands(experiment, x, y)}
    with log.catch_failure("twice"):
        nodes = experiment.make_operands(count, (x, y))
        got = call_backward_and_read(log, experiment, "twice", experiment.apply_operation(nodes), nodes, (7.0, 5.0))
        for side in range(count):
            right = EARLIER_GRADIENTS[side] + 12.0 * slopes[side]
            if not is_close(got[side], right):
                log.add_finding("second-call-is-wrong", **op, node="ab"[side], got=got[side], right=right)
    if log.last_failure:
        log.add_finding("second-call-raises", **op, error=log.last_failure.exception_name)
    if count == 2:
        _probe_twin(log, experiment)
    _probe_beside(log, experiment)
    if not log.findings and core:
        _probe_two_results(log, experiment)


def _probe_beside(log: PartExperimentLog, experiment: OperationExperiment) -> None:
    """See whether a result goes on after others were made."""
    count, (x, y) = experiment.operation.operand_count, experiment.list_operand_numbers()[0]
    _, slopes = experiment.compute_expected_result(x, y)
    op = {"op": experiment.source_text, "at": describe_operands(experiment, x, y)}
    with log.catch_failure("beside another"):
        nodes = experiment.make_operands(count, (x, y))
        out, beside = (
            experiment.apply_operation(nodes),
            experiment.apply_operation(experiment.make_operands(count, (5.0, 7.0))),
        )
        got = call_backward_and_read(log, experiment, "beside another", out, nodes, (7.0,))
        for side in range(count):
            right = EARLIER_GRADIENTS[side] + 7.0 * slopes[side]
            if not is_close(got[side], right):
                log.add_finding("a-later-result-takes-over", **op, node="ab"[side], got=got[side], right=right)
        del beside
    with log.catch_failure("beside others"):
        nodes = experiment.make_operands(count, (x, y))
        out, others = experiment.apply_operation(nodes), [*_iterate_other_results(log, experiment)]
        got = call_backward_and_read(log, experiment, "beside others", out, nodes, (7.0,))
        for side in range(count):
            right = EARLIER_GRADIENTS[side] + 7.0 * slopes[side]
            if not is_close(got[side], right):
                log.add_finding("another-operation-takes-over", **op, node="ab"[side], got=got[side], right=right)
        del others


def _probe_two_results(log: PartExperimentLog, experiment: OperationExperiment) -> None:
    """Two results over the same operands, the other way round in the second."""
    count, (x, y) = experiment.operation.operand_count, experiment.list_operand_numbers()[0]
    _, slopes = experiment.compute_expected_result(x, y)
    op = {"op": experiment.source_text, "at": describe_operands(experiment, x, y)}
    with log.catch_failure("one operand in two results"):
        nodes = experiment.make_operands(count, (x, y))
        outs = [experiment.apply_operation(nodes), experiment.apply_operation(nodes[::-1])]
        _, other = experiment.compute_expected_result(*((y, x) if count == 2 else (x, y)))
        experiment.student.set_attributes((node, "grad", 0.0) for node in nodes)
        for out, upstream in zip(outs, (7.0, 5.0), strict=True):
            experiment.call_backward_with_gradient(log, out, upstream)
        got = [*experiment.student.get_attributes(nodes, "grad")]
        log.record_readings("one operand in two results", *got)
        for side in range(count):
            right = 7.0 * slopes[side] + 5.0 * other[(1 - side) if count == 2 else 0]
            if not is_close(got[side], right):
                alone = is_close(got[side], 5.0 * other[(1 - side) if count == 2 else 0])
                name = "replaces-over-two-results" if alone else "two-results-do-not-add"
                log.add_finding(name, **op, node="ab"[side], got=got[side], right=right)


def _probe_twin(log: PartExperimentLog, experiment: OperationExperiment) -> None:
    _, slopes = experiment.compute_expected_result(3.0, 3.0)
    at = {
        "op": f"`{experiment.operation.text.format('a', 'a')}`",
        "at": "at a = 3",
        "upstream": 7,
        "had": EARLIER_GRADIENTS[0],
    }
    with log.catch_failure("one operand twice"):
        (node,) = experiment.make_operands(1, (3.0,))
        out = experiment.apply_operation((node, node))
        got = call_backward_and_read(log, experiment, "one operand twice", out, [node], (7.0,))
        right = EARLIER_GRADIENTS[0] + 7.0 * sum(slopes)
        if not is_close(got[0], right):
            once = (
                any(is_close(got[0], EARLIER_GRADIENTS[0] + 7.0 * slope) for slope in slopes)
                and slopes[0] + slopes[1]
            )
            nothing = is_close(got[0], EARLIER_GRADIENTS[0])
            name = "twin-gets-nothing" if nothing else "twin-counts-once" if once else "twin-is-wrong"
            log.add_finding(name, **at, got=got[0], right=right)
    if log.last_failure:
        log.add_finding("twin-raises", **at, error=log.last_failure.exception_name)


def _iterate_other_results(log: PartExperimentLog, experiment: OperationExperiment) -> Iterator[Any]:
    """Make a result of each other operation of the contract, as far as they go."""
    a, b = experiment.make_operands(2, (0.25, 0.75))
    for name in ("add", "mul", "tanh"):
        if name != experiment.name:
            try:
                with log.mark_running_other_part():
                    result = OPERATIONS[name].apply_to_nodes(*(a, b)[: OPERATIONS[name].operand_count])
            except (TypeError, AttributeError, NotImplementedError):
                continue
            yield result
