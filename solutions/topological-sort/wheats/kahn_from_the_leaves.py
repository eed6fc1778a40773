"""Kahn's algorithm from below: a node is ready when all its operands are in the list."""

from collections import defaultdict, deque


def build_topo(v, visited, topo):
    if v in visited:
        return
    users, missing = defaultdict(list), {}
    waiting = [v]
    while waiting:
        node = waiting.pop()
        if node in missing:
            continue
        operands = {operand for operand in node._prev if operand not in visited}
        missing[node] = len(operands)
        for operand in operands:
            users[operand].append(node)
            waiting.append(operand)
    ready = deque(node for node, number in missing.items() if number == 0)
    while ready:
        node = ready.popleft()
        topo.append(node)
        for user in users[node]:
            missing[user] -= 1
            if missing[user] == 0:
                ready.append(user)
    visited.update(missing)


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
