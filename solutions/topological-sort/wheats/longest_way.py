"""Nodes are ordered by their longest way down to a leaf, worked out with a stack."""


def _heights(root, skipped):
    height, stack = {}, [root]
    while stack:
        node = stack[-1]
        operands = [operand for operand in node._prev if operand not in skipped]
        unknown = [operand for operand in operands if operand not in height]
        if unknown:
            stack += unknown
        else:
            height[node] = 1 + max((height[operand] for operand in operands), default=0)
            stack.pop()
    return height


def build_topo(v, visited, topo):
    if v in visited:
        return
    height = _heights(v, visited)
    topo.extend(sorted(height, key=height.get))
    visited.update(height)


def backward_order(root):
    height = _heights(root, ())
    return sorted(height, key=height.get, reverse=True)
