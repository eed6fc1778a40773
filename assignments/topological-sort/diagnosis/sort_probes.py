"""Experiments on ``build_topo`` and ``backward_order``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import StudentProxy
from autograder.bridge.student_proxy import Container
from autograder.diagnosis.graph_shapes import (
    GraphShape,
    list_misordered_pairs,
    make_binary_tree_shape,
    make_fibonacci_shape,
    parse_graph_shape,
)
from autograder.diagnosis.part_experiment_log import PartExperimentLog

SHAPES = (
    parse_graph_shape("leaf", "a"),
    parse_graph_shape("one", "a b c=ab"),
    parse_graph_shape("chain", "a b=a c=b d=c"),
    parse_graph_shape("shared leaf", "a b c=ab d=ca"),
    parse_graph_shape("diamond", "a b c=ab d=c e=c f=de"),
    parse_graph_shape("short and long", "a b c=ab d=c e=d f=ce"),
    parse_graph_shape("long and short below", "a b c=ab d=cb e=dc f=ea g=fc"),
    parse_graph_shape("twin", "a b=aa c=bb d=cc"),
    parse_graph_shape("three", "a b c d=abc e=dab"),
    parse_graph_shape("used elsewhere", "a b c=ab d=cb e=c f=e", root="d"),
    make_binary_tree_shape(3),
    make_fibonacci_shape(10),
)
CONTAINERS: tuple[Container, ...] = ("tuple", "list", "set", "frozenset")


@dataclass(frozen=True, slots=True)
class SortedNodes:
    """What a sort listed of one graph."""

    plan: GraphShape
    names: list[str]
    """``?`` for what is no node of this graph."""

    @property
    def missing_nodes(self) -> list[str]:
        """Return the nodes that are not there."""
        return sorted(self.plan.get_reachable_names().difference(self.names))

    @property
    def repeated_nodes(self) -> list[str]:
        """Return the nodes that are there more than once."""
        return sorted({name for name in self.names if self.names.count(name) > 1})

    @property
    def foreign_items(self) -> list[str]:
        """Return what does not belong there."""
        return sorted(set(self.names) - self.plan.get_reachable_names())

    def find_misplaced_pairs(self, *, users_first: bool) -> list[tuple[str, str]]:
        """Return the pairs of an operand and its user that stand in the wrong order."""
        order = self.names if users_first else self.names[::-1]
        return sorted(list_misordered_pairs([*dict.fromkeys(order)], self.plan))

    def summarize(self, *, users_first: bool) -> str:
        """Return all of it that no legal choice changes, as text that can be compared."""
        wrong = " ".join(f"{one}<{user}" for one, user in self.find_misplaced_pairs(users_first=users_first))
        counts = " ".join(f"{name}*{self.names.count(name)}" for name in self.repeated_nodes)
        missing, foreign = " ".join(self.missing_nodes), len(self.foreign_items)
        return f"missing {missing}; repeated {counts}; foreign {foreign}; misplaced {wrong}"


class GraphNodes:
    """Nodes of one graph on the submission's side."""

    def __init__(self, student: StudentProxy, plan: GraphShape, container: Container = "tuple") -> None:
        self.student, self.plan = student, plan
        self.names = [*plan.operands]
        operands = [[self.names.index(below) for below in plan.operands[name]] for name in self.names]
        self.made: Sequence[Any] = student.make_plain_nodes(operands, container)

    def __getitem__(self, name: str) -> Any:
        return self.made[self.names.index(name)]

    def list_names(self, items: Any) -> list[str]:
        """Return the names of these nodes."""
        return [self.names[at] if at >= 0 else "?" for at in self.student.find_positions(items, self.made)]


def probe_build_topo(log: PartExperimentLog, student: StudentProxy) -> None:
    """Sort graphs into lists of the caller's."""
    build = student.get("build_topo")
    found: list[SortedNodes] = []
    visited: list[tuple[GraphShape, list[str]]] = []
    for plan in SHAPES:
        lines = []
        for one in (plan, plan.make_mirror_image()):
            with log.catch_failure(plan.name, one.describe()):
                nodes = GraphNodes(student, one)
                seen, topo = student.make_set(), student.make_list()
                build(nodes[one.root_name], seen, topo)
                found.append(SortedNodes(one, nodes.list_names(topo)))
                visited.append((one, sorted(nodes.list_names(seen))))
                lines.append(f"{found[-1].summarize(users_first=False)}; visited {' '.join(visited[-1][1])}")
            if log.last_failure:
                log.add_finding(
                    "sort-raises", what="`build_topo`", error=log.last_failure.exception_name, graph=one.describe()
                )
                if len(found) < 4:
                    return
                break
        log.record_readings(plan.name, *sorted(lines))
    _name_list(log, found, "`build_topo`", users_first=False)
    if not log.findings:
        _name_visited(log, visited)
    if not log.findings:
        _probe_seen(log, student, build)
        _probe_containers(
            log, student, lambda nodes, top: _built(student, build, nodes, top), "`build_topo`", users_first=False
        )
        _probe_filled(log, student, build)


def _built(student: Any, build: Any, nodes: GraphNodes, top: Any) -> list[str]:
    topo = student.make_list()
    build(top, student.make_set(), topo)
    return nodes.list_names(topo)


def probe_backward_order(log: PartExperimentLog, student: StudentProxy) -> None:
    """Ask for the order of graphs."""
    order = student.get("backward_order")
    found: list[SortedNodes] = []
    for plan in SHAPES:
        lines = []
        for one in (plan, plan.make_mirror_image()):
            with log.catch_failure(plan.name, one.describe()):
                nodes = GraphNodes(student, one)
                got = order(nodes[one.root_name])
                if got is None or isinstance(got, str | int | float):
                    log.record_readings(plan.name, got)
                    log.add_finding("order-is-no-list", got=got)
                    return
                len(got)
                found.append(SortedNodes(one, nodes.list_names(got)))
                lines.append(found[-1].summarize(users_first=True))
            if log.last_failure:
                if "len()" in log.last_failure.message or "length" in log.last_failure.message:
                    log.add_finding("order-is-no-list", got="something that has no length")
                else:
                    log.add_finding(
                        "sort-raises",
                        what="`backward_order`",
                        error=log.last_failure.exception_name,
                        graph=one.describe(),
                    )
                if len(found) < 4:
                    return
                break
        log.record_readings(plan.name, *sorted(lines))
    _name_list(log, found, "`backward_order`", users_first=True)
    if not log.findings:
        _probe_containers(
            log, student, lambda nodes, top: nodes.list_names(order(top)), "`backward_order`", users_first=True
        )
        _probe_two_calls(log, student, order)


def _name_list(log: PartExperimentLog, found: Sequence[SortedNodes], what: str, *, users_first: bool) -> None:
    first = next((one for one in found if one.missing_nodes or one.repeated_nodes or one.foreign_items), None)
    if first is not None:
        _name_content(log, found, what)
        return
    wrong = [one for one in found if one.find_misplaced_pairs(users_first=users_first)]
    if not wrong:
        return
    node, user = wrong[0].find_misplaced_pairs(users_first=users_first)[0]
    many = [one for one in found if len(one.plan.operands) > 1]
    turned = len(wrong) == len(many) and all(
        not one.find_misplaced_pairs(users_first=not users_first) for one in many
    )
    if turned:
        log.add_finding(
            "order-is-upside-down",
            what=what,
            graph=wrong[0].plan.describe(),
            node=node,
            user=user,
            side="before" if not users_first else "after",
        )
    else:
        log.add_finding("order-is-wrong-in-places", what=what, graph=wrong[0].plan.describe(), node=node, user=user)


def _name_content(log: PartExperimentLog, found: Sequence[SortedNodes], what: str) -> None:
    missing = [one for one in found if one.missing_nodes]
    if missing:
        quotes = {"what": what, "graph": missing[0].plan.describe(), "node": missing[0].missing_nodes[0]}
        if all(not one.names for one in found):
            log.add_finding("list-stays-empty", **quotes)
        elif all(
            set(one.missing_nodes) == one.plan.get_reachable_names() - one.plan.get_nonleaf_names() for one in found
        ):
            log.add_finding("leaves-are-not-listed", **quotes)
        elif all(one.missing_nodes == [one.plan.root_name] for one in found):
            log.add_finding("root-is-not-listed", **quotes)
        elif all(any(len(below) > 2 for below in one.plan.operands.values()) for one in missing):
            log.add_finding("third-operands-are-left-out", **quotes)
        else:
            log.add_finding("nodes-are-not-listed", **quotes)
    if repeated := next((one for one in found if one.repeated_nodes), None):
        log.add_finding(
            "nodes-are-listed-again", what=what, graph=repeated.plan.describe(), node=repeated.repeated_nodes[0]
        )
    if foreign := next((one for one in found if one.foreign_items), None):
        log.add_finding("list-holds-other-things", what=what, graph=foreign.plan.describe())


def _name_visited(log: PartExperimentLog, visited: Sequence[tuple[GraphShape, list[str]]]) -> None:
    for plan, names in visited:
        if names == sorted(plan.get_reachable_names()):
            continue
        lacking = sorted(plan.get_reachable_names().difference(names))
        if not any(held for _, held in visited):
            log.add_finding("visited-stays-empty", graph=plan.describe())
        elif "?" in names:
            log.add_finding("visited-holds-other-things", graph=plan.describe())
        elif lacking:
            log.add_finding("visited-lacks-nodes", graph=plan.describe(), node=lacking[0])
        return


def _probe_seen(log: PartExperimentLog, student: StudentProxy, build: Any) -> None:
    """See whether a node that is in ``visited`` already is skipped, and nothing below it is walked through."""
    plan = parse_graph_shape("seen", "a b=a c=b d=c e=d")
    with log.catch_failure("seen before"):
        nodes = GraphNodes(student, plan)
        topo = student.make_list()
        build(nodes["e"], student.make_set(nodes["c"]), topo)
        names = nodes.list_names(topo)
        log.record_readings("seen before", *sorted(names))
        if set(names) - {"d", "e"} or len(names) > len(set(names)):
            log.add_finding("visited-is-not-skipped", graph=plan.describe(), got=" ".join(sorted(names)))
        elif missing := sorted({"d", "e"}.difference(names)):
            log.add_finding("nodes-beside-visited-are-left-out", graph=plan.describe(), node=missing[0])
    with log.catch_failure("seen beside another way"):
        beside = parse_graph_shape("seen beside another way", "a b c=ab d=ab e=cd")
        nodes = GraphNodes(student, beside)
        seen, topo = student.make_set(nodes["c"]), student.make_list()
        build(nodes["e"], seen, topo)
        names, held = nodes.list_names(topo), nodes.list_names(seen)
        log.record_readings("seen beside another way", *sorted(names), "visited", *sorted(held))
        if missing := sorted(set("abde").difference(names)):
            log.add_finding("nodes-beside-visited-are-left-out", graph=beside.describe(), node=missing[0])
        elif "c" not in held:
            log.add_finding("visited-loses-nodes", graph=beside.describe())
    with log.catch_failure("root seen"):
        nodes = GraphNodes(student, plan)
        topo = student.make_list()
        build(nodes["e"], student.make_set(nodes["e"]), topo)
        names = nodes.list_names(topo)
        log.record_readings("root seen", *sorted(names))
        if names:
            log.add_finding("visited-root-is-not-skipped", graph=plan.describe())
    with log.catch_failure("two roots"):
        plan = parse_graph_shape("two roots", "a b c=ab d=ca e=cb")
        nodes = GraphNodes(student, plan)
        seen, topo = student.make_set(), student.make_list()
        build(nodes["d"], seen, topo)
        build(nodes["e"], seen, topo)
        names = nodes.list_names(topo)
        log.record_readings("two roots", *sorted(names))
        if sorted(names) != ["a", "b", "c", "d", "e"]:
            log.add_finding("second-call-does-not-go-on", graph=plan.describe(), got=" ".join(names) or "nothing")


def _probe_filled(log: PartExperimentLog, student: StudentProxy, build: Any) -> None:
    """See whether what is in the caller's list already stays."""
    with log.catch_failure("filled list"):
        nodes = GraphNodes(student, parse_graph_shape("filled", "a b c=ab"))
        topo = student.make_list("kept")
        build(nodes["c"], student.make_set(), topo)
        log.record_readings("filled list", len(topo))
        if len(topo) != 4:
            log.add_finding("list-is-not-added-to", got=len(topo))
    if log.last_failure:
        log.add_finding(
            "sort-raises",
            what="`build_topo`",
            error=log.last_failure.exception_name,
            graph="a list with something in it",
        )


def _probe_containers(
    log: PartExperimentLog,
    student: StudentProxy,
    listed: Callable[[GraphNodes, Any], list[str]],
    what: str,
    *,
    users_first: bool,
) -> None:
    plan = parse_graph_shape("in a container", "a b c=ab d=ca e=dc")
    for container in CONTAINERS[1:]:
        with log.catch_failure(container):
            nodes = GraphNodes(student, plan, container)
            got = SortedNodes(plan, listed(nodes, nodes[plan.root_name]))
            wrong = (
                got.missing_nodes
                or got.repeated_nodes
                or got.foreign_items
                or got.find_misplaced_pairs(users_first=users_first)
            )
            log.record_readings(container, "wrong" if wrong else "right")
            if wrong:
                log.add_finding("container-is-not-walked", what=what, container=container)
        if log.last_failure:
            log.add_finding("container-raises", what=what, container=container, error=log.last_failure.exception_name)


def _probe_two_calls(log: PartExperimentLog, student: StudentProxy, order: Any) -> None:
    """Each call gives a list of its own."""
    with log.catch_failure("two calls"):
        nodes = GraphNodes(student, parse_graph_shape("two calls", "a b c=ab d=ca"))
        first = student.call_and_keep_result(order, nodes["c"])
        second = nodes.list_names(order(nodes["d"]))
        again = nodes.list_names(order(nodes["d"]))
        kept = nodes.list_names(first)
        log.record_readings("two calls", *sorted(kept), "then", *sorted(second), "then", *sorted(again))
        if sorted(kept) != ["a", "b", "c"]:
            log.add_finding("earlier-list-changes", got=" ".join(kept) or "nothing")
        if sorted(second) != ["a", "b", "c", "d"] or sorted(again) != ["a", "b", "c", "d"]:
            log.add_finding(
                "second-order-is-wrong",
                got=" ".join(again if sorted(second) == list("abcd") else second) or "nothing",
            )
    if log.last_failure:
        log.add_finding(
            "sort-raises", what="`backward_order`", error=log.last_failure.exception_name, graph="a second call"
        )
