"""Experiments on a second ``backward()``, with and without ``zero_grad()`` between, and from another result."""

from __future__ import annotations

from typing import Any

from autograder.bridge import LocalStudent, Student
from autograder.course.model import SecondBackward
from autograder.diagnosis.probes.reading import Lab, close
from autograder.diagnosis.probes.wired import Shape, Wired, Workshop, shape, workshop_for

PLAN = shape("again", "a b c d=ab e=dc f=ab g=ef h=ga")
LEAVES = ("a", "b", "c")


def after_two(plan: Shape, convention: SecondBackward) -> dict[str, float]:
    """Return the right gradients of the leaves after two calls."""
    grads = plan.gradients()
    start = (
        grads
        if convention == "interior kept"
        else {**dict.fromkeys(plan.operands, 0.0), **{n: grads[n] for n in LEAVES}}
    )
    total = {**start, plan.top: 1.0}
    for name in reversed([*plan.operands]):
        for operand in plan.operands[name]:
            total[operand] += total[name]
    return {name: total[name] for name in LEAVES}


def probe_again(lab: Lab, student: Student | LocalStudent) -> None:
    """Go through one graph twice, then through two graphs over the same leaves."""
    shop = workshop_for(lab, student, "backward")
    once = {name: PLAN.gradients()[name] for name in LEAVES}
    rights = [after_two(PLAN, convention) for convention in ("interior kept", "leaves accumulate")]
    with lab.experiment("twice"):
        graph = shop.wire(PLAN)
        graph.top.backward()
        graph.calls()
        graph.top.backward()
        calls, got = graph.calls()[0], _leaves(graph)
        same = [right for right in rights if _equal(got, right)]
        lab.note(
            "twice",
            "right" if same and len(calls) == len(PLAN.inner()) else "",
            *([] if same else got.values()),
            len(calls),
        )
        quotes = {
            "graph": PLAN.told(),
            "node": "a",
            "once": once["a"],
            "got": got["a"],
            "right": rights[0]["a"],
            "or": rights[1]["a"],
        }
        if not calls:
            lab.find("second-backward-does-nothing", **quotes)
        elif not same and _equal(got, once):
            lab.find("second-backward-forgets-the-first", **quotes)
        elif not same or len(calls) != len(PLAN.inner()):
            lab.find("second-backward-is-wrong", **quotes)
    if lab.trouble:
        lab.find("second-backward-raises", error=lab.trouble.kind)
        return
    _probe_two_roots(lab, shop)


def probe_between(lab: Lab, student: Student | LocalStudent) -> None:
    """Clear with ``zero_grad()`` between two calls."""
    shop = workshop_for(lab, student, "backward")
    once = {name: PLAN.gradients()[name] for name in LEAVES}
    with lab.experiment("zero_grad between"):
        graph = shop.wire(PLAN)
        graph.top.backward()
        graph.top.zero_grad()
        graph.calls()
        graph.top.backward()
        calls, got = graph.calls()[0], _leaves(graph)
        lab.note("zero_grad between", *got.values(), len(calls))
        if not _equal(got, once):
            lab.find("backward-after-zero-grad-is-wrong", node="a", got=got["a"], right=once["a"], graph=PLAN.told())
    if lab.trouble:
        lab.find("second-backward-raises", error=lab.trouble.kind)


TWO = shape("two", "a b c=ab d=ab e=cc f=dd", root="e")


def _probe_two_roots(lab: Lab, shop: Workshop) -> None:
    """Two results over the same leaves, with nothing else in common."""
    with lab.experiment("two results"):
        graph = shop.wire(TWO)
        graph.nodes["e"].backward()
        graph.nodes["f"].backward()
        got = graph.grads()
        lab.note("two results", got["a"], got["b"])
        if not (close(got["a"], 4.0) and close(got["b"], 4.0)) and not lab.findings:
            name = "another-result-forgets" if close(got["a"], 2.0) else "another-result-is-wrong"
            lab.find(name, node="a", got=got["a"], right=4.0, once=2.0, graph=TWO.told())
    if lab.trouble:
        lab.find("second-backward-raises", error=lab.trouble.kind)


def _leaves(graph: Wired) -> dict[str, Any]:
    grads = graph.grads()
    return {name: grads[name] for name in LEAVES}


def _equal(got: dict[str, Any], right: dict[str, float]) -> bool:
    return all(close(got[name], right[name]) for name in right)
