"""Write what ``vpl_execution`` prints for Moodle's Virtual Programming Lab.

The last line that begins with ``Grade :=>>`` counts, and a comment ends at a line ``--|>`` even if it is indented.
So every line of the report has a ``>`` before it, which shows it as it is, and the grade comes last.

Format: https://vpl.dis.ulpgc.es, and for the exact rules the source:
https://github.com/jcrodriguez-dis/moodle-mod_vpl.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from autograder.faults import CallerFault
from autograder.platforms.common.export_points import compute_fraction_of_full_marks, compute_points_to_export
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports import ScoreReport
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.report_wording import format_final_points
from autograder.reports.terminal_report import render_report_as_plain_text


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: one comment, and the grade within the range that VPL tells.

    Raises:
        CallerFault: a setting should be a number and is not.
    """
    visible_report = filter_report_for_student(report, "handed in")
    lines = [
        "<|--",
        f"-{format_final_points(visible_report)}",
        *(f">{line}" for line in render_report_as_plain_text(visible_report).split("\n")),
        "--|>",
        f"Grade :=>> {_compute_grade(report, options):.5f}".rstrip("0").rstrip("."),
    ]
    return {"stdout": "\n".join(lines).encode() + b"\n"}


def _compute_grade(report: ScoreReport, options: ExportOptions) -> float:
    """Return the points, in the range of the activity if that is known."""
    lowest, highest = _read_number_setting(options, "VPL_GRADEMIN"), _read_number_setting(options, "VPL_GRADEMAX")
    if options.max_points is not None or highest is None:
        return compute_points_to_export(report, options)
    lowest = lowest or 0.0
    return lowest + compute_fraction_of_full_marks(report, options) * (highest - lowest)


def _read_number_setting(options: ExportOptions, key: str) -> float | None:
    text = options.settings.get(key, "")
    try:
        value = float(text) if text else None
    except ValueError:
        value = float("nan")
    if value is not None and not isfinite(value):
        raise CallerFault(f"{key}={text} is not a number", advice="run it inside vpl_execution, where VPL sets it")
    return value


platform = Platform(
    "vpl",
    "Virtual Programming Lab (Moodle)",
    report_writer=encode_report_files,
    settings={
        "VPL_GRADEMIN": "the lowest grade; VPL sets it",
        "VPL_GRADEMAX": "the highest grade; VPL sets it",
    },
)
