"""The standard library's graphlib does the sorting; visited nodes are left out of its graph."""

from graphlib import TopologicalSorter


def build_topo(v, visited, topo):
    if v in visited:
        return
    graph, waiting = {}, [v]
    while waiting:
        node = waiting.pop()
        if node not in graph:
            graph[node] = [operand for operand in node._prev if operand not in visited]
            waiting += graph[node]
    visited.update(graph)
    topo.extend(TopologicalSorter(graph).static_order())


def backward_order(root):
    topo = []
    build_topo(root, set(), topo)
    topo.reverse()
    return topo
