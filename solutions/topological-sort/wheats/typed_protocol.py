"""Annotated with a protocol for nodes, and with names of its own for the parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable


@runtime_checkable
class Node(Protocol):
    _prev: Iterable[Node]


def build_topo(node: Node, seen: set[Node], order: list[Node], /) -> None:
    if node in seen:
        return
    seen |= {node}
    for operand in [*node._prev]:
        build_topo(operand, seen, order)
    order += [node]


def backward_order(root: Node) -> list[Node]:
    order: list[Node] = []
    build_topo(root, set(), order)
    return sorted(order, key=order.index, reverse=True)
