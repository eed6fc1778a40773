"""Finished nodes are put at the front."""


def build_topo(v, visited, topo):
    if v in visited:
        return
    visited.add(v)
    for operand in v._prev:
        build_topo(operand, visited, topo)
    topo.insert(0, v)


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
