"""Leaves are neither appended nor remembered."""


def build_topo(v, visited, topo):
    if not v._prev:
        return
    if v not in visited:
        visited.add(v)
        for operand in v._prev:
            build_topo(operand, visited, topo)
        topo.append(v)


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
