"""Experiments on ``backward()``: which nodes it calls, in which order, and what it gives the root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.bridge import LocalStudent, Student
from autograder.diagnosis.probes.reading import Lab, canonical, close
from autograder.diagnosis.probes.wired import (
    EQUAL,
    FALLING,
    PLAIN,
    Shape,
    Workshop,
    both_ways,
    ladder,
    shape,
    too_early,
    tree,
    workshop_for,
)

SHAPES = (
    shape("one", "a b c=ab"),
    shape("chain", "a b=a c=b d=c"),
    shape("long chain", "a b=a c=b d=c e=d f=e g=f"),
    shape("shared leaf", "a b c=ab d=ca"),
    shape("diamond", "a b c=ab d=c e=c f=de"),
    shape("short and long", "a b c=ab d=c e=d f=ce"),
    shape("long and short below", "a b c=ab d=cb e=dc f=ea g=fc"),
    shape("twin", "a b=aa c=bb d=cc"),
    shape("two twins", "a b c=aa d=bb e=cd f=ee"),
    shape("equal diamond", "a b c=ab d=c e=c f=de", EQUAL),
    shape("equal", "a b c=ab d=ab e=cd", EQUAL),
    shape("falling", "a b c=ab d=cb e=dc f=ea g=fc", FALLING),
    shape("used elsewhere", "a b c=ab d=cb e=c f=e", root="d"),
    shape("seeded", "a b c=ab", seeded=5.0),
    tree(3),
    ladder(10),
)
LARGE = ladder(62)
"""Tried where no node is called twice: otherwise calls double with each rung."""
LEAF = shape("leaf", "a")


@dataclass(frozen=True, slots=True)
class Walk:
    """What one ``backward()`` did."""

    plan: Shape
    missing: tuple[str, ...]
    repeated: tuple[str, ...]
    early: tuple[tuple[str, str], ...]
    foreign: bool
    root: Any
    """The root's gradient afterwards."""
    grads: dict[str, Any]
    calls: list[str]

    @property
    def complete(self) -> bool:
        """Whether every node that has operands was called once."""
        return not (self.missing or self.repeated or self.foreign)

    def line(self) -> str:
        """All of it that no legal choice changes."""
        parts = [
            f"missing {' '.join(self.missing)}",
            f"repeated {' '.join(self.repeated)}",
            f"early {' '.join(f'{one}<{user}' for one, user in self.early)}",
            f"foreign {self.foreign}",
            f"root {canonical(self.root)}",
        ]
        if self.complete and not self.early:
            leaves = {name: grad for name, grad in self.grads.items() if not self.plan.operands.get(name)}
            parts.append(" ".join(f"{name} {canonical(grad)}" for name, grad in sorted(leaves.items())))
        return "; ".join(parts)


def probe_backward(lab: Lab, student: Student | LocalStudent) -> None:
    """Call ``backward()`` on graphs wired by hand, and on the mirror image of each."""
    shop = workshop_for(lab, student, "backward")
    walks: list[Walk] = []
    for plan, mirror in both_ways((*SHAPES, LARGE)):
        if plan is LARGE and any(walk.repeated for walk in walks):
            break
        lines = []
        for one in (plan, mirror):
            with lab.experiment(plan.name, one.told()):
                walks.append(_walk(shop, one))
                lines.append(walks[-1].line())
            if lab.trouble:
                lab.find("backward-raises", error=lab.trouble.kind, graph=one.told())
                if plan.name == "one":
                    return
                break
        lab.note(plan.name, *sorted(lines))
    with lab.experiment("leaf"):
        graph = shop.wire(LEAF)
        graph.top.backward()
        (grad,) = graph.grads().values()
        lab.note("leaf", grad)
    _name(lab, walks)
    if lab.trouble:
        lab.find("backward-of-a-leaf-raises", error=lab.trouble.kind)
    elif not close(grad, 1.0) and not any(finding.name.startswith("seed") for finding in lab.findings):
        lab.find("leaf-gets-no-seed", got=grad)


def _walk(shop: Workshop, plan: Shape) -> Walk:
    graph = shop.wire(plan)
    numbers = graph.data()
    graph.top.backward()
    calls, foreign = graph.calls()
    counts, inner, below = Counter(calls), plan.inner(), plan.below()
    grads = graph.grads()
    if graph.data() != numbers:
        grads["data"] = "changed"
    return Walk(
        plan,
        missing=tuple(sorted(inner - counts.keys())),
        repeated=tuple(f"{name}*{n}" for name, n in sorted(counts.items()) if n > 1),
        early=tuple(sorted(too_early([*dict.fromkeys(calls)], plan))),
        foreign=foreign or any(name not in below for name in calls),
        root=grads[plan.top],
        grads=grads,
        calls=calls,
    )


def _name(lab: Lab, walks: list[Walk]) -> None:
    """Say what was found in all walks; of what follows from something else, only the first cause."""
    _name_missing(lab, [walk for walk in walks if walk.missing], walks)
    if walk := _first(walks, lambda w: bool(w.repeated)):
        node, _, times = walk.repeated[0].partition("*")
        lab.find("nodes-called-again", graph=walk.plan.told(), node=node, times=times)
    if walk := _first(walks, lambda w: w.foreign):
        lab.find("other-graphs-called", graph=walk.plan.told())
    early = [walk for walk in walks if walk.early and walk.complete]
    if early and not lab.has("nodes-called-again"):
        upside_down = all(walk.calls[-1] == walk.plan.top for walk in early) and all(
            walk.early for walk in walks if walk.complete and len(walk.plan.inner()) > 1
        )
        node, user = early[0].early[0]
        name = "operands-before-users" if upside_down else "node-before-its-user"
        quotes = {"graph": early[0].plan.told(), "node": node, "user": user}
        if all(walk.plan.numbers != PLAIN for walk in early):
            name = "order-by-number"
        lab.find(name, **quotes)
    _name_seed(lab, walks)
    if not lab.findings:
        _name_rest(lab, walks)


def _name_missing(lab: Lab, missing: list[Walk], walks: list[Walk]) -> None:
    if not missing:
        return
    first = missing[0]
    quotes = {"graph": first.plan.told(), "node": first.missing[0]}
    if all(not walk.calls for walk in walks):
        lab.find("nothing-is-called", **quotes)
    elif all(walk.missing == (walk.plan.top,) for walk in walks):
        lab.find("root-is-not-called", **quotes)
    elif all([*dict.fromkeys(walk.calls)] == [walk.plan.top] for walk in walks):
        lab.find("only-the-root-is-called", **quotes)
    elif all(walk.plan.numbers == EQUAL for walk in missing):
        lab.find("equal-numbers-are-one", **quotes)
    elif all(len(walk.plan.operands) > 20 for walk in missing):
        lab.find("large-graphs-are-not-finished", **quotes)
    elif all(any(len(set(below)) < len(below) for below in walk.plan.operands.values()) for walk in missing):
        lab.find("stuck-at-twins", **quotes)
    elif all(walk.plan.name == "used elsewhere" for walk in missing):
        lab.find("waits-for-other-users", **quotes)
    elif all(set(walk.missing) == _off_side(walk.plan, 0) for walk in walks):
        lab.find("only-one-operand-followed", **quotes, side="first")
    elif all(set(walk.missing) == _off_side(walk.plan, -1) for walk in walks):
        lab.find("only-one-operand-followed", **quotes, side="last")
    else:
        lab.find("nodes-left-out", **quotes)


def _off_side(plan: Shape, side: int) -> set[str]:
    """Inner nodes that cannot be reached by first operands (0) or last operands (-1) alone."""
    reached, name = set[str](), plan.top
    while name not in reached:
        reached.add(name)
        below = plan.operands[name]
        name = below[side] if below else name
    return plan.inner() - reached


def _name_seed(lab: Lab, walks: list[Walk]) -> None:
    by_name = {walk.plan.name: walk for walk in walks}
    one, seeded = by_name.get("one"), by_name.get("seeded")
    if one is None or one.missing or one.repeated:
        if one is not None and not close(one.root, 1.0) and not close(one.root, 0.0):
            lab.find("seed-is-wrong", got=one.root)
        elif one is not None and not close(one.root, 1.0):
            lab.find("seed-is-missing", got=one.root)
        return
    passed = one.grads["a"]
    if close(passed, 1.0) and close(one.root, 1.0):
        if seeded is None or not seeded.complete or close(seeded.root, 1.0):
            return
        if close(seeded.root, 6.0):
            lab.find("seed-is-added", got=seeded.root)
        elif close(seeded.root, 5.0):
            lab.find("seed-only-without-gradient", got=seeded.root)
        else:
            lab.find("seed-depends-on-before", got=seeded.root)
    elif close(passed, 0.0) and close(one.root, 1.0):
        lab.find("seed-comes-late", got=passed)
    elif close(one.root, 0.0) and close(passed, 0.0):
        lab.find("seed-is-missing", got=one.root)
    elif close(passed, 1.0):
        lab.find("root-loses-its-gradient", got=one.root)
    else:
        lab.find("seed-is-wrong", got=passed)


def _name_rest(lab: Lab, walks: list[Walk]) -> None:
    for walk in walks:
        right = walk.plan.gradients()
        for name, grad in walk.grads.items():
            if name == "data":
                lab.find("backward-changes-data", graph=walk.plan.told())
            elif not close(grad, right[name]) and not (walk.plan.operands[name] and close(grad, 0.0)):
                lab.find("gradients-beside", graph=walk.plan.told(), node=name, got=grad, right=right[name])


def _first(walks: list[Walk], holds: Callable[[Walk], bool]) -> Walk | None:
    return next((walk for walk in walks if holds(walk)), None)
