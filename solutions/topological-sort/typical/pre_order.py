"""A node is appended before its operands."""


def build_topo(v, visited, topo):
    if v in visited:
        return
    visited.add(v)
    topo.append(v)
    for operand in v._prev:
        build_topo(operand, visited, topo)


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
