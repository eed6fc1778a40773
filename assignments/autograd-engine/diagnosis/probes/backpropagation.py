"""Experiments on ``backward()``: which nodes it calls, in which order, and what it gives the root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.bridge import StudentProxy
from autograder.diagnosis.graph_shapes import (
    EQUAL,
    FALLING,
    PLAIN,
    GraphShape,
    list_misordered_pairs,
    make_binary_tree_shape,
    make_fibonacci_shape,
    pair_with_mirror_images,
    parse_graph_shape,
)
from autograder.diagnosis.part_experiment_log import PartExperimentLog, format_reading_canonically, is_close

from .wired_graphs import (
    WiredGraphBuilder,
    choose_graph_builder,
)

SHAPES = (
    parse_graph_shape("one", "a b c=ab"),
    parse_graph_shape("chain", "a b=a c=b d=c"),
    parse_graph_shape("long chain", "a b=a c=b d=c e=d f=e g=f"),
    parse_graph_shape("shared leaf", "a b c=ab d=ca"),
    parse_graph_shape("diamond", "a b c=ab d=c e=c f=de"),
    parse_graph_shape("short and long", "a b c=ab d=c e=d f=ce"),
    parse_graph_shape("long and short below", "a b c=ab d=cb e=dc f=ea g=fc"),
    parse_graph_shape("twin", "a b=aa c=bb d=cc"),
    parse_graph_shape("two twins", "a b c=aa d=bb e=cd f=ee"),
    parse_graph_shape("equal diamond", "a b c=ab d=c e=c f=de", EQUAL),
    parse_graph_shape("equal", "a b c=ab d=ab e=cd", EQUAL),
    parse_graph_shape("falling", "a b c=ab d=cb e=dc f=ea g=fc", FALLING),
    parse_graph_shape("used elsewhere", "a b c=ab d=cb e=c f=e", root="d"),
    parse_graph_shape("seeded", "a b c=ab", root_gradient_before=5.0),
    make_binary_tree_shape(3),
    make_fibonacci_shape(10),
)
LARGE = make_fibonacci_shape(62)
"""Tried where every node of the others is called once: a walk along every path takes forever here."""
LEAF = parse_graph_shape("leaf", "a")


@dataclass(frozen=True, slots=True)
class BackpropagationRun:
    """What one ``backward()`` did."""

    shape: GraphShape
    nodes_not_called: tuple[str, ...]
    nodes_called_again: tuple[str, ...]
    nodes_called_too_early: tuple[tuple[str, str], ...]
    called_other_graph: bool
    root_gradient: Any
    """The root's gradient afterwards."""
    gradient_by_node: dict[str, Any]
    calls: list[str]

    @property
    def is_complete(self) -> bool:
        """Return whether every node that has operands was called once."""
        return not (self.nodes_not_called or self.nodes_called_again or self.called_other_graph)

    def summarize(self) -> str:
        """Return all of it that no legal choice changes, as text that can be compared."""
        parts = [
            f"missing {' '.join(self.nodes_not_called)}",
            f"repeated {' '.join(self.nodes_called_again)}",
            f"early {' '.join(f'{one}<{user}' for one, user in self.nodes_called_too_early)}",
            f"foreign {self.called_other_graph}",
            f"root {format_reading_canonically(self.root_gradient)}",
        ]
        if self.is_complete and not self.nodes_called_too_early:
            leaves = {name: grad for name, grad in self.gradient_by_node.items() if not self.shape.operands.get(name)}
            parts.append(
                " ".join(f"{name} {format_reading_canonically(grad)}" for name, grad in sorted(leaves.items()))
            )
        return "; ".join(parts)


def probe_backpropagation(log: PartExperimentLog, student: StudentProxy) -> None:
    """Call ``backward()`` on graphs wired by hand, and on the mirror image of each."""
    shop = choose_graph_builder(log, student, "backward")
    walks: list[BackpropagationRun] = []
    for shape, mirror in pair_with_mirror_images((*SHAPES, LARGE)):
        if shape is LARGE and not all(walk.is_complete for walk in walks):
            break
        lines = []
        for one in (shape, mirror):
            with log.catch_failure(shape.name, one.describe()):
                walks.append(_walk(shop, one))
                lines.append(walks[-1].summarize())
            if log.last_failure:
                log.add_finding("backward-raises", error=log.last_failure.exception_name, graph=one.describe())
                if shape.name == "one":
                    return
                break
        log.record_readings(shape.name, *sorted(lines))
    with log.catch_failure("leaf"):
        graph = shop.build_graph(LEAF)
        graph.root.backward()
        (grad,) = graph.read_gradients().values()
        log.record_readings("leaf", grad)
    _name(log, walks)
    if log.last_failure:
        log.add_finding("backward-of-a-leaf-raises", error=log.last_failure.exception_name)
    elif not is_close(grad, 1.0) and not any(finding.finding_id.startswith("seed") for finding in log.findings):
        log.add_finding("leaf-gets-no-seed", got=grad)


def _walk(shop: WiredGraphBuilder, shape: GraphShape) -> BackpropagationRun:
    graph = shop.build_graph(shape)
    numbers = graph.read_data()
    graph.root.backward()
    calls, foreign = graph.read_new_calls()
    counts, inner, below = Counter(calls), shape.get_nonleaf_names(), shape.get_reachable_names()
    grads = graph.read_gradients()
    if graph.read_data() != numbers:
        grads["data"] = "changed"
    return BackpropagationRun(
        shape,
        nodes_not_called=tuple(sorted(inner - counts.keys())),
        nodes_called_again=tuple(f"{name}*{n}" for name, n in sorted(counts.items()) if n > 1),
        nodes_called_too_early=tuple(sorted(list_misordered_pairs([*dict.fromkeys(calls)], shape))),
        called_other_graph=foreign or any(name not in below for name in calls),
        root_gradient=grads[shape.root_name],
        gradient_by_node=grads,
        calls=calls,
    )


def _name(log: PartExperimentLog, walks: list[BackpropagationRun]) -> None:
    """Say what was found in all walks; of what follows from something else, only the first cause."""
    _name_missing(log, [walk for walk in walks if walk.nodes_not_called], walks)
    if walk := _first(walks, lambda w: bool(w.nodes_called_again)):
        node, _, times = walk.nodes_called_again[0].partition("*")
        log.add_finding("nodes-called-again", graph=walk.shape.describe(), node=node, times=times)
    if walk := _first(walks, lambda w: w.called_other_graph):
        log.add_finding("other-graphs-called", graph=walk.shape.describe())
    early = [walk for walk in walks if walk.nodes_called_too_early and walk.is_complete]
    if early and not log.has_any_finding("nodes-called-again"):
        upside_down = all(walk.calls[-1] == walk.shape.root_name for walk in early) and all(
            walk.nodes_called_too_early
            for walk in walks
            if walk.is_complete and len(walk.shape.get_nonleaf_names()) > 1
        )
        node, user = early[0].nodes_called_too_early[0]
        name = "operands-before-users" if upside_down else "node-before-its-user"
        quotes = {"graph": early[0].shape.describe(), "node": node, "user": user}
        if all(walk.shape.node_numbers != PLAIN for walk in early):
            name = "order-by-number"
        log.add_finding(name, **quotes)
    _name_seed(log, walks)
    if not log.findings:
        _name_rest(log, walks)


def _name_missing(log: PartExperimentLog, missing: list[BackpropagationRun], walks: list[BackpropagationRun]) -> None:
    if not missing:
        return
    first = missing[0]
    quotes = {"graph": first.shape.describe(), "node": first.nodes_not_called[0]}
    if all(not walk.calls for walk in walks):
        log.add_finding("nothing-is-called", **quotes)
    elif all(walk.nodes_not_called == (walk.shape.root_name,) for walk in walks):
        log.add_finding("root-is-not-called", **quotes)
    elif all([*dict.fromkeys(walk.calls)] == [walk.shape.root_name] for walk in walks):
        log.add_finding("only-the-root-is-called", **quotes)
    elif all(walk.shape.node_numbers == EQUAL for walk in missing):
        log.add_finding("equal-numbers-are-one", **quotes)
    elif all(len(walk.shape.operands) > 20 for walk in missing):
        log.add_finding("large-graphs-are-not-finished", **quotes)
    elif all(any(len(set(below)) < len(below) for below in walk.shape.operands.values()) for walk in missing):
        log.add_finding("stuck-at-twins", **quotes)
    elif all(walk.shape.name == "used elsewhere" for walk in missing):
        log.add_finding("waits-for-other-users", **quotes)
    elif all(set(walk.nodes_not_called) == _off_side(walk.shape, 0) for walk in walks):
        log.add_finding("only-one-operand-followed", **quotes, side="first")
    elif all(set(walk.nodes_not_called) == _off_side(walk.shape, -1) for walk in walks):
        log.add_finding("only-one-operand-followed", **quotes, side="last")
    else:
        log.add_finding("nodes-left-out", **quotes)


def _off_side(shape: GraphShape, side: int) -> set[str]:
    """Inner nodes that cannot be reached by first operands (0) or last operands (-1) alone."""
    reached, name = set[str](), shape.root_name
    while name not in reached:
        reached.add(name)
        below = shape.operands[name]
        name = below[side] if below else name
    return shape.get_nonleaf_names() - reached


def _name_seed(log: PartExperimentLog, walks: list[BackpropagationRun]) -> None:
    by_name = {walk.shape.name: walk for walk in walks}
    one, seeded = by_name.get("one"), by_name.get("seeded")
    if one is None or one.nodes_not_called or one.nodes_called_again:
        if one is not None and not is_close(one.root_gradient, 1.0) and not is_close(one.root_gradient, 0.0):
            log.add_finding("seed-is-wrong", got=one.root_gradient)
        elif one is not None and not is_close(one.root_gradient, 1.0):
            log.add_finding("seed-is-missing", got=one.root_gradient)
        return
    passed = one.gradient_by_node["a"]
    if is_close(passed, 1.0) and is_close(one.root_gradient, 1.0):
        if seeded is None or not seeded.is_complete or is_close(seeded.root_gradient, 1.0):
            return
        if is_close(seeded.root_gradient, 6.0):
            log.add_finding("seed-is-added", got=seeded.root_gradient)
        elif is_close(seeded.root_gradient, 5.0):
            log.add_finding("seed-only-without-gradient", got=seeded.root_gradient)
        else:
            log.add_finding("seed-depends-on-before", got=seeded.root_gradient)
    elif is_close(passed, 0.0) and is_close(one.root_gradient, 1.0):
        log.add_finding("seed-comes-late", got=passed)
    elif is_close(one.root_gradient, 0.0) and is_close(passed, 0.0):
        log.add_finding("seed-is-missing", got=one.root_gradient)
    elif is_close(passed, 1.0):
        log.add_finding("root-loses-its-gradient", got=one.root_gradient)
    elif not is_close(one.root_gradient, 1.0):
        log.add_finding("seed-is-wrong", got=passed)


def _name_rest(log: PartExperimentLog, walks: list[BackpropagationRun]) -> None:
    for walk in walks:
        right = walk.shape.compute_addition_gradients()
        for name, grad in walk.gradient_by_node.items():
            if name == "data":
                log.add_finding("backward-changes-data", graph=walk.shape.describe())
            elif not is_close(grad, right[name]) and not (walk.shape.operands[name] and is_close(grad, 0.0)):
                log.add_finding(
                    "gradients-beside", graph=walk.shape.describe(), node=name, got=grad, right=right[name]
                )


def _first(walks: list[BackpropagationRun], holds: Callable[[BackpropagationRun], bool]) -> BackpropagationRun | None:
    return next((walk for walk in walks if holds(walk)), None)
