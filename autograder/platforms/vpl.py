"""Write what ``vpl_execution`` prints for Moodle's Virtual Programming Lab.

The last line that begins with ``Grade :=>>`` counts, and a comment ends at a line ``--|>`` even if it is indented.
So every line of the report has a ``>`` before it, which shows it as it is, and the grade comes last.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from autograder.faults import CallerFault
from autograder.platforms.cases import seen_at_once
from autograder.platforms.model import Given, Platform
from autograder.platforms.points import fraction, scaled
from autograder.reports import ScoreReport
from autograder.reports.terminal import text_of
from autograder.reports.words import points_line


def write(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make ``stdout``: one comment, and the grade within the range that VPL tells.

    Raises:
        CallerFault: a setting should be a number and is not.
    """
    shown = seen_at_once(report)
    lines = ["<|--", f"-{points_line(shown)}", *(f">{line}" for line in text_of(shown).split("\n")), "--|>"]
    lines.append(f"Grade :=>> {_number(_grade(report, given))}")
    return {"stdout": "\n".join(lines).encode() + b"\n"}


def _grade(report: ScoreReport, given: Given) -> float:
    """Return the points, in the range of the activity if that is known."""
    lowest, highest = _setting(given, "VPL_GRADEMIN"), _setting(given, "VPL_GRADEMAX")
    if given.max_points is not None or highest is None:
        return scaled(report, given)
    lowest = lowest or 0.0
    return lowest + fraction(report, given) * (highest - lowest)


def _setting(given: Given, key: str) -> float | None:
    text = given.settings.get(key, "")
    try:
        value = float(text) if text else None
    except ValueError:
        value = float("nan")
    if value is not None and not isfinite(value):
        raise CallerFault("is no number", where=f"{key}={text}", advice="VPL sets it when it runs vpl_execution")
    return value


def _number(points: float) -> str:
    return f"{points:.5f}".rstrip("0").rstrip(".")


platform = Platform(
    "vpl",
    "Virtual Programming Lab (Moodle)",
    report_writer=write,
    settings={
        "VPL_GRADEMIN": "the lowest grade; VPL sets it",
        "VPL_GRADEMAX": "the highest grade; VPL sets it",
    },
)
