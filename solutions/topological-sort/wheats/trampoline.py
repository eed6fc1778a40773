"""Continuation passing on a trampoline."""


def walk(node, seen, emit, then):
    if node in seen:
        return then
    seen.add(node)

    def go_on(rest):
        for operand in rest:
            return lambda: walk(operand, seen, emit, lambda: go_on(rest))
        emit(node)
        return then

    return lambda: go_on(iter(node._prev))


def build_topo(v, visited, topo):
    step = walk(v, visited, topo.append, None)
    while step:
        step = step()


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return list(reversed(topo))
