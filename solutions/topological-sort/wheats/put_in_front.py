"""`backward_order` has a walk of its own that puts finished nodes in front."""


def build_topo(v, visited, topo):
    if v not in visited:
        visited.add(v)
        for operand in v._prev:
            build_topo(operand, visited, topo)
        topo.append(v)


def backward_order(root):
    order, seen = [], set()

    def visit(node):
        seen.add(node)
        for operand in node._prev:
            if operand not in seen:
                visit(operand)
        order.insert(0, node)

    visit(root)
    return order
