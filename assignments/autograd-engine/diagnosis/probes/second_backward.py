"""Experiments on a second ``backward()``, with and without ``zero_grad()`` between, and from another result."""

from __future__ import annotations

from typing import Any

from autograder.bridge import StudentProxy
from autograder.course.model import SecondBackward
from autograder.diagnosis.graph_shapes import (
    GraphShape,
    parse_graph_shape,
)
from autograder.diagnosis.part_experiment_log import PartExperimentLog, is_close

from .wired_graphs import (
    WiredGraph,
    WiredGraphBuilder,
    choose_graph_builder,
)

PLAN = parse_graph_shape("again", "a b c d=ab e=dc f=ab g=ef h=ga")
LEAVES = ("a", "b", "c")


def gradients_after_two_backwards(shape: GraphShape, convention: SecondBackward) -> dict[str, float]:
    """Return the right gradients of the leaves after two calls."""
    grads = shape.compute_addition_gradients()
    start = (
        grads
        if convention == "interior kept"
        else {**dict.fromkeys(shape.operands, 0.0), **{n: grads[n] for n in LEAVES}}
    )
    total = {**start, shape.root_name: 1.0}
    for name in reversed([*shape.operands]):
        for operand in shape.operands[name]:
            total[operand] += total[name]
    return {name: total[name] for name in LEAVES}


def probe_second_backward(log: PartExperimentLog, student: StudentProxy) -> None:
    """Go through one graph twice, then through two graphs over the same leaves."""
    shop = choose_graph_builder(log, student, "backward")
    once = {name: PLAN.compute_addition_gradients()[name] for name in LEAVES}
    rights = [
        gradients_after_two_backwards(PLAN, convention) for convention in ("interior kept", "leaves accumulate")
    ]
    with log.catch_failure("twice"):
        graph = shop.build_graph(PLAN)
        graph.root.backward()
        graph.read_new_calls()
        graph.root.backward()
        calls, got = graph.read_new_calls()[0], _leaves(graph)
        same = [right for right in rights if _equal(got, right)]
        log.record_readings(
            "twice",
            "right" if same and len(calls) == len(PLAN.get_nonleaf_names()) else "",
            *([] if same else got.values()),
            len(calls),
        )
        quotes = {
            "graph": PLAN.describe(),
            "node": "a",
            "once": once["a"],
            "got": got["a"],
            "right": rights[0]["a"],
            "or": rights[1]["a"],
        }
        if not calls:
            log.add_finding("second-backward-does-nothing", **quotes)
        elif not same and _equal(got, once):
            log.add_finding("second-backward-forgets-the-first", **quotes)
        elif not same or len(calls) != len(PLAN.get_nonleaf_names()):
            log.add_finding("second-backward-is-wrong", **quotes)
    if log.last_failure:
        log.add_finding("second-backward-raises", error=log.last_failure.exception_name)
        return
    _probe_two_roots(log, shop)


def probe_zero_grad_between_backwards(log: PartExperimentLog, student: StudentProxy) -> None:
    """Clear with ``zero_grad()`` between two calls."""
    shop = choose_graph_builder(log, student, "backward")
    once = {name: PLAN.compute_addition_gradients()[name] for name in LEAVES}
    with log.catch_failure("zero_grad between"):
        graph = shop.build_graph(PLAN)
        graph.root.backward()
        graph.root.zero_grad()
        graph.read_new_calls()
        graph.root.backward()
        calls, got = graph.read_new_calls()[0], _leaves(graph)
        log.record_readings("zero_grad between", *got.values(), len(calls))
        if not _equal(got, once):
            log.add_finding(
                "backward-after-zero-grad-is-wrong", node="a", got=got["a"], right=once["a"], graph=PLAN.describe()
            )
    if log.last_failure:
        log.add_finding("second-backward-raises", error=log.last_failure.exception_name)


TWO = parse_graph_shape("two", "a b c=ab d=ab e=cc f=dd", root="e")


def _probe_two_roots(log: PartExperimentLog, shop: WiredGraphBuilder) -> None:
    """Two results over the same leaves, with nothing else in common."""
    with log.catch_failure("two results"):
        graph = shop.build_graph(TWO)
        graph.nodes["e"].backward()
        graph.nodes["f"].backward()
        got = graph.read_gradients()
        log.record_readings("two results", got["a"], got["b"])
        if not (is_close(got["a"], 4.0) and is_close(got["b"], 4.0)) and not log.findings:
            name = "another-result-forgets" if is_close(got["a"], 2.0) else "another-result-is-wrong"
            log.add_finding(name, node="a", got=got["a"], right=4.0, once=2.0, graph=TWO.describe())
    if log.last_failure:
        log.add_finding("second-backward-raises", error=log.last_failure.exception_name)


def _leaves(graph: WiredGraph) -> dict[str, Any]:
    grads = graph.read_gradients()
    return {name: grads[name] for name in LEAVES}


def _equal(got: dict[str, Any], right: dict[str, float]) -> bool:
    return all(is_close(got[name], right[name]) for name in right)
