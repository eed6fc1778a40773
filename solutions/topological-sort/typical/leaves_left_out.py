"""Leaves are not appended."""


def build_topo(v, visited, topo):
    if v in visited:
        return
    visited.add(v)
    for operand in v._prev:
        build_topo(operand, visited, topo)
    if v._prev:
        topo.append(v)


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
