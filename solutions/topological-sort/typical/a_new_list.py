"""The list that was passed stays empty."""


def build_topo(v, visited, topo):
    if v in visited:
        return
    visited.add(v)
    for operand in v._prev:
        build_topo(operand, visited, topo)
    topo = topo + [v]


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
