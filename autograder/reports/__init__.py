"""The score report: one result, as JSON for machines and as text for people."""

from autograder.reports.report_files import make_score_report, read_report, render_report_json, write_report
from autograder.reports.report_model import SCHEMA_VERSION, ScoreReport

__all__ = ["SCHEMA_VERSION", "ScoreReport", "make_score_report", "read_report", "render_report_json", "write_report"]
