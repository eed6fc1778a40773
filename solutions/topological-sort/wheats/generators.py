"""A recursive generator of nodes, operands first; both functions only collect."""


def _operands_first(v, visited):
    if v in visited:
        return
    visited.add(v)
    for operand in v._prev:
        yield from _operands_first(operand, visited)
    yield v


def build_topo(v, visited, topo):
    topo.extend(_operands_first(v, visited))


def backward_order(root):
    return list(_operands_first(root, set()))[::-1]
