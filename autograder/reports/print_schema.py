"""Print the published schema: ``python -m autograder.reports.print_schema > docs/score-report.schema.json``."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from autograder.reports.report_model import SCHEMA_VERSION, ScoreReport


def make_report_schema() -> dict[str, Any]:
    """Return the JSON Schema of the score report (draft 2020-12)."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Score report, version {SCHEMA_VERSION}",
        **msgspec.json.schema(ScoreReport),
    }
    # msgspec leaves defaults as the tuples that they are
    plain_schema: dict[str, Any] = json.loads(json.dumps(schema))
    return plain_schema


if __name__ == "__main__":
    print(json.dumps(make_report_schema(), indent=2))
