"""A visitor object with three methods a node, as in compilers."""


class Sorter:
    def __init__(self, seen, out):
        self.seen, self.out = seen, out

    def visit(self, node):
        if node not in self.seen:
            self.seen.add(node)
            self.visit_operands(node)
            self.out.append(node)

    def visit_operands(self, node):
        for operand in node._prev:
            self.visit(operand)


def build_topo(v, visited, topo):
    Sorter(visited, topo).visit(v)


def backward_order(root):
    order = []
    Sorter(set(), order).visit(root)
    return order[::-1]
