"""Experiments on ``build_topo`` and ``backward_order``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import LocalStudent, Student
from autograder.bridge.student import Container
from autograder.diagnosis.probes.reading import Lab
from autograder.diagnosis.probes.wired import Shape, ladder, shape, too_early, tree

SHAPES = (
    shape("leaf", "a"),
    shape("one", "a b c=ab"),
    shape("chain", "a b=a c=b d=c"),
    shape("shared leaf", "a b c=ab d=ca"),
    shape("diamond", "a b c=ab d=c e=c f=de"),
    shape("short and long", "a b c=ab d=c e=d f=ce"),
    shape("long and short below", "a b c=ab d=cb e=dc f=ea g=fc"),
    shape("twin", "a b=aa c=bb d=cc"),
    shape("three", "a b c d=abc e=dab"),
    shape("used elsewhere", "a b c=ab d=cb e=c f=e", root="d"),
    tree(3),
    ladder(10),
)
CONTAINERS: tuple[Container, ...] = ("tuple", "list", "set", "frozenset")


@dataclass(frozen=True, slots=True)
class Listed:
    """What a sort listed of one graph."""

    plan: Shape
    names: list[str]
    """``?`` for what is no node of this graph."""

    @property
    def missing(self) -> list[str]:
        """Nodes that are not there."""
        return sorted(self.plan.below().difference(self.names))

    @property
    def repeated(self) -> list[str]:
        """Nodes that are there more than once."""
        return sorted({name for name in self.names if self.names.count(name) > 1})

    @property
    def foreign(self) -> list[str]:
        """What does not belong there."""
        return sorted(set(self.names) - self.plan.below())

    def misplaced(self, *, users_first: bool) -> list[tuple[str, str]]:
        """Operands and users in the wrong order."""
        order = self.names if users_first else self.names[::-1]
        return sorted(too_early([*dict.fromkeys(order)], self.plan))

    def line(self, *, users_first: bool) -> str:
        """All of it that no legal choice changes."""
        wrong = " ".join(f"{one}<{user}" for one, user in self.misplaced(users_first=users_first))
        counts = " ".join(f"{name}*{self.names.count(name)}" for name in self.repeated)
        return f"missing {' '.join(self.missing)}; repeated {counts}; foreign {len(self.foreign)}; misplaced {wrong}"


class Nodes:
    """Nodes of one graph on the submission's side."""

    def __init__(self, student: Student | LocalStudent, plan: Shape, container: Container = "tuple") -> None:
        self.student, self.plan = student, plan
        self.names = [*plan.operands]
        operands = [[self.names.index(below) for below in plan.operands[name]] for name in self.names]
        self.made: Sequence[Any] = student.nodes(operands, container)

    def __getitem__(self, name: str) -> Any:
        return self.made[self.names.index(name)]

    def named(self, items: Any) -> list[str]:
        """Return the names of these nodes."""
        return [self.names[at] if at >= 0 else "?" for at in self.student.positions(items, self.made)]


def probe_build_topo(lab: Lab, student: Student | LocalStudent) -> None:
    """Sort graphs into lists of the caller's."""
    build = student.get("build_topo")
    found: list[Listed] = []
    visited: list[tuple[Shape, list[str]]] = []
    for plan in SHAPES:
        lines = []
        for one in (plan, plan.mirrored()):
            with lab.experiment(plan.name, one.told()):
                nodes = Nodes(student, one)
                seen, topo = student.set(), student.list()
                build(nodes[one.top], seen, topo)
                found.append(Listed(one, nodes.named(topo)))
                visited.append((one, sorted(nodes.named(seen))))
                lines.append(f"{found[-1].line(users_first=False)}; visited {' '.join(visited[-1][1])}")
            if lab.trouble:
                lab.find("sort-raises", what="`build_topo`", error=lab.trouble.kind, graph=one.told())
                if len(found) < 4:
                    return
                break
        lab.note(plan.name, *sorted(lines))
    _name_list(lab, found, "`build_topo`", users_first=False)
    if not lab.findings:
        _name_visited(lab, visited)
    if not lab.findings:
        _probe_seen(lab, student, build)
        _probe_containers(
            lab, student, lambda nodes, top: _built(student, build, nodes, top), "`build_topo`", users_first=False
        )
        _probe_filled(lab, student, build)


def _built(student: Any, build: Any, nodes: Nodes, top: Any) -> list[str]:
    topo = student.list()
    build(top, student.set(), topo)
    return nodes.named(topo)


def probe_backward_order(lab: Lab, student: Student | LocalStudent) -> None:
    """Ask for the order of graphs."""
    order = student.get("backward_order")
    found: list[Listed] = []
    for plan in SHAPES:
        lines = []
        for one in (plan, plan.mirrored()):
            with lab.experiment(plan.name, one.told()):
                nodes = Nodes(student, one)
                got = order(nodes[one.top])
                if got is None or isinstance(got, str | int | float):
                    lab.note(plan.name, got)
                    lab.find("order-is-no-list", got=got)
                    return
                len(got)
                found.append(Listed(one, nodes.named(got)))
                lines.append(found[-1].line(users_first=True))
            if lab.trouble:
                if "len()" in lab.trouble.said or "length" in lab.trouble.said:
                    lab.find("order-is-no-list", got="something that has no length")
                else:
                    lab.find("sort-raises", what="`backward_order`", error=lab.trouble.kind, graph=one.told())
                if len(found) < 4:
                    return
                break
        lab.note(plan.name, *sorted(lines))
    _name_list(lab, found, "`backward_order`", users_first=True)
    if not lab.findings:
        _probe_containers(
            lab, student, lambda nodes, top: nodes.named(order(top)), "`backward_order`", users_first=True
        )
        _probe_two_calls(lab, student, order)


def _name_list(lab: Lab, found: Sequence[Listed], what: str, *, users_first: bool) -> None:
    first = next((one for one in found if one.missing or one.repeated or one.foreign), None)
    if first is not None:
        _name_content(lab, found, what)
        return
    wrong = [one for one in found if one.misplaced(users_first=users_first)]
    if not wrong:
        return
    node, user = wrong[0].misplaced(users_first=users_first)[0]
    many = [one for one in found if len(one.plan.operands) > 1]
    turned = len(wrong) == len(many) and all(not one.misplaced(users_first=not users_first) for one in many)
    if turned:
        lab.find(
            "order-is-upside-down",
            what=what,
            graph=wrong[0].plan.told(),
            node=node,
            user=user,
            side="before" if not users_first else "after",
        )
    else:
        lab.find("order-is-wrong-in-places", what=what, graph=wrong[0].plan.told(), node=node, user=user)


def _name_content(lab: Lab, found: Sequence[Listed], what: str) -> None:
    missing = [one for one in found if one.missing]
    if missing:
        quotes = {"what": what, "graph": missing[0].plan.told(), "node": missing[0].missing[0]}
        if all(not one.names for one in found):
            lab.find("list-stays-empty", **quotes)
        elif all(set(one.missing) == one.plan.below() - one.plan.inner() for one in found):
            lab.find("leaves-are-not-listed", **quotes)
        elif all(one.missing == [one.plan.top] for one in found):
            lab.find("root-is-not-listed", **quotes)
        elif all(any(len(below) > 2 for below in one.plan.operands.values()) for one in missing):
            lab.find("third-operands-are-left-out", **quotes)
        else:
            lab.find("nodes-are-not-listed", **quotes)
    if repeated := next((one for one in found if one.repeated), None):
        lab.find("nodes-are-listed-again", what=what, graph=repeated.plan.told(), node=repeated.repeated[0])
    if foreign := next((one for one in found if one.foreign), None):
        lab.find("list-holds-other-things", what=what, graph=foreign.plan.told())


def _name_visited(lab: Lab, visited: Sequence[tuple[Shape, list[str]]]) -> None:
    for plan, names in visited:
        if names == sorted(plan.below()):
            continue
        lacking = sorted(plan.below().difference(names))
        if not names:
            lab.find("visited-stays-empty", graph=plan.told())
        elif "?" in names:
            lab.find("visited-holds-other-things", graph=plan.told())
        elif lacking:
            lab.find("visited-lacks-nodes", graph=plan.told(), node=lacking[0])
        return


def _probe_seen(lab: Lab, student: Student | LocalStudent, build: Any) -> None:
    """See whether a node that is in ``visited`` already is skipped, and nothing below it is walked through."""
    plan = shape("seen", "a b=a c=b d=c e=d")
    with lab.experiment("seen before"):
        nodes = Nodes(student, plan)
        topo = student.list()
        build(nodes["e"], student.set(nodes["c"]), topo)
        names = nodes.named(topo)
        lab.note("seen before", *sorted(names))
        if sorted(names) != ["d", "e"]:
            lab.find("visited-is-not-skipped", graph=plan.told(), got=" ".join(sorted(names)) or "nothing")
    with lab.experiment("root seen"):
        nodes = Nodes(student, plan)
        topo = student.list()
        build(nodes["e"], student.set(nodes["e"]), topo)
        names = nodes.named(topo)
        lab.note("root seen", *sorted(names))
        if names:
            lab.find("visited-root-is-not-skipped", graph=plan.told())
    with lab.experiment("two roots"):
        plan = shape("two roots", "a b c=ab d=ca e=cb")
        nodes = Nodes(student, plan)
        seen, topo = student.set(), student.list()
        build(nodes["d"], seen, topo)
        build(nodes["e"], seen, topo)
        names = nodes.named(topo)
        lab.note("two roots", *sorted(names))
        if sorted(names) != ["a", "b", "c", "d", "e"]:
            lab.find("second-call-does-not-go-on", graph=plan.told(), got=" ".join(names) or "nothing")


def _probe_filled(lab: Lab, student: Student | LocalStudent, build: Any) -> None:
    """See whether what is in the caller's list already stays."""
    with lab.experiment("filled list"):
        nodes = Nodes(student, shape("filled", "a b c=ab"))
        topo = student.list("kept")
        build(nodes["c"], student.set(), topo)
        lab.note("filled list", len(topo))
        if len(topo) != 4:
            lab.find("list-is-not-added-to", got=len(topo))
    if lab.trouble:
        lab.find("sort-raises", what="`build_topo`", error=lab.trouble.kind, graph="a list with something in it")


def _probe_containers(
    lab: Lab,
    student: Student | LocalStudent,
    listed: Callable[[Nodes, Any], list[str]],
    what: str,
    *,
    users_first: bool,
) -> None:
    plan = shape("in a container", "a b c=ab d=ca e=dc")
    for container in CONTAINERS[1:]:
        with lab.experiment(container):
            nodes = Nodes(student, plan, container)
            got = Listed(plan, listed(nodes, nodes[plan.top]))
            wrong = got.missing or got.repeated or got.foreign or got.misplaced(users_first=users_first)
            lab.note(container, "wrong" if wrong else "right")
            if wrong:
                lab.find("container-is-not-walked", what=what, container=container)
        if lab.trouble:
            lab.find("container-raises", what=what, container=container, error=lab.trouble.kind)


def _probe_two_calls(lab: Lab, student: Student | LocalStudent, order: Any) -> None:
    """Each call gives a list of its own."""
    with lab.experiment("two calls"):
        nodes = Nodes(student, shape("two calls", "a b c=ab d=ca"))
        first = student.kept(order, nodes["c"])
        second = nodes.named(order(nodes["d"]))
        again = nodes.named(order(nodes["d"]))
        kept = nodes.named(first)
        lab.note("two calls", *sorted(kept), "then", *sorted(second), "then", *sorted(again))
        if sorted(kept) != ["a", "b", "c"]:
            lab.find("earlier-list-changes", got=" ".join(kept) or "nothing")
        if sorted(second) != ["a", "b", "c", "d"] or sorted(again) != ["a", "b", "c", "d"]:
            lab.find(
                "second-order-is-wrong",
                got=" ".join(again if sorted(second) == list("abcd") else second) or "nothing",
            )
    if lab.trouble:
        lab.find("sort-raises", what="`backward_order`", error=lab.trouble.kind, graph="a second call")
