"""Levels by relaxation, until nothing changes any more."""


def levels(root, skip):
    level, changed = {root: 0}, True
    while changed:
        changed = False
        for node in list(level):
            for operand in node._prev:
                if operand not in skip and level.get(operand, -1) <= level[node]:
                    level[operand] = level[node] + 1
                    changed = True
    return sorted(level, key=level.__getitem__)


def build_topo(v, visited, topo):
    if v not in visited:
        nodes = levels(v, visited)
        topo.extend(nodes[::-1])
        visited.update(nodes)


def backward_order(root):
    return levels(root, set())
