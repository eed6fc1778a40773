"""Nothing is remembered."""


def build_topo(v, visited, topo):
    for operand in v._prev:
        build_topo(operand, visited, topo)
    topo.append(v)


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
