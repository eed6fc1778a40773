"""Sorted by depth, which a recursive function with functools.cache works out."""
from functools import cache


def build_topo(v, visited, topo):
    if v in visited:
        return
    nodes = []

    @cache
    def depth(node):
        nodes.append(node)
        return 1 + max((depth(o) for o in node._prev if o not in visited), default=0)

    depth(v)
    nodes.sort(key=depth)
    topo.extend(nodes)
    visited.update(nodes)


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    topo.reverse()
    return topo
