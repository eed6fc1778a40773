"""A class walks, with the caller's `visited` and `topo` as its attributes; the functions only call it."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Walk:
    visited: set[Any] = field(default_factory=set)
    topo: list[Any] = field(default_factory=list)

    def __call__(self, node: Any) -> "Walk":
        if node not in self.visited:
            self.visited.add(node)
            for operand in node._prev:
                self(operand)
            self.topo.append(node)
        return self


def build_topo(v, visited, topo):
    Walk(visited, topo)(v)


def backward_order(root):
    return Walk()(root).topo[::-1]
