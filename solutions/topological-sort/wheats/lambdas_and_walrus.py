"""Expressions throughout: lambdas, and assignments inside them."""

build_topo = lambda v, visited, topo: [
    (visited.add(v), [build_topo(operand, visited, topo) for operand in v._prev], topo.append(v))
    for _ in range(v not in visited)
].clear()

backward_order = lambda root: (build_topo(root, set(), topo := []), topo.reverse(), topo)[-1]
