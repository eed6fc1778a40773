"""Experiments on ``zero_grad()``: which nodes it clears, and what it leaves alone."""

from __future__ import annotations

from typing import Any

from autograder.bridge import StudentProxy
from autograder.diagnosis.graph_shapes import (
    EQUAL,
    GraphShape,
    make_binary_tree_shape,
    make_fibonacci_shape,
    pair_with_mirror_images,
    parse_graph_shape,
)
from autograder.diagnosis.part_experiment_log import PartExperimentLog, format_reading_canonically, is_close

from .backpropagation import LEAF
from .wired_graphs import (
    WiredGraphBuilder,
    choose_graph_builder,
)

SHAPES = (
    parse_graph_shape("one", "a b c=ab"),
    parse_graph_shape("chain", "a b=a c=b d=c"),
    parse_graph_shape("long chain", "a b=a c=b d=c e=d f=e g=f"),
    parse_graph_shape("shared", "a b c=ab d=ca e=dc"),
    parse_graph_shape("twin", "a b=aa c=bb"),
    parse_graph_shape("equal", "a b c=ab d=ab e=cd", EQUAL),
    parse_graph_shape("used elsewhere", "a b c=ab d=cb e=c f=e", root="d"),
    make_binary_tree_shape(3),
    make_fibonacci_shape(10),
    make_fibonacci_shape(62),
    LEAF,
)
BEFORE = 7.0


def probe_zero_grad(log: PartExperimentLog, student: StudentProxy) -> None:
    """Give all nodes of graphs wired by hand a gradient, and call ``zero_grad()``."""
    shop = choose_graph_builder(log, student, "zero_grad")
    kept: list[tuple[GraphShape, set[str], dict[str, Any]]] = []
    for shape, mirror in pair_with_mirror_images(SHAPES):
        lines = []
        for one in (shape, mirror):
            with log.catch_failure(shape.name, one.describe()):
                stays, line = _cleared(log, shop, one)
                kept.append((one, set(stays), stays))
                lines.append(line)
            if log.last_failure:
                log.add_finding("zero-grad-raises", error=log.last_failure.exception_name, graph=one.describe())
                break
        log.record_readings(shape.name, *sorted(lines))
        if log.last_failure and shape.name == "one":
            return
    _name(log, kept)
    if log.has_any_finding("zero-grad-does-nothing"):
        _after_backward(log, shop)
    if log.findings:
        return
    with log.catch_failure("a zero on the way"):
        graph = shop.build_graph(SHAPES[1])
        graph.set_grads(BEFORE)
        graph.set_grads(0.0, ["c"])
        graph.root.zero_grad()
        stays = _stays(graph.read_gradients(), graph.shape)
        log.record_readings("a zero on the way", *sorted(stays))
        if stays:
            log.add_finding("zero-grad-stops-at-zero", graph=graph.shape.describe(), node=min(stays))
    with log.catch_failure("twice"):
        graph = shop.build_graph(SHAPES[3])
        for _ in range(2):
            graph.set_grads(BEFORE)
            graph.root.zero_grad()
        stays = _stays(graph.read_gradients(), graph.shape)
        log.record_readings("twice", *sorted(stays))
        if stays:
            log.add_finding("zero-grad-works-once", graph=graph.shape.describe(), node=min(stays))
    if log.last_failure:
        log.add_finding("zero-grad-raises", error=log.last_failure.exception_name, graph=SHAPES[3].describe())


def _after_backward(log: PartExperimentLog, shop: WiredGraphBuilder) -> None:
    """Note whether it clears the nodes of a ``backward()`` that came before, at least."""
    with log.catch_failure("after backward"):
        graph = shop.build_graph(SHAPES[3])
        graph.root.backward()
        graph.set_grads(BEFORE)
        graph.root.zero_grad()
        stays = _stays(graph.read_gradients(), graph.shape)
        log.record_readings("after backward", *sorted(stays))
        if not stays:
            log.findings.clear()
            log.add_finding("zero-grad-needs-backward", graph=SHAPES[0].describe(), node="a", got=BEFORE)


def _cleared(log: PartExperimentLog, shop: WiredGraphBuilder, shape: GraphShape) -> tuple[dict[str, Any], str]:
    graph = shop.build_graph(shape)
    graph.set_grads(BEFORE)
    numbers = graph.read_data()
    graph.root.zero_grad()
    grads, calls = graph.read_gradients(), graph.read_new_calls()[0]
    stays = _stays(grads, shape)
    gone = sorted(
        name for name, grad in grads.items() if name not in shape.get_reachable_names() and not is_close(grad, BEFORE)
    )
    changed = graph.read_data() != numbers
    if gone:
        log.add_finding("zero-grad-clears-others", graph=shape.describe(), node=gone[0])
    if changed:
        log.add_finding("zero-grad-changes-numbers", graph=shape.describe())
    if calls:
        log.add_finding("zero-grad-calls-backward", graph=shape.describe(), node=calls[0])
    told = " ".join(f"{name} {format_reading_canonically(grad)}" for name, grad in sorted(stays.items()))
    return stays, f"stays {told}; gone {' '.join(gone)}; calls {len(calls)}; changed {changed}"


def _stays(grads: dict[str, Any], shape: GraphShape) -> dict[str, Any]:
    """Find what is not zero, and should be."""
    below = shape.get_reachable_names()
    return {name: grad for name, grad in grads.items() if name in below and not is_close(grad, 0.0)}


def _name(log: PartExperimentLog, kept: list[tuple[GraphShape, set[str], dict[str, Any]]]) -> None:
    wrong = [(shape, names, grads) for shape, names, grads in kept if names]
    if not wrong:
        return
    shape, names, grads = wrong[0]
    node = min(names)
    quotes = {"graph": shape.describe(), "node": node, "got": grads[node]}
    others = [value for _, _, found in wrong for value in found.values() if not is_close(value, BEFORE)]
    every = [(shape, names) for shape, names, _ in kept]
    if others:
        log.add_finding("zero-grad-sets-something-else", **quotes | {"got": others[0]})
    elif all(names == shape.get_reachable_names() for shape, names in every):
        log.add_finding("zero-grad-does-nothing", **quotes)
    elif all(names == shape.get_reachable_names() - {shape.root_name} for shape, names in every):
        log.add_finding("zero-grad-clears-only-itself", **quotes)
    elif all(
        names == shape.get_reachable_names() - shape.get_nonleaf_names()
        for shape, names in every
        if shape.operands[shape.root_name]
    ):
        log.add_finding("zero-grad-keeps-leaves", **quotes)
    elif all(names == shape.get_nonleaf_names() for shape, names in every):
        log.add_finding("zero-grad-clears-only-leaves", **quotes)
    elif all(names == {shape.root_name} for shape, names in every):
        log.add_finding("zero-grad-keeps-the-node-itself", **quotes)
    elif all(shape is LEAF or shape.name == "leaf" for shape, _, _ in wrong):
        log.add_finding("zero-grad-of-a-leaf-does-nothing", **quotes)
    elif all(names == _deeper(shape, 1) for shape, names in every):
        log.add_finding("zero-grad-goes-one-level", **quotes)
    elif all(shape.node_numbers == EQUAL for shape, _, _ in wrong):
        log.add_finding("zero-grad-takes-equal-numbers-for-one", **quotes)
    elif all(len(shape.operands) > 20 for shape, _, _ in wrong):
        log.add_finding("zero-grad-does-not-finish-large-graphs", **quotes)
    else:
        log.add_finding("zero-grad-leaves-out-nodes", **quotes)


def _deeper(shape: GraphShape, levels: int) -> set[str]:
    """Return the nodes that are more than so many levels below the root on every way."""
    reached, level = {shape.root_name}, {shape.root_name}
    for _ in range(levels):
        level = {below for name in level for below in shape.operands[name]}
        reached |= level
    return shape.get_reachable_names() - reached
