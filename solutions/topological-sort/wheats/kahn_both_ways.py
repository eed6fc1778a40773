"""Kahn's algorithm: `backward_order` counts uses and starts at the root, `build_topo` turns its order around."""


def _users_first(root, skipped):
    uses, waiting = {root: 0}, [root]
    while waiting:
        for operand in waiting.pop()._prev:
            if operand in skipped:
                continue
            if operand not in uses:
                uses[operand] = 0
                waiting.append(operand)
            uses[operand] += 1
    order, ready = [], [root]
    while ready:
        node = ready.pop()
        order.append(node)
        for operand in node._prev:
            if operand in uses:
                uses[operand] -= 1
                if uses[operand] == 0:
                    ready.append(operand)
    return order


def build_topo(v, visited, topo):
    if v in visited:
        return
    order = _users_first(v, visited)
    visited |= set(order)
    topo += reversed(order)


def backward_order(root):
    return _users_first(root, ())
