"""Whatever a student's process sends, the trusted side answers in bounded time, and only ever blames that process."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.bridge.wire_format import MalformedMessage, decode_value, parse_frame, split_answers
from autograder.course import Assignment, load_course
from autograder.grading import Grader
from autograder.sandbox import Sandbox

MODULUS = 2**61 - 1
"""Python's integers are hashed modulo this: its multiples have equal hashes."""

tagged = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=5)
    | st.just("\ud800")
    | st.builds(lambda number: {"h": number, "k": "Value"}, st.integers(-2, 2**33))
    | st.builds(lambda text: {"i": text}, st.sampled_from(["f", "-1f", "zz", "", "9" * 4000, "1" * 3000]))
    | st.builds(lambda text: {"f": text}, st.sampled_from(["nan", "inf", "-inf", "1", 3]))
    | st.builds(lambda number: {"c": number}, st.integers(-1, 3)),
    lambda inner: (
        st.builds(lambda tag, items: {tag: items}, st.sampled_from("ltszdxhc"), st.lists(inner, max_size=4))
        | st.builds(lambda pairs: {"d": pairs}, st.lists(st.tuples(inner, inner).map(list), max_size=3))
        | st.dictionaries(st.sampled_from(["h", "k", "l", "i", "c", "e"]), inner, max_size=3)
        | st.lists(inner, max_size=3)
    ),
    max_leaves=12,
)


def decoded(data: Any) -> Any:
    """A value as the bridge decodes it, with plain objects for stand-ins."""
    made: dict[int, object] = {}
    return decode_value(data, lambda number, _: made.setdefault(number, object()), lambda _: len)


@settings(max_examples=400)
@given(tagged)
def test_a_value_is_decoded_or_refused(data: Any) -> None:
    try:
        repr(decoded(data))
    except MalformedMessage:
        return


@settings(max_examples=400)
@given(st.binary(max_size=60) | tagged.map(lambda data: repr(data).replace("'", '"').encode("utf-8", "replace")))
def test_a_frame_is_a_message_or_refused(frame: bytes) -> None:
    try:
        message = parse_frame(frame)
    except MalformedMessage:
        return
    assert type(message) is list


answers = st.lists(
    st.builds(lambda value, notes: ["ok", value, notes], tagged, tagged | st.just([]))
    | st.builds(lambda *parts: ["raised", *parts], tagged, st.just([]), tagged)
    | st.just(["void"])
    | tagged,
    max_size=4,
)


@settings(max_examples=400)
@given(answers, st.integers(1, 4))
def test_answers_are_as_many_as_were_asked_for_or_refused(told: list[Any], asked: int) -> None:
    frame = json.dumps([7, "answers", told]).encode()
    try:
        found = split_answers(frame, asked)
    except MalformedMessage:
        return
    assert len(found) == asked or (0 < len(found) < asked and found[-1].kind != "ok")
    for answer, one in zip(found, told, strict=True):
        with contextlib.suppress(MalformedMessage):
            assert answer.kind == "void" or answer.parsed_content == one[1] or "NaN" in json.dumps(one)


BIG = [{"i": f"{k * MODULUS:x}"} for k in range(1, 100_000)]
LARGE = {
    "a set of integers with equal hashes": lambda: {"s": BIG},
    "a frozenset of integers with equal hashes": lambda: {"z": BIG},
    "a dict of integers with equal hashes":
        lambda: {"d": [[{"i": f"{k * MODULUS:x}"}, None] for k in range(1, 80_000)]},
    "a set of tuples": lambda: {"s": [{"t": [k, -k]} for k in range(150_000)]},
    "handles with equal hashes": lambda: {"l": [{"h": k * MODULUS, "k": "V"} for k in range(1, 80_000)]},
    "a set of integers with equal low bits": lambda: {"s": [k << 44 for k in range(2**17)]},
    "a million empty containers": lambda: {"l": [{"d": []}] * 450_000},
    "a text of megabytes": lambda: "x" * 3_900_000,
    "an integer of a million digits": lambda: {"i": "7" * 1_000_000},
    "a nest of lists": lambda: eval('{"l":[' * 90 + "]}" * 90),
    "integers without their tag": lambda: {"l": [2**64] * 150_000},
    "a million numbers": lambda: {"l": [1.5] * 900_000},
}  # fmt: skip


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE.keys())
def test_reading_the_largest_message_takes_less_than_a_second(make: Any) -> None:
    frame = msgspec.json.encode([1, "answers", [["ok", make(), []]]])
    assert len(frame) < 4 * 2**20
    assert any(seconds_to_read(frame) < 1 for _ in range(3))  # a busy machine may make one of them longer


def seconds_to_read(frame: bytes) -> float:
    started = time.process_time()
    with contextlib.suppress(MalformedMessage):
        decoded(split_answers(frame, 1)[0].parsed_content)
    return time.process_time() - started


def test_without_the_bounds_equal_hashes_would_stop_the_grader_for_hours() -> None:
    def seconds(count: int) -> float:
        started = time.process_time()
        {k * MODULUS for k in range(1, count)}
        return time.process_time() - started

    assert seconds(8_000) > 2.5 * seconds(4_000)  # quadratic: twice as many take four times as long


# --- The same against the whole: a submission that sends what it likes, graded.

COURSE = """
limits: {cpu_seconds: 0.3, wall_seconds: 0.9, import_seconds: 1, submission_seconds: 4, memory_mb: 256}
assignments:
  engine:
    defines: [Value]
    concepts: {forward: 10}
"""
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
CONFTEST = """
import pytest

@pytest.fixture
def Value(student):
    return student.get("Value")
"""
ENGINE = """
class Value:
    def __init__(self, data): self.data = data
    def __add__(self, other): return Value(self.data + other.data)
"""
FORGER = """
import json, sys
frame = sys._getframe()
while 'request_handlers' not in frame.f_globals: frame = frame.f_back
insides = frame.f_globals
talk = insides['send_message'].__globals__
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
def small_grader(small_course: Assignment, sandbox: Sandbox) -> Iterator[Grader]:
    """A grader of it."""
    with Grader(small_course, sandbox) as grader:
        yield grader


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(forged=tagged, after=st.integers(0, 3))
def test_whatever_is_answered_the_submission_is_graded_and_gains_nothing(
    small_grader: Grader, tmp_path: Path, forged: Any, after: int
) -> None:
    _gains_nothing(small_grader, tmp_path, forged, after)


@pytest.mark.thorough
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(forged=tagged, after=st.integers(0, 3))
def test_whatever_is_answered_of_many_things_gains_nothing(
    small_grader: Grader, tmp_path: Path, forged: Any, after: int
) -> None:
    _gains_nothing(small_grader, tmp_path, forged, after)


def _gains_nothing(small_grader: Grader, tmp_path: Path, forged: Any, after: int) -> None:
    text = msgspec.json.encode(_encodable(forged)).decode()
    path = tmp_path / "value.py"
    path.write_text(FORGER.format(forged=text, after=after), encoding="utf-8")
    started = time.monotonic()
    graded = small_grader.grade(path)
    assert time.monotonic() - started < 4 + 1 + 1
    assert all(result.outcome not in ("passed", "grader error") for result in graded.test_results)


LOADING = {
    "half a character": "'\\ud800'",
    "brackets without an end": "'{\"x\":' + '[' * 200000",
    "a note on a file that is not there":
        "real({**message, 'notes': [dict(kind='failed', unit=99, statement=-7, line=5, error='E', message='m')]})",
    "a note on a line that is not there":
        "real({**message, 'notes': [dict(kind='failed', unit=0, statement=2**62, line=-1, error='E', message='m')]})",
    "ten thousand notes":
        "real({**message, 'notes': [dict(kind=str(k), unit=k, statement=k, line=k, error='E', message='m' * 300)"
        " for k in range(10000)]})",
    "statements that were late without an end":
        "real({**message, 'late': [[k, k] for k in range(100000)]})",
    "something else": "'[1]'",
    "everything is defined": "real({**message, 'features': {'Value': [str(k) for k in range(100000)]}})",
}  # fmt: skip
LIAR = """
import sys
frame = sys._getframe()
while 'request_handlers' not in frame.f_globals: frame = frame.f_back
insides = frame.f_globals['request_handlers'].__dict__
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
    started = time.monotonic()
    graded = small_grader.grade(path)
    assert time.monotonic() - started < 4 + 1 + 1
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


WRONG_KINDS = [
    ("for item in Value(2.0)._prev: {}", "items", "{'h': 1, 'k': 'Value'}"),
    ("assert Value(2.0)._prev", "bool", "{'h': 1, 'k': 'Value'}"),
    ("assert len(Value(2.0)._prev) == 0", "len", "True"),
    ("assert isinstance(Value(2.0), Value)", "isinstance", "{'h': 1, 'k': 'Value'}"),
    ("assert student.repr(Value(2.0)) != ''", "repr", "{'l': ['x']}"),
    ("for grad in student.get_all([Value(2.0), Value(3.0)], 'grad'): assert grad == 7", "getattrs", "{'l': []}"),
    ("for made in student.make(Value, [1.0, 2.0]): assert made is not None", "make", "{'l': []}"),
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
while 'request_handlers' not in frame.f_globals: frame = frame.f_back
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
    sandbox: Sandbox, hand_in_to: Any, body: str, request_: str, forged: str
) -> None:
    source = ANSWERS_ONE.format(request=request_, forged=forged)
    (result,) = hand_in_to(ONE_TEST.format(body=body), source).test_results
    assert (result.outcome, result.stop_cause) == ("crashed", "protocol")


@pytest.fixture
def hand_in_to(small_course: Assignment, sandbox: Sandbox, tmp_path: Path) -> Any:
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
