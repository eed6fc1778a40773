"""Line charts as SVG, one below the other: the few lines that the benchmarks draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, ABOVE, BELOW = 720, 150, 60, 130, 34, 26
COLOURS = ("#0b6e99", "#c4541c", "#5b7f2b", "#7a4fa3")
STYLE = (
    "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.grid{stroke:#ddd}.line{fill:none;stroke-width:1.5}"
)


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart.

    Attributes:
        title: what is shown, and its unit.
        lines: a name and (x, y) points for each.
    """

    title: str
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]]


def svg(panels: Sequence[Panel], below: str) -> str:
    """Draw the charts as one picture; every scale starts at zero.

    Args:
        panels: from top to bottom; each has a point at least.
        below: what the x axis counts.
    """
    whole = ABOVE + HEIGHT + BELOW
    drawn = [f'<g transform="translate(0 {number * whole})">{_panel(one)}</g>' for number, one in enumerate(panels)]
    height = len(panels) * whole + 20
    words = _text((LEFT + WIDTH - RIGHT) / 2, height - 6, below, "middle")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="white"/>{"".join(drawn)}{words}</svg>\n'
    )


def _panel(panel: Panel) -> str:
    points = [point for _, line in panel.lines for point in line]
    most_x = max(x for x, _ in points) or 1.0
    step_y = _step(max(y for _, y in points))
    most_y = step_y * math.ceil(max(y for _, y in points) / step_y) or step_y
    across, up = (WIDTH - LEFT - RIGHT) / most_x, HEIGHT / most_y
    floor = ABOVE + HEIGHT
    parts = [_text(LEFT, ABOVE - 14, panel.title, "start", "title")]
    for mark in _marks(step_y, most_y):
        y = floor - mark * up
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{mark:g}", "end"))
    parts += [
        _text(LEFT + mark * across, floor + 16, f"{mark:,.0f}", "middle") for mark in _marks(_step(most_x), most_x)
    ]
    for number, (name, line) in enumerate(panel.lines):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{LEFT + x * across:.1f},{floor - y * up:.1f}" for x, y in line)
        parts.append(f'<polyline class="line" stroke="{colour}" points="{path}"/>')
        place = ABOVE + 12 + 18 * number
        parts.append(f'<rect x="{WIDTH - RIGHT + 10}" y="{place - 9}" width="10" height="10" fill="{colour}"/>')
        parts.append(_text(WIDTH - RIGHT + 26, place, name, "start"))
    return "".join(parts)


def _step(most: float) -> float:
    """1, 2 or 5 times a power of ten, so that a scale has about five marks."""
    if most <= 0:
        return 1.0
    rough = most / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def _marks(step: float, most: float) -> list[float]:
    return [number * step for number in range(int(most / step + 1e-9) + 1)]


def _text(x: float, y: float, words: str, anchor: str, kind: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(words)}</text>'
