"""Write the reply of an xqueue grader for Open edX; its message is well-formed XML with one root.

Format: https://github.com/openedx/xqueue.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.platforms.common.export_points import compute_fraction_of_full_marks
from autograder.platforms.common.json_encoding import encode_json_line
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.platforms.common.report_xhtml_fragment import format_report_as_xhtml_fragment
from autograder.reports import ScoreReport
from autograder.reports.report_visibility import filter_report_for_student


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: the reply on one line; ``correct`` means full marks and nothing less."""
    score = compute_fraction_of_full_marks(report, options)
    reply = {
        "correct": score >= 1,
        "score": score,
        "msg": format_report_as_xhtml_fragment(filter_report_for_student(report, "handed in")),
    }
    return {"stdout": encode_json_line(reply)}


platform = Platform("xqueue", "Open edX (xqueue)", report_writer=encode_report_files)
