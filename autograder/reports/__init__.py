"""The score report: one result, as JSON for machines and as text for people."""

from autograder.reports.report_files import encode_report_json, read_report_json, write_report_json
from autograder.reports.report_model import SCHEMA_VERSION, ScoreReport
from autograder.reports.score_report_maker import make_score_report

__all__ = [
    "SCHEMA_VERSION",
    "ScoreReport",
    "encode_report_json",
    "make_score_report",
    "read_report_json",
    "write_report_json",
]
