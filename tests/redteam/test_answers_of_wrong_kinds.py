"""An answer of another kind than was asked for breaks the protocol, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograder.course import load_course
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.redteam.forged_answers import CONFTEST, COURSE

WRONG_KINDS = [
    ("for item in Value(2.0)._prev: {}", "items", "{'h': 1, 'k': 'Value'}"),
    ("assert Value(2.0)._prev", "bool", "{'h': 1, 'k': 'Value'}"),
    ("assert len(Value(2.0)._prev) == 0", "len", "True"),
    ("assert isinstance(Value(2.0), Value)", "isinstance", "{'h': 1, 'k': 'Value'}"),
    ("assert student.repr(Value(2.0)) != ''", "repr", "{'l': ['x']}"),
    (
        "for grad in student.get_attributes([Value(2.0), Value(3.0)], 'grad'): assert grad == 7",
        "getattrs",
        "{'l': []}",
    ),
    ("for made in student.make_all(Value, [1.0, 2.0]): assert made is not None", "make", "{'l': []}"),
]
ONE_TEST = """
import pytest
pytestmark = pytest.mark.concept("forward")

def test_it(Value, student):
    \"\"\"It holds.\"\"\"
    {body}
"""
ANSWERS_ONE = """
import sys
frame = sys._getframe()
while '_answer_to' not in frame.f_globals: frame = frame.f_back
insides = frame.f_globals
real = insides['_answer_to']
def answer_to(name, arguments):
    found = real(name, arguments)
    return ['ok', {forged}, []] if name == {request!r} and found[0] == 'ok' else found
insides['_answer_to'] = answer_to
class Value:
    def __init__(self, data): self.data, self.grad, self._prev = data, 7, KEPT
KEPT = type('Prev', (), dict(__iter__=lambda self: iter(()), __len__=lambda self: 0, __bool__=lambda self: True))()
"""


@pytest.mark.parametrize(("body", "request_", "forged"), WRONG_KINDS, ids=[case[1] for case in WRONG_KINDS])
def test_an_answer_of_another_kind_or_with_fewer_parts_breaks_the_protocol(
    sandbox: SandboxConfig, hand_in_to: Any, body: str, request_: str, forged: str
) -> None:
    source = ANSWERS_ONE.format(request=request_, forged=forged)
    (result,) = hand_in_to(ONE_TEST.format(body=body), source).test_results
    assert (result.outcome, result.stop_cause) == ("crashed", "protocol")


@pytest.fixture
def hand_in_to(sandbox: SandboxConfig, tmp_path: Path) -> Any:
    """Grades a source with a suite of one test, which a plain engine passes or fails, but without a crash."""

    def grade(suite: str, source: str) -> Any:
        hidden = tmp_path / "assignments" / "engine" / "hidden"
        hidden.mkdir(parents=True)
        (tmp_path / "grading.yml").write_text(COURSE)
        (hidden / "test_it.py").write_text(suite)
        (hidden / "conftest.py").write_text(CONFTEST)
        solution = tmp_path / "solutions" / "engine" / "value.py"
        solution.parent.mkdir(parents=True)
        solution.write_text(
            source.partition("import sys")[0] + "class Value:\n" + source.partition("class Value:\n")[2]
        )
        (tmp_path / "value.py").write_text(source)
        suite_course = load_course(tmp_path).assignments[0]
        with Grader(suite_course, sandbox) as grader:
            graded = grader.grade(tmp_path / "value.py")
            plain = grader.grade(solution).test_results[0]
        assert plain.outcome in ("passed", "failed"), plain.message
        return graded

    return grade
