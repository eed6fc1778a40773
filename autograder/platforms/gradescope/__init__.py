"""Gradescope: its autograder zip, its ``results.json``, and what "Export submissions" packs."""

from autograder.platforms.gradescope.export import GradescopeExport
from autograder.platforms.gradescope.results import report_writer
from autograder.platforms.model import Platform

platform = Platform(
    name="gradescope",
    title="Gradescope",
    reader=GradescopeExport(),
    report_writer=report_writer,
)
"""No class writer: Gradescope takes scores from its own autograder alone."""

__all__ = ["platform"]
