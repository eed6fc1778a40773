"""A graded class for Moodle's writer: real reports under the names of the golden worksheets."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from autograder.platforms import ExportOptions, ExportResult, SubmissionResult
from autograder.platforms.moodle import platform
from autograder.reports import ScoreReport
from autograder.store.audit import LastExportedValue, WrittenKey
from autograder.submissions import Person, SubmissionOrigin
from autograder.tables import EditableCsv
from tests.platforms import classes

DATA = Path(__file__).parents[1] / "data"
GOLDEN = DATA / "platforms" / "moodle"


def whole(path: Path) -> ScoreReport:
    """A golden report, with what goldens leave out because it changes from run to run."""
    report = json.loads(path.read_text("utf-8"))
    report["assignment"]["version"] = ""
    timing = {"graded_at": "", "seconds": {}, "tests": {}, "processes": 0}
    changing = {"kit_version": "", "python": "", "isolation": {"tier": "restricted"}, "timing": timing}
    return msgspec.convert(report | changing, ScoreReport)


REPORTS = {path.stem: whole(path) for path in (DATA / "goldens").glob("*.json")}
GRADE, MAXIMUM, FLAG, GRADED, COMMENT = 4, 5, 6, 9, 10
"""Columns of the golden worksheet."""


def result(name: str, points: float, report: ScoreReport | str = "overwrites", **more: Any) -> SubmissionResult:
    """A submission as the reader names it: ``Ada Lovelace_2``; without a number it is of a plain folder."""
    student, _, number = name.rpartition("_")
    origin = SubmissionOrigin("moodle", (Person(number, student),)) if student and number.isdigit() else None
    made = classes.result(name, points, origin, report=REPORTS[report] if isinstance(report, str) else report)
    return replace(made, **more)


def export(
    sheet: bytes | Path,
    *rows: SubmissionResult,
    max_points: float = 20,
    full: float | None = None,
    written: Mapping[WrittenKey, LastExportedValue] | None = None,
    overwrite: frozenset[str] = frozenset(),
    **settings: str,
) -> ExportResult:
    """What the writer makes of a worksheet, ``written`` being what the kit wrote before."""
    content = sheet.read_bytes() if isinstance(sheet, Path) else sheet
    assert platform.class_writer is not None
    results = classes.a_class(*rows, name="autograd-engine", title="Engine", maximum=max_points)
    return platform.class_writer(
        results, ExportOptions(content, "sheet.csv", settings, full, written=written or {}, overwrite=overwrite)
    )


def cells(content: bytes) -> list[tuple[str, ...]]:
    """The rows of a worksheet, its header first."""
    return [row.cells for row in EditableCsv(content, "sheet.csv").rows]


def grades(made: ExportResult, column: int = GRADE) -> dict[str, str]:
    """By the number of a participant."""
    return {row[0].split()[-1]: row[column] for row in cells(made.files["worksheet.csv"])[1:]}


def pages(made: ExportResult) -> Mapping[str, str]:
    """The zip for students."""
    with zipfile.ZipFile(io.BytesIO(made.files["feedback.zip"])) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def with_cells(sheet: bytes, changed: Mapping[tuple[int, int], str]) -> bytes:
    """A worksheet with other cells, by row and column."""
    made = EditableCsv(sheet, "sheet.csv")
    for (row, column), value in changed.items():
        made.set_cell(row, column, value)
    return bytes(made)
