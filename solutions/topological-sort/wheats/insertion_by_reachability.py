"""Insertion sort: a node goes before the first one that can be reached from it."""


def below(v, leave_out):
    found, todo = {}, [v]
    while todo:
        node = todo.pop()
        if node not in found and node not in leave_out:
            found[node] = list(node._prev)
            todo += found[node]
    return found


def backward_order(root, leave_out=frozenset()):
    edges = below(root, leave_out)
    reach = {}
    for node in edges:
        seen, todo = set(), [node]
        while todo:
            for operand in edges.get(todo.pop(), ()):
                if operand in edges and operand not in seen:
                    seen.add(operand)
                    todo.append(operand)
        reach[node] = seen
    order = []
    for node in edges:
        place = next((i for i, other in enumerate(order) if other in reach[node]), len(order))
        order.insert(place, node)
    return sorted(edges, key=lambda node: -len(reach[node]))


def build_topo(v, visited, topo):
    if v in visited:
        return
    order = backward_order(v, visited)
    topo.extend(order[::-1])
    visited.update(order)
