"""Gradescope: its autograder zip, its ``results.json``, and what "Export submissions" packs.

Formats: https://gradescope-autograders.readthedocs.io/en/latest/specs/ (the zip and ``results.json``) and
https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/.
"""

from autograder.platforms.common.platform_model import Platform
from autograder.platforms.gradescope.reader import GradescopeDownloadReader
from autograder.platforms.gradescope.results_json import encode_report_files

platform = Platform(
    name="gradescope", title="Gradescope", reader=GradescopeDownloadReader(), report_writer=encode_report_files
)
"""No class writer: Gradescope takes scores from its own autograder alone."""
