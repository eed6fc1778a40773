"""Draws the graph that a test was looking at when it failed: every node with its data and its gradient.

It draws what your engine holds: the test's own variables, and what lies below them in `_prev`. The node that the test
complains about is marked, and arrows go from each node to those it was made from, as gradients do.
"""

import re
import traceback
from html import escape
from pathlib import Path

MOST_NODES = 12
WIDTH, LINE, GAP_ACROSS, GAP_DOWN = 124, 17, 18, 34
BACKGROUND = "var(--jp-layout-color0, var(--vscode-editor-background, Canvas))"  # of the notebook, light or dark
ONE = re.compile(r"\b([A-Za-z_]\w*)\.(data|grad) is (\S+?),? expected:? (-?[\w.]*\w)")
SEVERAL = re.compile(
    r"\b(gradient|number)s of (\w+(?:, \w+)*) are \(([^()]*)\)[^()]*, expected \(([^()]*)\)([^()]* or \([^()]*\))?"
)


def draw_graph_of_failed_test(error):
    """Return the graph of a failed test as (SVG, the same in words); None where there is no graph to draw."""
    try:
        message, variables = str(error), _variables_of_the_test(error)
        names = _names_of_nodes(message, variables)
        nodes, edges = _graph([node for _, node in names])
        if not edges or len(nodes) > MOST_NODES:
            return None
        expected = _complaints(message)
        return _draw([_lines(node, _name(node, names), expected) for node in nodes], edges)
    except Exception:  # the engine may be broken in any way; the message has said what is wrong
        return None


def _variables_of_the_test(error):
    """Return the variables of the innermost function that stands in a test file."""
    found = {}
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if Path(frame.f_code.co_filename).name.startswith("test_"):
            found = dict(frame.f_locals)
    return found


def _names_of_nodes(message, variables):
    """Return pairs of name and node: variables, what is in a dict, and in a tuple whose names a message lists."""
    pairs = [*variables.items()]
    for value in variables.values():
        if isinstance(value, dict):
            pairs += value.items()
    for _, names, *_ in SEVERAL.findall(message):
        listed = [name.strip() for name in names.split(",")]
        for value in variables.values():
            if isinstance(value, (tuple, list)) and len(value) == len(listed):
                pairs += zip(listed, value, strict=True)
    return [(str(name), node) for name, node in pairs if hasattr(node, "_prev")]


def _graph(starts):
    """Return the nodes, each before those it was made from, and the edges as pairs of places."""
    order, seen = [], set()

    def visit(node):
        if id(node) not in seen and len(seen) <= 2 * MOST_NODES:
            seen.add(id(node))
            for operand in node._prev:
                visit(operand)
            order.append(node)

    for node in starts:
        visit(node)
    nodes = order[::-1]
    places = {id(node): place for place, node in enumerate(nodes)}
    return nodes, [(place, places[id(one)]) for place, node in enumerate(nodes) for one in node._prev]


def _name(node, names):
    return min((name for name, one in names if one is node), key=len, default=getattr(node, "name", ""))


def _complaints(message):
    """Return what a message expects: {(name, attribute): expected}."""
    found = {(name, attribute): right for name, attribute, _, right in ONE.findall(message)}
    for kind, *columns, other in SEVERAL.findall(message):
        if not other:  # else several are right, and the message says when
            rows = zip(*([one.strip() for one in text.split(",")] for text in columns), strict=True)
            attribute = "grad" if kind == "gradient" else "data"
            found.update({(name, attribute): right for name, got, right in rows if got != right})
    return found


def _lines(node, name, expected):
    """Return what is written in a node: its name, then (text, whether it is wrong)."""
    operation = getattr(node, "_op", "")
    heading = f"{name} ({operation})".strip() if operation else name or "·"
    lines = []
    for attribute in ("data", "grad"):
        if hasattr(node, attribute):
            value = getattr(node, attribute)
            wrong = (name, attribute) in expected
            lines.append((f"{attribute} {_short(value)}" + (" ✗" if wrong else ""), wrong))
            if wrong:
                lines.append((f"should be {_short(expected[name, attribute])}", True))
    return heading[:16], [(text[:17], wrong) for text, wrong in lines]


def _short(value):
    try:
        return f"{float(value):.6g}"
    except (TypeError, ValueError, OverflowError):
        return str(value)


def _rows(count, edges):
    """Return the nodes row by row: each below everything that uses it."""
    depth = [0] * count
    for user, used in sorted(edges):  # users come first
        depth[used] = max(depth[used], depth[user] + 1)
    return [[node for node in range(count) if depth[node] == row] for row in range(max(depth) + 1)]


def _draw(nodes, edges):
    rows = _rows(len(nodes), edges)
    width = max(len(row) for row in rows) * (WIDTH + GAP_ACROSS)
    boxes, top = {}, 4
    for row in rows:
        height = max(len(nodes[node][1]) for node in row) * LINE + LINE + 14
        for place, node in enumerate(row):
            left = (width - len(row) * (WIDTH + GAP_ACROSS) + GAP_ACROSS) / 2 + place * (WIDTH + GAP_ACROSS)
            boxes[node] = left, top, (len(nodes[node][1]) + 1) * LINE + 14
        top += height + GAP_DOWN
    words = "; ".join(
        f"{heading}: {', '.join(text for text, _ in lines)}" if lines else heading for heading, lines in nodes
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:g}" height="{top - GAP_DOWN + 6:g}" '
        f'viewBox="0 0 {width:g} {top - GAP_DOWN + 6:g}" font-family="monospace" font-size="12" fill="currentColor" '
        f'style="max-width: 100%; height: auto"><title>The graph of the test</title><desc>{escape(words)}</desc>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    for user, used in edges:
        parts.append(_arrow(boxes[user], boxes[used], edges.count((user, used)), len(parts)))
    parts += [_box(*boxes[node], *nodes[node]) for node in range(len(nodes))]
    return "".join(parts) + "</svg>", words


def _arrow(start, end, uses, number):
    shift = (number % 2 - 0.5) * 14 if uses > 1 else 0
    aside = max(-36, min(36, (end[0] - start[0]) / 4))
    x, y = start[0] + WIDTH / 2 + shift + aside, start[1] + start[2]
    to_x, to_y = end[0] + WIDTH / 2 + shift - aside, end[1]
    middle = (y + to_y) / 2
    path = f"M{x:g} {y:g}C{x:g} {middle:g} {to_x:g} {middle:g} {to_x:g} {to_y:g}"
    return f'<path d="{path}" fill="none" stroke="currentColor" opacity=".6" marker-end="url(#tip)"/>'


def _box(left, top, height, heading, lines):
    thick = 3 if any(wrong for _, wrong in lines) else 1
    rows = ""
    for row, (text, bold) in enumerate([(heading, True), *lines]):
        weight = "bold" if bold else "normal"
        place = f'x="{left + 9:g}" y="{top + 6 + LINE * (row + 0.8):g}"'
        rows += f'<text {place} font-weight="{weight}">{escape(text)}</text>'
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{WIDTH}" height="{height:g}" rx="7" stroke="currentColor" '
        f'stroke-width="{thick}" style="fill: {BACKGROUND}"/>{rows}'
    )
