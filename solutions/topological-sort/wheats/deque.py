"""Finished nodes are put on a deque from the left; `build_topo` walks operands from last to first."""

from collections import deque


def build_topo(v, visited, topo):
    if v in visited:
        return
    visited.add(v)
    for operand in reversed(list(v._prev)):
        build_topo(operand, visited, topo)
    topo.append(v)


def backward_order(root):
    order, seen = deque(), set()

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        for operand in node._prev:
            visit(operand)
        order.appendleft(node)

    visit(root)
    return list(order)
