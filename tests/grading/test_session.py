"""One pytest session grades submission after submission, and none of them shows in the next."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autograder.grading import Grader
from autograder.reports import make_score_report
from autograder.reports.report_files import encode_report_json

BETWEEN = {
    "one with other mistakes": "class Value:\n    def __init__(self, data):\n        self.data = self.grad = data\n",
    "one that raises": "class Value:\n    def __init__(self, data):\n        raise ValueError(data)\n",
    "one that ends its process": "import os\n\nclass Value:\n    def __init__(self, data):\n        os._exit(3)\n",
    "one that cannot be read": "class Value:\n    def __init__(self, data)\n        self.data = data\n",
    "one that defines nothing": "x = 1\n",
}


@pytest.mark.parametrize("between", BETWEEN.values(), ids=BETWEEN)
def test_a_submission_gets_the_same_bytes_before_and_after_another(
    grader: Grader, root: Path, tmp_path: Path, between: str
) -> None:
    first = root / "examples" / "submissions" / "overwrites.py"
    other = tmp_path / "other.py"
    other.write_text(between)
    before = encode_report_and_outcomes(grader, first)
    assert encode_report_and_outcomes(grader, other) != before
    assert encode_report_and_outcomes(grader, first) == before


def encode_report_and_outcomes(grader: Grader, path: Path) -> tuple[bytes, bytes]:
    """A report without its times, and what pytest's record says of each test."""
    graded = grader.grade(path, "someone")
    report = make_score_report(graded, grader.assignment)
    timeless = msgspec.structs.replace(report.timing, graded_at="", seconds={}, tests={}, processes=0)
    outcomes = [(test["nodeid"], test["outcome"]) for test in graded.pytest_record.get("tests", [])]
    return encode_report_json(msgspec.structs.replace(report, timing=timeless)), msgspec.json.encode(outcomes)
