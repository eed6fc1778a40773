"""Topological sort of an expression graph: the order in which gradients can be passed on.

A node is any hashable object whose `_prev` holds its operands, which are nodes themselves.
"""

from typing import Any


def build_topo(v: Any, visited: set[Any], topo: list[Any]) -> None:
    """Append every node reachable from `v`, itself included, to `topo`: operands before users.

    "Reachable" means through `_prev`, any iterable of nodes, by any number of steps. No node is
    appended twice. `visited` holds the nodes seen so far (the nodes themselves): a node that is in it
    already is skipped, neither appended nor walked through, and every node you append is added to it.
    Both `visited` and `topo` belong to the caller and are changed in place; nothing is returned.
    """
    raise NotImplementedError("build_topo is not written yet")


def backward_order(root: Any) -> list[Any]:
    """List every node reachable from `root` once: `root` first, every node before its operands.

    This is the order in which `backward()` calls `_backward`. The list is a new one at every call.
    """
    raise NotImplementedError("backward_order is not written yet")
