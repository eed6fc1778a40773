"""What the tests of Gradescope share: a course, a report, and the documented form of ``results.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from autograder.course import load_course
from autograder.diagnosis import NONE
from autograder.grading import Grader
from autograder.reports import ScoreReport, make_score_report
from autograder.sandbox import choose_strongest_sandbox
from tests.toy import write_toy

DATA = Path(__file__).parents[1] / "data" / "platforms" / "gradescope"
SCHEMA = json.loads((DATA / "results.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)  # checked once


def read_results(content: bytes) -> dict[str, Any]:
    """``results.json`` as data, once it is what Gradescope documents and a strict reader takes."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    data = json.loads(content.decode("ascii"), parse_constant=refuse)
    VALIDATOR.validate(data)
    assert isinstance(data, dict)
    return data


def toy_report(root: Path, source: str, more: str = "", extra: str = "") -> ScoreReport:
    """The report of one file in the course of two tests, of a concept that counts or of ``extra``, a bonus.

    Args:
        root: an empty folder.
        source: what was handed in.
        more: lines of the assignment in ``grading.yml``.
        extra: the concept of the second file of tests; none when empty.
    """
    write_toy(root / "course", more)
    if extra:
        suite = root / "course" / "assignments" / "toy" / "hidden"
        tests = (suite / "test_double.py").read_text(encoding="utf-8").replace('"doubling"', f'"{extra}"')
        (suite / "test_more.py").write_text(tests.replace("test_double", "test_more"), encoding="utf-8")
    (root / "value.py").write_text(source, encoding="utf-8")
    (assignment,) = load_course(root / "course").assignments
    with Grader(assignment, choose_strongest_sandbox("process")) as grader:
        return make_score_report(grader.grade(root / "value.py"), assignment, NONE)
