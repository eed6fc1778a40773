"""Experiments on ``zero_grad()``: which nodes it clears, and what it leaves alone."""

from __future__ import annotations

from typing import Any

from autograder.bridge import LocalStudent, Student
from autograder.diagnosis.probes.reading import Lab, canonical, close
from autograder.diagnosis.probes.traversal import LEAF
from autograder.diagnosis.probes.wired import EQUAL, Shape, Workshop, both_ways, ladder, shape, tree, workshop_for

SHAPES = (
    shape("one", "a b c=ab"),
    shape("chain", "a b=a c=b d=c"),
    shape("long chain", "a b=a c=b d=c e=d f=e g=f"),
    shape("shared", "a b c=ab d=ca e=dc"),
    shape("twin", "a b=aa c=bb"),
    shape("equal", "a b c=ab d=ab e=cd", EQUAL),
    shape("used elsewhere", "a b c=ab d=cb e=c f=e", root="d"),
    tree(3),
    ladder(10),
    ladder(62),
    LEAF,
)
BEFORE = 7.0


def probe_zero_grad(lab: Lab, student: Student | LocalStudent) -> None:
    """Give all nodes of graphs wired by hand a gradient, and call ``zero_grad()``."""
    shop = workshop_for(lab, student, "zero_grad")
    kept: list[tuple[Shape, set[str], dict[str, Any]]] = []
    for plan, mirror in both_ways(SHAPES):
        lines = []
        for one in (plan, mirror):
            with lab.experiment(plan.name, one.told()):
                stays, line = _cleared(lab, shop, one)
                kept.append((one, set(stays), stays))
                lines.append(line)
            if lab.trouble:
                lab.find("zero-grad-raises", error=lab.trouble.kind, graph=one.told())
                break
        lab.note(plan.name, *sorted(lines))
        if lab.trouble and plan.name == "one":
            return
    _name(lab, kept)
    if lab.has("zero-grad-does-nothing"):
        _after_backward(lab, shop)
    if lab.findings:
        return
    with lab.experiment("a zero on the way"):
        graph = shop.wire(SHAPES[1])
        graph.set_grads(BEFORE)
        graph.set_grads(0.0, ["c"])
        graph.top.zero_grad()
        stays = _stays(graph.grads(), graph.shape)
        lab.note("a zero on the way", *sorted(stays))
        if stays:
            lab.find("zero-grad-stops-at-zero", graph=graph.shape.told(), node=min(stays))
    with lab.experiment("twice"):
        graph = shop.wire(SHAPES[3])
        for _ in range(2):
            graph.set_grads(BEFORE)
            graph.top.zero_grad()
        stays = _stays(graph.grads(), graph.shape)
        lab.note("twice", *sorted(stays))
        if stays:
            lab.find("zero-grad-works-once", graph=graph.shape.told(), node=min(stays))
    if lab.trouble:
        lab.find("zero-grad-raises", error=lab.trouble.kind, graph=SHAPES[3].told())


def _after_backward(lab: Lab, shop: Workshop) -> None:
    """Whether it clears the nodes of a ``backward()`` that came before, at least."""
    with lab.experiment("after backward"):
        graph = shop.wire(SHAPES[3])
        graph.top.backward()
        graph.set_grads(BEFORE)
        graph.top.zero_grad()
        stays = _stays(graph.grads(), graph.shape)
        lab.note("after backward", *sorted(stays))
        if not stays:
            lab.findings.clear()
            lab.find("zero-grad-needs-backward", graph=SHAPES[0].told(), node="a", got=BEFORE)


def _cleared(lab: Lab, shop: Workshop, plan: Shape) -> tuple[dict[str, Any], str]:
    graph = shop.wire(plan)
    graph.set_grads(BEFORE)
    numbers = graph.data()
    graph.top.zero_grad()
    grads, calls = graph.grads(), graph.calls()[0]
    stays = _stays(grads, plan)
    gone = sorted(name for name, grad in grads.items() if name not in plan.below() and not close(grad, BEFORE))
    changed = graph.data() != numbers
    if gone:
        lab.find("zero-grad-clears-others", graph=plan.told(), node=gone[0])
    if changed:
        lab.find("zero-grad-changes-numbers", graph=plan.told())
    if calls:
        lab.find("zero-grad-calls-backward", graph=plan.told(), node=calls[0])
    told = " ".join(f"{name} {canonical(grad)}" for name, grad in sorted(stays.items()))
    return stays, f"stays {told}; gone {' '.join(gone)}; calls {len(calls)}; changed {changed}"


def _stays(grads: dict[str, Any], plan: Shape) -> dict[str, Any]:
    """Find what is not zero, and should be."""
    below = plan.below()
    return {name: grad for name, grad in grads.items() if name in below and not close(grad, 0.0)}


def _name(lab: Lab, kept: list[tuple[Shape, set[str], dict[str, Any]]]) -> None:
    wrong = [(plan, names, grads) for plan, names, grads in kept if names]
    if not wrong:
        return
    plan, names, grads = wrong[0]
    node = min(names)
    quotes = {"graph": plan.told(), "node": node, "got": grads[node]}
    others = [value for _, _, found in wrong for value in found.values() if not close(value, BEFORE)]
    every = [(plan, names) for plan, names, _ in kept]
    if others:
        lab.find("zero-grad-sets-something-else", **quotes | {"got": others[0]})
    elif all(names == plan.below() for plan, names in every):
        lab.find("zero-grad-does-nothing", **quotes)
    elif all(names == plan.below() - {plan.top} for plan, names in every):
        lab.find("zero-grad-clears-only-itself", **quotes)
    elif all(names == plan.below() - plan.inner() for plan, names in every if plan.operands[plan.top]):
        lab.find("zero-grad-keeps-leaves", **quotes)
    elif all(names == plan.inner() for plan, names in every):
        lab.find("zero-grad-clears-only-leaves", **quotes)
    elif all(names == {plan.top} for plan, names in every):
        lab.find("zero-grad-keeps-the-node-itself", **quotes)
    elif all(plan is LEAF or plan.name == "leaf" for plan, _, _ in wrong):
        lab.find("zero-grad-of-a-leaf-does-nothing", **quotes)
    elif all(names == _deeper(plan, 1) for plan, names in every):
        lab.find("zero-grad-goes-one-level", **quotes)
    elif all(plan.numbers == EQUAL for plan, _, _ in wrong):
        lab.find("zero-grad-takes-equal-numbers-for-one", **quotes)
    elif all(len(plan.operands) > 20 for plan, _, _ in wrong):
        lab.find("zero-grad-does-not-finish-large-graphs", **quotes)
    else:
        lab.find("zero-grad-leaves-out-nodes", **quotes)


def _deeper(plan: Shape, levels: int) -> set[str]:
    """Nodes that are more than so many levels below the root on every way."""
    reached, level = {plan.top}, {plan.top}
    for _ in range(levels):
        level = {below for name in level for below in plan.operands[name]}
        reached |= level
    return plan.below() - reached
