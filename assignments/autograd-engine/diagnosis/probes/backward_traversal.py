"""Experiments on ``backward()``: which nodes it calls, in which order, and what it gives the root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.bridge import LocalStudentProxy, StudentProxy
from autograder.diagnosis.experiment_log import ExperimentLog, format_canonically, is_close
from autograder.diagnosis.graph_shapes import (
    EQUAL,
    FALLING,
    PLAIN,
    GraphShape,
    find_early_calls,
    make_ladder_shape,
    make_tree_shape,
    pair_with_mirror_images,
    parse_graph_shape,
)

from .wired_graphs import (
    GraphBuilder,
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
    parse_graph_shape("seeded", "a b c=ab", seeded=5.0),
    make_tree_shape(3),
    make_ladder_shape(10),
)
LARGE = make_ladder_shape(62)
"""Tried where no node is called twice: otherwise calls double with each rung."""
LEAF = parse_graph_shape("leaf", "a")


@dataclass(frozen=True, slots=True)
class BackwardTraversal:
    """What one ``backward()`` did."""

    plan: GraphShape
    missing: tuple[str, ...]
    repeated: tuple[str, ...]
    early: tuple[tuple[str, str], ...]
    foreign: bool
    root: Any
    """The root's gradient afterwards."""
    grads: dict[str, Any]
    calls: list[str]

    @property
    def is_complete(self) -> bool:
        """Whether every node that has operands was called once."""
        return not (self.missing or self.repeated or self.foreign)

    def summarize(self) -> str:
        """All of it that no legal choice changes."""
        parts = [
            f"missing {' '.join(self.missing)}",
            f"repeated {' '.join(self.repeated)}",
            f"early {' '.join(f'{one}<{user}' for one, user in self.early)}",
            f"foreign {self.foreign}",
            f"root {format_canonically(self.root)}",
        ]
        if self.is_complete and not self.early:
            leaves = {name: grad for name, grad in self.grads.items() if not self.plan.operands.get(name)}
            parts.append(" ".join(f"{name} {format_canonically(grad)}" for name, grad in sorted(leaves.items())))
        return "; ".join(parts)


def probe_backward(log: ExperimentLog, student: StudentProxy | LocalStudentProxy) -> None:
    """Call ``backward()`` on graphs wired by hand, and on the mirror image of each."""
    shop = choose_graph_builder(log, student, "backward")
    walks: list[BackwardTraversal] = []
    for plan, mirror in pair_with_mirror_images((*SHAPES, LARGE)):
        if plan is LARGE and any(walk.repeated for walk in walks):
            break
        lines = []
        for one in (plan, mirror):
            with log.run_experiment(plan.name, one.describe()):
                walks.append(_walk(shop, one))
                lines.append(walks[-1].summarize())
            if log.trouble:
                log.add_finding("backward-raises", error=log.trouble.kind, graph=one.describe())
                if plan.name == "one":
                    return
                break
        log.record_readings(plan.name, *sorted(lines))
    with log.run_experiment("leaf"):
        graph = shop.build_graph(LEAF)
        graph.root.backward()
        (grad,) = graph.read_gradients().values()
        log.record_readings("leaf", grad)
    _name(log, walks)
    if log.trouble:
        log.add_finding("backward-of-a-leaf-raises", error=log.trouble.kind)
    elif not is_close(grad, 1.0) and not any(finding.name.startswith("seed") for finding in log.findings):
        log.add_finding("leaf-gets-no-seed", got=grad)


def _walk(shop: GraphBuilder, plan: GraphShape) -> BackwardTraversal:
    graph = shop.build_graph(plan)
    numbers = graph.read_data()
    graph.root.backward()
    calls, foreign = graph.read_new_calls()
    counts, inner, below = Counter(calls), plan.inner_node_names(), plan.reachable_names()
    grads = graph.read_gradients()
    if graph.read_data() != numbers:
        grads["data"] = "changed"
    return BackwardTraversal(
        plan,
        missing=tuple(sorted(inner - counts.keys())),
        repeated=tuple(f"{name}*{n}" for name, n in sorted(counts.items()) if n > 1),
        early=tuple(sorted(find_early_calls([*dict.fromkeys(calls)], plan))),
        foreign=foreign or any(name not in below for name in calls),
        root=grads[plan.root_name],
        grads=grads,
        calls=calls,
    )


def _name(log: ExperimentLog, walks: list[BackwardTraversal]) -> None:
    """Say what was found in all walks; of what follows from something else, only the first cause."""
    _name_missing(log, [walk for walk in walks if walk.missing], walks)
    if walk := _first(walks, lambda w: bool(w.repeated)):
        node, _, times = walk.repeated[0].partition("*")
        log.add_finding("nodes-called-again", graph=walk.plan.describe(), node=node, times=times)
    if walk := _first(walks, lambda w: w.foreign):
        log.add_finding("other-graphs-called", graph=walk.plan.describe())
    early = [walk for walk in walks if walk.early and walk.is_complete]
    if early and not log.has_finding("nodes-called-again"):
        upside_down = all(walk.calls[-1] == walk.plan.root_name for walk in early) and all(
            walk.early for walk in walks if walk.is_complete and len(walk.plan.inner_node_names()) > 1
        )
        node, user = early[0].early[0]
        name = "operands-before-users" if upside_down else "node-before-its-user"
        quotes = {"graph": early[0].plan.describe(), "node": node, "user": user}
        if all(walk.plan.numbers != PLAIN for walk in early):
            name = "order-by-number"
        log.add_finding(name, **quotes)
    _name_seed(log, walks)
    if not log.findings:
        _name_rest(log, walks)


def _name_missing(log: ExperimentLog, missing: list[BackwardTraversal], walks: list[BackwardTraversal]) -> None:
    if not missing:
        return
    first = missing[0]
    quotes = {"graph": first.plan.describe(), "node": first.missing[0]}
    if all(not walk.calls for walk in walks):
        log.add_finding("nothing-is-called", **quotes)
    elif all(walk.missing == (walk.plan.root_name,) for walk in walks):
        log.add_finding("root-is-not-called", **quotes)
    elif all([*dict.fromkeys(walk.calls)] == [walk.plan.root_name] for walk in walks):
        log.add_finding("only-the-root-is-called", **quotes)
    elif all(walk.plan.numbers == EQUAL for walk in missing):
        log.add_finding("equal-numbers-are-one", **quotes)
    elif all(len(walk.plan.operands) > 20 for walk in missing):
        log.add_finding("large-graphs-are-not-finished", **quotes)
    elif all(any(len(set(below)) < len(below) for below in walk.plan.operands.values()) for walk in missing):
        log.add_finding("stuck-at-twins", **quotes)
    elif all(walk.plan.name == "used elsewhere" for walk in missing):
        log.add_finding("waits-for-other-users", **quotes)
    elif all(set(walk.missing) == _off_side(walk.plan, 0) for walk in walks):
        log.add_finding("only-one-operand-followed", **quotes, side="first")
    elif all(set(walk.missing) == _off_side(walk.plan, -1) for walk in walks):
        log.add_finding("only-one-operand-followed", **quotes, side="last")
    else:
        log.add_finding("nodes-left-out", **quotes)


def _off_side(plan: GraphShape, side: int) -> set[str]:
    """Inner nodes that cannot be reached by first operands (0) or last operands (-1) alone."""
    reached, name = set[str](), plan.root_name
    while name not in reached:
        reached.add(name)
        below = plan.operands[name]
        name = below[side] if below else name
    return plan.inner_node_names() - reached


def _name_seed(log: ExperimentLog, walks: list[BackwardTraversal]) -> None:
    by_name = {walk.plan.name: walk for walk in walks}
    one, seeded = by_name.get("one"), by_name.get("seeded")
    if one is None or one.missing or one.repeated:
        if one is not None and not is_close(one.root, 1.0) and not is_close(one.root, 0.0):
            log.add_finding("seed-is-wrong", got=one.root)
        elif one is not None and not is_close(one.root, 1.0):
            log.add_finding("seed-is-missing", got=one.root)
        return
    passed = one.grads["a"]
    if is_close(passed, 1.0) and is_close(one.root, 1.0):
        if seeded is None or not seeded.is_complete or is_close(seeded.root, 1.0):
            return
        if is_close(seeded.root, 6.0):
            log.add_finding("seed-is-added", got=seeded.root)
        elif is_close(seeded.root, 5.0):
            log.add_finding("seed-only-without-gradient", got=seeded.root)
        else:
            log.add_finding("seed-depends-on-before", got=seeded.root)
    elif is_close(passed, 0.0) and is_close(one.root, 1.0):
        log.add_finding("seed-comes-late", got=passed)
    elif is_close(one.root, 0.0) and is_close(passed, 0.0):
        log.add_finding("seed-is-missing", got=one.root)
    elif is_close(passed, 1.0):
        log.add_finding("root-loses-its-gradient", got=one.root)
    else:
        log.add_finding("seed-is-wrong", got=passed)


def _name_rest(log: ExperimentLog, walks: list[BackwardTraversal]) -> None:
    for walk in walks:
        right = walk.plan.compute_gradients()
        for name, grad in walk.grads.items():
            if name == "data":
                log.add_finding("backward-changes-data", graph=walk.plan.describe())
            elif not is_close(grad, right[name]) and not (walk.plan.operands[name] and is_close(grad, 0.0)):
                log.add_finding(
                    "gradients-beside", graph=walk.plan.describe(), node=name, got=grad, right=right[name]
                )


def _first(walks: list[BackwardTraversal], holds: Callable[[BackwardTraversal], bool]) -> BackwardTraversal | None:
    return next((walk for walk in walks if holds(walk)), None)
