"""Gradescope: its autograder zip, its ``results.json``, and what "Export submissions" packs."""

from autograder.platforms.common.platform_model import Platform
from autograder.platforms.gradescope.export_reader import GradescopeReader
from autograder.platforms.gradescope.results_json import write_results_file

platform = Platform(
    name="gradescope",
    title="Gradescope",
    reader=GradescopeReader(),
    report_writer=write_results_file,
)
"""No class writer: Gradescope takes scores from its own autograder alone."""

__all__ = ["platform"]
