"""The score report: one result, as JSON for machines and as text for people."""

from autograder.reports.model import SCHEMA_VERSION, ScoreReport
from autograder.reports.write import read_report, report_of, to_json, write_report

__all__ = ["SCHEMA_VERSION", "ScoreReport", "read_report", "report_of", "to_json", "write_report"]
