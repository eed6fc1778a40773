"""Find out in which graphs an engine finds the operands of a node: those wired by hand, or those made with ``+``."""

from recording_graph import RecordingGraph

from autograder.bridge import StudentError

LADDER = {"n0": "", "n1": "", **{f"n{i}": (f"n{i - 1}", f"n{i - 2}") for i in range(2, 12)}}
"""Each node over the two before it: there is one right order."""
LATE_USERS = {"x": "", "m": "x", "n": "xm", "o": "mn", "p": "no", "q": "pm", "r": "qn", "s": "ro"}
"""Likewise, and no order in which a walk comes upon its nodes is the right one."""
TRIAL_SHAPES = (LADDER, LATE_USERS, {name: below[::-1] for name, below in LATE_USERS.items()})


def finds_operands(student, Value, method, *, by_operators):
    """Return whether one of the engine's methods finds its way down graphs that are made in this way."""
    return all(_follows_graph(student, Value, method, shape, by_operators=by_operators) for shape in TRIAL_SHAPES)


def _follows_graph(student, Value, method, shape, *, by_operators):
    try:
        graph = RecordingGraph(student, Value, shape, by_operators=by_operators)
        *_, root = shape
        if method == "backward":
            graph[root].backward()
            return graph.calls == [name for name in reversed(shape) if shape[name]]
        graph.set_grads(7.0)
        graph[root].zero_grad()
        return set(graph.grads(shape)) == {0}
    except (StudentError, TypeError):
        return False
