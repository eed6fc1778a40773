"""Experiments on one operation: what it gives, and what its ``_backward`` passes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.bridge import LocalStudentProxy, StudentProxy
from autograder.diagnosis.experiment_log import ExperimentLog, is_close, is_finite_number, is_student_object

from ..engine_operations import CORE, ONE_NODE, OPERATIONS, StepKind
from .local_gradient_rules import BackwardCallSample, WrongGradientShare, list_wrong_gradient_shares

PAIRS = ((3.0, -2.0), (-4.0, 5.125), (0.5, 8.0), (-1.375, -0.7183), (40.0, -300.0), (2.0, 2.0))
ZEROS = ((0.0, 6.0), (6.0, 0.0))
SMALL = ((0.5, 0.0), (-1.25, 0.0), (2.0, 0.0), (-0.3, 0.0), (1.5, 0.0))
STATES = ((7.0, 0.0, 0.0), (7.0, 0.5, -2.25), (1.0, 0.0, 0.0), (-3.0, 1.5, 8.0), (0.5, 0.0, 0.0), (-11.0, -3.0, 2.0))
"""Gradient of the result, and of the operands before."""
FIRST = (0, 0, 0, 1, 1, 2, 3, 4, 5)
"""Which pair goes with which state: the first stands in three that differ in the gradients alone."""
BEFORE = (0.5, 0.25)
"""Gradients of the operands while an operation is made."""
MOST_LOOKS = 500


class OperationExperiment:
    """Operands and results of one operation, made on the submission's side."""

    def __init__(self, student: StudentProxy | LocalStudentProxy, name: str, number: float | None = None) -> None:
        self.student, self.name, self.number = student, name, number
        self.operation: StepKind = OPERATIONS[name]
        self.kind = student.get("Value")

    @property
    def source_text(self) -> str:
        """Return the operation as a student writes it."""
        return f"`{self.operation.text.format('a', 'b', n=self.number)}`"

    def list_operand_numbers(self) -> tuple[tuple[float, float], ...]:
        """Numbers for the operands."""
        if self.name in ("tanh", "exp"):
            return SMALL
        usual = [pair for pair in PAIRS if self.name != "pow" or abs(pair[0]) < 20]
        if self.name == "pow" and self.number != int(self.number or 0):
            usual = [(abs(x), y) for x, y in usual]
        zeros = ZEROS if self.name not in ("relu", "pow", "div", "number div") else ()
        return (*usual, *zeros)

    def make_operands(self, count: int, numbers: Sequence[float]) -> Sequence[Any]:
        """Make new leaves, ``count`` for each operation."""
        return self.student.make(self.kind, [*numbers][:count])

    def apply_operation(self, nodes: Sequence[Any]) -> Any:
        """Apply the operation."""
        return self.operation.apply_to_nodes(*nodes, *([] if self.number is None else [self.number]))

    def compute_expected_result(self, x: float, y: float) -> tuple[float, tuple[float, ...]]:
        """Compute the right number and local derivatives. Raises ArithmeticError or ValueError where none exists."""
        arguments = [x, y][: self.operation.operand_count] + ([] if self.number is None else [self.number])
        return self.operation.evaluate_on_floats(arguments), self.operation.compute_local_derivatives(*arguments)

    def call_backward_with_gradient(self, out: Any, upstream: float) -> None:
        """Call the result's ``_backward``; for what may be built from several operations, those of all."""
        if self.name in ONE_NODE:
            self.student.call_back(out, upstream)
        else:
            self.student.pull(out, upstream)


def probe_forward(log: ExperimentLog, experiment: OperationExperiment) -> None:
    """Look at what one operation gives, and whether it leaves its operands alone."""
    student, count = experiment.student, experiment.operation.operand_count
    made: list[tuple[float, float, Sequence[Any], Any]] = []
    for x, y in experiment.list_operand_numbers():
        at = {"op": experiment.source_text, "at": _at(experiment, x, y)}
        with log.catch_failure_of_experiment(f"{x}, {y}"):
            nodes = experiment.make_operands(count, (x, y))
            student.set_all((node, "grad", grad) for node, grad in zip(nodes, BEFORE, strict=False))
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
    with log.catch_failure_of_experiment("reading"):
        _read_results(log, experiment, made)
    if log.last_failure:
        log.add_finding("result-cannot-be-read", op=experiment.source_text, error=log.last_failure.exception_name)
    elif count == 2:
        _apply_to_itself(log, experiment)
    if experiment.name in ("add", "mul") and not log.findings:
        _apply_in_place(log, experiment)


def _read_results(
    log: ExperimentLog, experiment: OperationExperiment, made: Sequence[tuple[float, float, Sequence[Any], Any]]
) -> None:
    student, count = experiment.student, experiment.operation.operand_count
    outs, nodes = [out for *_, out in made], [node for _, _, both, _ in made for node in both]
    data, grads = student.get_all(outs, "data"), student.get_all(outs, "grad")
    numbers, before = student.get_all(nodes, "data"), student.get_all(nodes, "grad")
    for place, (x, y, both, out) in enumerate(made):
        right, _ = experiment.compute_expected_result(x, y)
        own = slice(place * count, (place + 1) * count)
        below = _below(out, both)
        at = {"op": experiment.source_text, "at": _at(experiment, x, y)}
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
            name = "equal-operands-recorded-once" if any(below) and x == y else "operands-not-recorded"
            log.add_finding(name, **at, side=_sides([n for n, b in enumerate(below) if not b], count))


def _apply_in_place(log: ExperimentLog, experiment: OperationExperiment) -> None:
    """``c += b`` makes a new node, too; it is noted only where it does not."""
    written = f"`a {'+=' if experiment.name == 'add' else '*='} b`"
    lines = [*log.lines]
    with log.catch_failure_of_experiment("in place"):
        a, b = experiment.make_operands(2, (3.0, 4.0))
        result = a
        if experiment.name == "add":
            result += b
        else:
            result *= b
        (number,) = experiment.student.get_all([a], "data")
        if result is a or not is_close(number, 3.0):
            log.record_readings("in place", "same node" if result is a else "new node", number)
            log.add_finding("in-place-changes-the-operand", op=written, got=number, right=3.0)
    if log.last_failure:
        log.lines[:] = lines


def _apply_to_itself(log: ExperimentLog, experiment: OperationExperiment) -> None:
    right, _ = experiment.compute_expected_result(3.0, 3.0)
    at = {"op": f"`{experiment.operation.text.format('a', 'a')}`", "at": "at a = 3"}
    with log.catch_failure_of_experiment("itself"):
        (node,) = experiment.make_operands(1, (3.0,))
        out = experiment.apply_operation((node, node))
        if is_student_object(out) and out is not node:
            (data,) = experiment.student.get_all([out], "data")
            log.record_readings("itself", data, *_below(out, [node]))
            if not is_close(data, right):
                log.add_finding("number-is-wrong", **at, got=data, right=right)
        else:
            log.record_readings("itself", "no node")
            log.add_finding("gives-no-value", **at, got=out)
    if log.last_failure:
        log.add_finding("operation-raises", **at, error=log.last_failure.exception_name)


def probe_local_gradients(log: ExperimentLog, experiment: OperationExperiment) -> None:
    """Look at what one operation's ``_backward`` passes on, for several numbers, gradients, and gradients before."""
    student, count = experiment.student, experiment.operation.operand_count
    cases, outs = [*_cases(experiment)], list[Any]()
    with log.catch_failure_of_experiment("operands"):
        numbers = [number for x, y, _, _ in cases for number in (x, y)[:count]]
        nodes = [*student.make(experiment.kind, numbers)]
    for place, (x, y, upstream, had) in enumerate(cases):
        own = nodes[place * count : (place + 1) * count]
        with log.catch_failure_of_experiment(f"call {place}"):
            outs.append(experiment.apply_operation(own))
            student.set_all((node, "grad", grad) for node, grad in zip(own, had, strict=False))
            experiment.call_backward_with_gradient(outs[-1], upstream)
        if log.last_failure:
            at = {"op": experiment.source_text, "at": _at(experiment, x, y)}
            log.add_finding("backward-of-operation-raises", **at, error=log.last_failure.exception_name)
            return
    samples: list[list[BackwardCallSample]] = [[] for _ in range(count)]
    with log.catch_failure_of_experiment("reading"):
        grads, data = student.get_all([*nodes, *outs], "grad"), student.get_all(nodes, "data")
        for place, (x, y, upstream, had) in enumerate(cases):
            mine = slice(place * count, (place + 1) * count)
            after, result = grads[mine], grads[len(nodes) + place]
            log.record_readings(f"call {place}", *after, result, *data[mine])
            at = {"op": experiment.source_text, "at": _at(experiment, x, y)}
            if not is_close(result, upstream) and experiment.name in ONE_NODE:
                log.add_finding("changes-its-own-gradient", **at, got=result, right=upstream)
            for got, was in zip(data[mine], (x, y), strict=False):
                if not is_close(got, was):
                    log.add_finding("backward-changes-numbers", **at, got=got, right=was)
            number, slopes = experiment.compute_expected_result(x, y)
            for side in range(count):
                number_here, other = (x, y)[side], (x, y)[1 - side] if count == 2 else experiment.number
                other = number_here if other is None else other
                samples[side].append(
                    BackwardCallSample(number_here, other, number, slopes[side], upstream, had[side], after[side])
                )
    if log.last_failure:
        log.add_finding("result-cannot-be-read", op=experiment.source_text, error=log.last_failure.exception_name)
        return
    _report(log, experiment, [list_wrong_gradient_shares(side) for side in samples])
    if not log.findings:
        _probe_in_company(log, experiment)


def _cases(experiment: OperationExperiment) -> Iterator[tuple[float, float, float, tuple[float, float]]]:
    pairs = experiment.list_operand_numbers()
    for place, at in enumerate((*FIRST, *range(6, len(pairs)))):
        upstream, had, had_too = STATES[place % len(STATES)]
        if at < len(pairs):
            large = 250.0 if place == len(FIRST) - 2 else upstream
            yield *pairs[at], large, (had, had_too)


def _called(
    log: ExperimentLog,
    experiment: OperationExperiment,
    what: str,
    out: Any,
    nodes: Sequence[Any],
    had: Sequence[float],
    ups: Sequence[float],
) -> list[Any]:
    """Give the operands gradients, send some down, and read all: operands' gradients, the result's, numbers."""
    student = experiment.student
    student.set_all((node, "grad", grad) for node, grad in zip(nodes, had, strict=False))
    for upstream in ups:
        experiment.call_backward_with_gradient(out, upstream)
    got = [*student.get_all([*nodes, out], "grad"), *student.get_all(nodes, "data")]
    log.record_readings(what, *got)
    return got


def _report(
    log: ExperimentLog, experiment: OperationExperiment, sides: Sequence[Sequence[WrongGradientShare]]
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
            side=_sides(where, experiment.operation.operand_count),
            node="ab"[where[0]],
            at=_at(experiment, x, y),
            upstream=sample.upstream,
            had=sample.had,
            got=sample.after,
            right=sample.had + sample.share,
            phrase=phrase,
            which=f": {phrase}" if phrase else "",
        )


def _probe_in_company(log: ExperimentLog, experiment: OperationExperiment) -> None:
    """Try a right rule once more: called twice, with one operand twice, and beside other results."""
    count, (x, y) = experiment.operation.operand_count, experiment.list_operand_numbers()[0]
    _, slopes = experiment.compute_expected_result(x, y)
    core = experiment.name in CORE
    op = {"op": experiment.source_text, "at": _at(experiment, x, y)}
    with log.catch_failure_of_experiment("twice"):
        nodes = experiment.make_operands(count, (x, y))
        got = _called(log, experiment, "twice", experiment.apply_operation(nodes), nodes, (0.5, 0.25), (7.0, 5.0))
        for side in range(count):
            right = (0.5, 0.25)[side] + 12.0 * slopes[side]
            if not is_close(got[side], right):
                log.add_finding("second-call-is-wrong", **op, node="ab"[side], got=got[side], right=right)
    if log.last_failure:
        log.add_finding("second-call-raises", **op, error=log.last_failure.exception_name)
    if count == 2:
        _probe_twin(log, experiment)
    _probe_beside(log, experiment)
    if not log.findings and core:
        _probe_two_results(log, experiment)


def _probe_beside(log: ExperimentLog, experiment: OperationExperiment) -> None:
    """See whether a result goes on after others were made."""
    count, (x, y) = experiment.operation.operand_count, experiment.list_operand_numbers()[0]
    _, slopes = experiment.compute_expected_result(x, y)
    op = {"op": experiment.source_text, "at": _at(experiment, x, y)}
    with log.catch_failure_of_experiment("beside another"):
        nodes = experiment.make_operands(count, (x, y))
        out, beside = (
            experiment.apply_operation(nodes),
            experiment.apply_operation(experiment.make_operands(count, (5.0, 7.0))),
        )
        got = _called(log, experiment, "beside another", out, nodes, (0.5, 0.25), (7.0,))
        for side in range(count):
            right = (0.5, 0.25)[side] + 7.0 * slopes[side]
            if not is_close(got[side], right):
                log.add_finding("a-later-result-takes-over", **op, node="ab"[side], got=got[side], right=right)
        del beside
    with log.catch_failure_of_experiment("beside others"):
        nodes = experiment.make_operands(count, (x, y))
        out, others = experiment.apply_operation(nodes), [*_others(experiment)]
        got = _called(log, experiment, "beside others", out, nodes, (0.5, 0.25), (7.0,))
        for side in range(count):
            right = (0.5, 0.25)[side] + 7.0 * slopes[side]
            if not is_close(got[side], right):
                log.add_finding("another-operation-takes-over", **op, node="ab"[side], got=got[side], right=right)
        del others


def _probe_two_results(log: ExperimentLog, experiment: OperationExperiment) -> None:
    """Two results over the same operands, the other way round in the second."""
    count, (x, y) = experiment.operation.operand_count, experiment.list_operand_numbers()[0]
    _, slopes = experiment.compute_expected_result(x, y)
    op = {"op": experiment.source_text, "at": _at(experiment, x, y)}
    with log.catch_failure_of_experiment("one operand in two results"):
        nodes = experiment.make_operands(count, (x, y))
        outs = [experiment.apply_operation(nodes), experiment.apply_operation(nodes[::-1])]
        _, other = experiment.compute_expected_result(*((y, x) if count == 2 else (x, y)))
        experiment.student.set_all((node, "grad", 0.0) for node in nodes)
        for out, upstream in zip(outs, (7.0, 5.0), strict=True):
            experiment.call_backward_with_gradient(out, upstream)
        got = [*experiment.student.get_all(nodes, "grad")]
        log.record_readings("one operand in two results", *got)
        for side in range(count):
            right = 7.0 * slopes[side] + 5.0 * other[(1 - side) if count == 2 else 0]
            if not is_close(got[side], right):
                alone = is_close(got[side], 5.0 * other[(1 - side) if count == 2 else 0])
                name = "replaces-over-two-results" if alone else "two-results-do-not-add"
                log.add_finding(name, **op, node="ab"[side], got=got[side], right=right)


def _probe_twin(log: ExperimentLog, experiment: OperationExperiment) -> None:
    _, slopes = experiment.compute_expected_result(3.0, 3.0)
    at = {"op": f"`{experiment.operation.text.format('a', 'a')}`", "at": "at a = 3", "upstream": 7, "had": 0.5}
    with log.catch_failure_of_experiment("one operand twice"):
        (node,) = experiment.make_operands(1, (3.0,))
        out = experiment.apply_operation((node, node))
        got = _called(log, experiment, "one operand twice", out, [node], (0.5,), (7.0,))
        right = 0.5 + 7.0 * sum(slopes)
        if not is_close(got[0], right):
            once = any(is_close(got[0], 0.5 + 7.0 * slope) for slope in slopes) and slopes[0] + slopes[1]
            nothing = is_close(got[0], 0.5)
            name = "twin-gets-nothing" if nothing else "twin-counts-once" if once else "twin-is-wrong"
            log.add_finding(name, **at, got=got[0], right=right)
    if log.last_failure:
        log.add_finding("twin-raises", **at, error=log.last_failure.exception_name)


def _others(experiment: OperationExperiment) -> Iterator[Any]:
    """Make a result of each other operation of the contract, as far as they go."""
    a, b = experiment.make_operands(2, (0.25, 0.75))
    for name in ("add", "mul", "tanh"):
        if name != experiment.name:
            try:
                yield OPERATIONS[name].apply_to_nodes(*(a, b)[: OPERATIONS[name].operand_count])
            except (TypeError, AttributeError, NotImplementedError):
                continue


def _below(out: Any, nodes: Sequence[Any]) -> list[bool]:
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


def _at(experiment: OperationExperiment, x: float, y: float) -> str:
    return f"at a = {x:g}, b = {y:g}" if experiment.operation.operand_count == 2 else f"at a = {x:g}"


def _sides(where: Sequence[int], count: int) -> str:
    if count == 1:
        return "its operand"
    return "its operands" if len(where) == count else ("its left operand", "its right operand")[where[0]]
