"""Depth-first search, as in the exercise on topological sort."""


def operands_first(root):
    order = []
    visited = set()

    def visit(node):
        if node in visited:
            return
        visited.add(node)
        for operand in node._prev:
            visit(operand)
        order.append(node)

    visit(root)
    return order
