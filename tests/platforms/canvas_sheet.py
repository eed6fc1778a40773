"""A gradebook as Canvas exports it, and what is written into it for a class."""

from __future__ import annotations

import csv
import io

from autograder.platforms import ClassResults, ExportOptions, ExportResult, SubmissionResult, require_platform
from autograder.platforms.canvas.gradebook import FILE_NAME
from tests.platforms.canvas_class import of_canvas
from tests.platforms.classes import EVERYBODYS, a_class

HEADER = (
    'Student,ID,SIS User ID,SIS Login ID,Section,Notes,Quiz 1 (23),"HW1 Value, and more (4711)",'
    "Current Score,Final Score\n"
)
POINTS = "    Points Possible,,,,,,10.00,20.00,(read only),(read only)\n"
GRADEBOOK = (
    HEADER
    + ",,,,,,,Manual Posting,,\n"
    + POINTS
    + '"Block, Jasen",11,S1,jblock3430,"XC 101, 102",late twice,8.00,17.50,87.50,87.50\n'
    + '"O\'Brien, ""Bob""",12,S2,bob@example.edu,XC 101,,,,,\n'
    + '"李, 小龍",13,S3,li,XC 101,,,EX,,\n'
    + '"Nobody, Ann",14,S4,nobody,XC 101,,,N/A,,\n'
    + '"Absent, Max",15,S5,absent,XC 101,,,-,,\n'
    + '"Student, Test",99,,e1fa,XC 101,,,,,\n'
)
JASEN = of_canvas("blockjasen_11_67890_value.py")
BOB = of_canvas("obrienbob_12_67891_value.py")
LI = of_canvas("李小龍_13_67892_value.py")


def written_for(
    *rows: SubmissionResult, sheet: str = GRADEBOOK, max_points: float | None = None, **settings: str
) -> ExportResult:
    """What is written for a class, into the gradebook that Canvas exported."""
    options = ExportOptions(sheet.encode(), "grades.csv", settings, max_points, overwrite=EVERYBODYS)
    return write_for_canvas(a_class(*rows, name="autograd-engine", title="HW1 Value"), options)


def write_for_canvas(results: ClassResults, options: ExportOptions) -> ExportResult:
    writer = require_platform("canvas").class_writer
    assert writer is not None
    return writer(results, options)


def table(export: ExportResult) -> list[list[str]]:
    return list(csv.reader(io.StringIO(export.files[FILE_NAME].decode())))
