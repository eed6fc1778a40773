"""Look at what one operation's ``_backward`` passes on to each operand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.diagnosis.part_experiment_log import PartExperimentLog, is_close

from ..engine_operations import ONE_NODE
from .local_gradient_rules import BackwardCallSample, WrongGradientShare, list_wrong_gradient_shares
from .operation_experiment import OperationExperiment, describe_operands, name_sides
from .operation_in_company import probe_operation_in_company

STATES = (
    (7.0, 0.0, 0.0), (7.0, 0.5, -2.25), (1.0, 0.0, 0.0), (-3.0, 1.5, 8.0), (0.51928374, 0.0, 0.0), (-11.0, -3.0, 2.0)
)  # fmt: skip
"""Gradient of the result, one of which does not survive rounding, and of the operands before."""
FIRST = (0, 0, 0, 1, 1, 2, 3, 4, 5)
"""Which pair goes with which state: the first stands in three that differ in the gradients alone."""
ONE_BY_ONE = ((7.0, 0.5, 0.0), (7.0, 0.0, -2.25))
"""States of the first pair again, each different from its first one in one gradient alone."""


def probe_local_gradients(log: PartExperimentLog, experiment: OperationExperiment) -> None:
    """Look at what one operation's ``_backward`` passes on, for several numbers, gradients, and gradients before."""
    student, count = experiment.student, experiment.operation.operand_count
    cases, outs = [*_iterate_cases(experiment)], list[Any]()
    with log.catch_failure("operands"):
        numbers = [number for x, y, _, _ in cases for number in (x, y)[:count]]
        nodes = [*student.make_all(experiment.kind, numbers)]
    for place, (x, y, upstream, had) in enumerate(cases):
        own = nodes[place * count : (place + 1) * count]
        with log.catch_failure(f"call {place}"):
            outs.append(experiment.apply_operation(own))
            student.set_attributes((node, "grad", grad) for node, grad in zip(own, had, strict=False))
            experiment.call_backward_with_gradient(log, outs[-1], upstream)
        if log.last_failure:
            at = {"op": experiment.source_text, "at": describe_operands(experiment, x, y)}
            log.add_finding("backward-of-operation-raises", **at, error=log.last_failure.exception_name)
            return
    samples: list[list[BackwardCallSample]] = [[] for _ in range(count)]
    with log.catch_failure("reading"):
        grads, data = student.get_attributes([*nodes, *outs], "grad"), student.get_attributes(nodes, "data")
        for place, (x, y, upstream, had) in enumerate(cases):
            mine = slice(place * count, (place + 1) * count)
            after, result = grads[mine], grads[len(nodes) + place]
            log.record_readings(f"call {place}", *after, result, *data[mine])
            at = {"op": experiment.source_text, "at": describe_operands(experiment, x, y)}
            if not is_close(result, upstream) and experiment.name in ONE_NODE:
                log.add_finding("changes-its-own-gradient", **at, got=result, right=upstream)
            for got, was in zip(data[mine], (x, y), strict=False):
                if not is_close(got, was):
                    log.add_finding("backward-changes-numbers", **at, got=got, right=was)
            number, slopes = experiment.compute_expected_result(x, y)
            for side in range(count):
                number_here, other = (x, y)[side], (x, y)[1 - side] if count == 2 else experiment.number
                other = number_here if other is None else other
                other_had = had[1 - side] if count == 2 else 0.0
                samples[side].append(
                    BackwardCallSample(
                        number_here, other, number, slopes[side], upstream, had[side], other_had, after[side]
                    )
                )
    if log.last_failure:
        log.add_finding("result-cannot-be-read", op=experiment.source_text, error=log.last_failure.exception_name)
        return
    _add_findings_of_wrong_shares(log, experiment, [list_wrong_gradient_shares(side) for side in samples])
    if not log.findings:
        probe_operation_in_company(log, experiment)


def _iterate_cases(experiment: OperationExperiment) -> Iterator[tuple[float, float, float, tuple[float, float]]]:
    pairs = experiment.list_operand_numbers()
    for place, at in enumerate((*FIRST, *range(6, len(pairs)))):
        upstream, had, had_too = STATES[place % len(STATES)]
        if at < len(pairs):
            large = 250.0 if place == len(FIRST) - 2 else upstream
            yield *pairs[at], large, (had, had_too)
    for upstream, had, had_too in ONE_BY_ONE if experiment.operation.operand_count == 2 else ONE_BY_ONE[:1]:
        yield *pairs[0], upstream, (had, had_too)


def _add_findings_of_wrong_shares(
    log: PartExperimentLog, experiment: OperationExperiment, sides: Sequence[Sequence[WrongGradientShare]]
) -> None:
    """Say what was found for both operands; once for both where it is the same."""
    names = dict.fromkeys((wrong.name, wrong.phrase) for side in sides for wrong in side)
    for name, phrase in names:
        where = [n for n, side in enumerate(sides) for wrong in side if (wrong.name, wrong.phrase) == (name, phrase)]
        wrong = next(w for w in sides[where[0]] if (w.name, w.phrase) == (name, phrase))
        sample = wrong.sample
        x, y = (sample.own, sample.other) if where[0] == 0 else (sample.other, sample.own)
        log.add_finding(
            name,
            op=experiment.source_text,
            side=name_sides(where, experiment.operation.operand_count),
            node="ab"[where[0]],
            at=describe_operands(experiment, x, y),
            upstream=sample.upstream,
            had=sample.had,
            got=sample.after,
            right=sample.had + sample.share,
            phrase=phrase,
            which=f": {phrase}" if phrase else "",
        )
