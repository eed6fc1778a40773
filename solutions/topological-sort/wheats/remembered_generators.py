"""A stack of generators that ask each other for nodes: coroutines with send and yield."""


def visiting(node, visited):
    visited.add(node)
    for operand in node._prev:
        if operand not in visited:
            yield visiting(operand, visited)
    yield node


def run(first):
    stack = [first]
    while stack:
        for got in stack[-1]:
            if hasattr(got, "send"):
                stack.append(got)
                break
            yield got
        else:
            stack.pop()


def build_topo(v, visited, topo):
    if v not in visited:
        for node in run(visiting(v, visited)):
            topo.append(node)


def backward_order(root):
    return [*run(visiting(root, set()))][::-1]
