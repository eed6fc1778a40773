"""A stack on which each node lies twice: to be entered, and to be left."""


def build_topo(v, visited, topo):
    stack = [(v, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            topo.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((operand, False) for operand in node._prev)


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    return topo[::-1]
