"""Operands are looked up in `visited` before the recursion goes to them, and the root once at the start."""


def build_topo(v, visited, topo):
    def visit(node):
        visited.add(node)
        for operand in node._prev:
            if operand not in visited:
                visit(operand)
        topo.append(node)

    if v not in visited:
        visit(v)


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return [topo[-1 - place] for place in range(len(topo))]
