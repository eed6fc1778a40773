"""The score report: one result, as JSON for machines and as text for people."""

from autograder.reports.report_files import encode_report_json, make_score_report, read_report, write_report
from autograder.reports.report_model import SCHEMA_VERSION, ScoreReport

__all__ = ["SCHEMA_VERSION", "ScoreReport", "encode_report_json", "make_score_report", "read_report", "write_report"]
