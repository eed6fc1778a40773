"""A submission that is imported into this process, for a debugger, is found where Python looks for modules."""

from __future__ import annotations

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.grading.submission_under_test import InProcessSubmissionUnderTest

ENGINE = """
from __future__ import annotations
from dataclasses import dataclass

@dataclass
class Value:
    data: float
    grad: float = 0.0
"""


def test_a_dataclass_with_postponed_annotations_can_be_made() -> None:
    student = InProcessSubmissionUnderTest(make_submission_from_source("value.py", ENGINE)).student
    value = student.get("Value")(2.0)
    assert (value.data, value.grad) == (2.0, 0.0)
