"""Uploads of a graded class to a server that answers as Canvas does."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.platforms import ExportOptions, ExportResult, SubmissionResult, require_platform
from autograder.store.audit import LastExportedValue, WrittenKey
from tests.platforms.canvas_class import of_canvas
from tests.platforms.canvas_stand_in import Canvas
from tests.platforms.classes import EVERYBODYS, Told, a_class, result

ADA = result("ada", 10.0, of_canvas("adaa_11_67890_value.py"))
BOB = result("bob", 5.0, of_canvas("bobb_12_67891_value.py"))
EVE = result("eve", 7.5, of_canvas("evee_13_67892_value.py"))
MAX = result("max", 1.0, of_canvas("maxm_14_67893_value.py"))


def upload(
    canvas: Canvas,
    *rows: SubmissionResult,
    dry_run: bool = False,
    settings: Mapping[str, str] | None = None,
    overwrite: frozenset[str] = EVERYBODYS,
    written: Mapping[WrittenKey, LastExportedValue] | None = None,
    told: Told | None = None,
) -> ExportResult:
    uploader = require_platform("canvas").uploader
    assert uploader is not None
    known = {"url": canvas.url, "course": "101", "assignment": "4711", **(settings or {})}
    given = ExportOptions(settings=known, overwrite=overwrite, written=written or {})
    return uploader(a_class(*rows), given, dry_run, told or Told())
