"""Whatever a student's process answers, its submission is graded, and gains nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.course import Assignment, load_course
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.redteam.forged_answers import CONFTEST, COURSE, tagged

HIDDEN = '''
import pytest
pytestmark = pytest.mark.concept("forward")

def test_data(Value):
    """The number is kept."""
    assert Value(2.0).data == 2.0

def test_sum(Value):
    """A sum is one."""
    assert (Value(2.0) + Value(3.0)).data == 5.0, f"it is {(Value(2.0) + Value(3.0)).data!r}"
'''
ENGINE = """
class Value:
    def __init__(self, data): self.data = data
    def __add__(self, other): return Value(self.data + other.data)
"""
FORGER = """
import json, sys
frame = sys._getframe()
while '_answer_to' not in frame.f_globals: frame = frame.f_back
insides = frame.f_globals
talk = insides['queue_message'].__globals__
real = talk['dumps']
FORGED = json.loads({forged!r})
def dumps(message, count=[0]):
    if type(message) is not list: return real(message)
    count[0] += 1
    if count[0] <= {after}: return real(message)
    told = [['ok', FORGED, []]] * len(message[2])
    return json.dumps([message[0], 'answers', told], separators=(',', ':'))
talk['dumps'] = dumps
class Value:
    def __init__(self, data): self.data = 0
    def __add__(self, other): return self
"""


@pytest.fixture(scope="module")
def small_course(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """A course of two tests."""
    root = tmp_path_factory.mktemp("course")
    (root / "grading.yml").write_text(COURSE)
    hidden = root / "assignments" / "engine" / "hidden"
    hidden.mkdir(parents=True)
    (hidden / "test_sum.py").write_text(HIDDEN)
    (hidden / "conftest.py").write_text(CONFTEST)
    solution = root / "solutions" / "engine" / "value.py"
    solution.parent.mkdir(parents=True)
    solution.write_text(ENGINE)
    return load_course(root).assignments[0]


@pytest.fixture(scope="module")
def small_grader(small_course: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    """A grader of it."""
    with Grader(small_course, sandbox) as grader:
        yield grader


@pytest.mark.redteam
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(forged=tagged, after=st.integers(0, 3))
def test_whatever_is_answered_the_submission_is_graded_and_gains_nothing(
    small_grader: Grader, tmp_path: Path, forged: Any, after: int
) -> None:
    text = msgspec.json.encode(_encodable(forged)).decode()
    path = tmp_path / "value.py"
    path.write_text(FORGER.format(forged=text, after=after), encoding="utf-8")
    graded = small_grader.grade(path)
    assert all(result.outcome not in ("passed", "grader error") for result in graded.test_results)


LOADING = {
    "half a character": "'\\ud800'",
    "brackets without an end": "'{\"x\":' + '[' * 200000",
    "a problem in a file that is not there":
        "real({**message, 'problems': [dict(kind='failed', unit=99, statement=-7, line=5, error='E', message='m')]})",
    "a problem on a line that is not there":
        "real({**message, 'problems':"
        " [dict(kind='failed', unit=0, statement=2**62, line=-1, error='E', message='m')]})",
    "ten thousand problems":
        "real({**message, 'problems': [dict(kind=str(k), unit=k, statement=k, line=k, error='E', message='m' * 300)"
        " for k in range(10000)]})",
    "statements that were late without an end":
        "real({**message, 'late': [[k, k] for k in range(100000)]})",
    "something else": "'[1]'",
    "everything is defined": "real({**message, 'features': {'Value': [str(k) for k in range(100000)]}})",
}  # fmt: skip
LIAR = """
import sys
frame = sys._getframe()
while '_answer_to' not in frame.f_globals: frame = frame.f_back
insides = frame.f_globals['submission_loading'].__dict__
real = insides['dumps']
def dumps(message): return {forged}
insides['dumps'] = dumps
class Value:
    def __init__(self, data): self.data = 0
    def __add__(self, other): return self
"""


@pytest.mark.parametrize("forged", LOADING.values(), ids=LOADING.keys())
def test_whatever_is_told_of_loading_the_submission_is_graded_and_gains_nothing(
    small_grader: Grader, tmp_path: Path, forged: str
) -> None:
    path = tmp_path / "value.py"
    path.write_text(LIAR.format(forged=forged), encoding="utf-8")
    graded = small_grader.grade(path)
    assert all(result.outcome not in ("passed", "grader error") for result in graded.test_results)
    assert len("".join(graded.notes)) < 10_000


def test_texts_of_megabytes_do_not_fill_the_raw_record(small_grader: Grader, tmp_path: Path) -> None:
    path = tmp_path / "value.py"
    forged = msgspec.json.encode({"l": ["x" * 19_000] * 150}).decode()
    path.write_text(FORGER.format(forged=forged, after=2), encoding="utf-8")
    assert len(msgspec.json.encode(small_grader.grade(path).pytest_record)) < 100_000


def _encodable(data: Any) -> Any:
    """The same as JSON: what JSON has no word for becomes null."""
    if isinstance(data, dict):
        return {key: _encodable(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_encodable(item) for item in data]
    if isinstance(data, str):
        return data.encode("utf-8", "replace").decode()
    if isinstance(data, float) and (data != data or abs(data) == float("inf")):
        return None
    return data
