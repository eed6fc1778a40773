"""A counterexample points to lines of the submission where what was seen says which, and nowhere else."""

from __future__ import annotations

import pytest
from msgspec import convert
from msgspec.structs import replace

from autograder.diagnosis.blamed_code_excerpt import (
    MOST_LINES,
    CodeExcerpt,
    find_blamed_code_excerpt,
    list_blamed_names,
)
from autograder.diagnosis.counterexample_model import Counterexample, Node
from autograder.diagnosis.replay.backward_replay_records import (
    BackwardReplayStep,
    FirstWrongStep,
    Gradients,
    RecordedBackwardRun,
    Replay,
)

ENGINE = """\
class Value:
    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    __rmul__ = __mul__

    def tanh(self):
        return Value(self.data, (self,))

    def backward(self):
        self.grad = 1.0
        for node in self.order():
            node._backward()
"""
STORY = Counterexample(
    kind="gradient",
    program=("a = Value(3.0)", "b = Value(4.0)", "c = a * b", "d = c * 2", "e = d.tanh()", "e.backward()"),
    nodes=(
        Node(name="a"),
        Node(name="b"),
        Node(name="c", operation="a * b", operands=("a", "b")),
        Node(name="d", operation="c * 2", operands=("c",)),
        Node(name="e", operation="d.tanh()", operands=("d",)),
    ),
    first_wrong="b",
)
EMPTY = RecordedBackwardRun(before={})
BEFORE: Gradients = {"a": 0.0, "b": 0.0, "c": 0.0}
ADDS = RecordedBackwardRun(
    before=BEFORE, steps=(BackwardReplayStep(node="c", line=5, grads={"a": 1.0, "b": 1.0, "c": 1.0}),)
)
ADDS_NOTHING = RecordedBackwardRun(before=BEFORE, steps=(BackwardReplayStep(node="c", line=5, grads=BEFORE),))


def located(
    story: Counterexample = STORY, source: str = ENGINE, student: RecordedBackwardRun = ADDS, **difference: object
) -> CodeExcerpt | None:
    first = convert({"step": 0, "line": 5, "sentence": ""} | difference, FirstWrongStep) if difference else None
    replay = Replay(student=student, reference=EMPTY, beside=(), difference=first)
    return find_blamed_code_excerpt({"value.py": source}, story, replay)


def marked(excerpt: CodeExcerpt | None) -> list[str]:
    assert excerpt is not None
    return [excerpt.lines[number - excerpt.first_line].strip() for number in excerpt.marked]


def test_a_wrong_amount_points_to_what_that_operand_gets() -> None:
    found = located(kind="amount", node="c", gradient="b")
    assert marked(found) == ["other.grad += out.grad"]
    assert found is not None
    assert (found.file, found.first_line, found.lines[0]) == ("value.py", 2, "    def __mul__(self, other):")
    assert found.reason == "In `c = a * b`, this is what b gets."
    assert marked(located(kind="amount", node="c", gradient="a")) == ["self.grad += other.data * out.grad"]
    assert marked(located(kind="amount", node="d", gradient="c")) == ["self.grad += other.data * out.grad"]


def test_an_operand_that_gets_nothing_points_to_the_method() -> None:
    found = located(
        source=ENGINE.replace("            other.grad += out.grad\n", ""),
        kind="amount",
        node="c",
        gradient="b",
        student=ADDS_NOTHING,
    )
    assert marked(found) == ["def __mul__(self, other):"]
    assert found is not None
    assert found.reason == "This makes `c = a * b`, and its `_backward` left `b.grad` as it was."


BRANCHES = """\
class Value:
    def __mul__(self, other):
        if self is other:
            out = Value(self.data**2, (self,))

            def _backward():
                self.grad += 2 * self.data * out.grad

            out._backward = _backward
            return out
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
"""


def test_a_line_that_may_not_have_run_is_not_marked() -> None:
    found = located(source=BRANCHES, kind="amount", node="c", gradient="a")
    assert marked(found) == ["def __mul__(self, other):"]
    assert found is not None
    assert found.reason == "This makes `c = a * b`, and the `_backward` that changes `a.grad`."


def test_the_only_line_that_can_have_done_what_was_seen_is_marked_in_a_branch_too() -> None:
    found = located(source=BRANCHES, kind="amount", node="c", gradient="b")
    assert marked(found) == ["other.grad += out.grad"]


def test_a_line_that_adds_is_not_to_blame_where_nothing_was_added() -> None:
    unreached = located(kind="amount", node="c", gradient="b", student=ADDS_NOTHING)
    assert marked(unreached) == ["def __mul__(self, other):"]
    overwrites = ENGINE.replace("other.grad +=", "other.grad =")
    found = located(source=overwrites, kind="amount", node="c", gradient="b", student=ADDS_NOTHING)
    assert marked(found) == ["other.grad = out.grad"]


@pytest.mark.parametrize("kind", ["early", "again", "missing"])
def test_calls_at_the_wrong_time_point_to_where_nodes_are_called(kind: str) -> None:
    assert marked(located(kind=kind, node="c")) == ["node._backward()"]


def test_a_wrong_seed_points_to_where_it_is_set() -> None:
    assert marked(located(kind="outside", gradient="e")) == ["self.grad = 1.0"]
    without = ENGINE.replace("        self.grad = 1.0\n", "")
    assert marked(located(source=without, kind="outside", gradient="e")) == ["def backward(self):"]


def test_a_wrong_number_points_to_the_method_that_made_it() -> None:
    story = replace(STORY, kind="forward", first_wrong="e")
    assert marked(located(story)) == ["def tanh(self):"]


def test_an_exception_points_to_its_line() -> None:
    run = replace(EMPTY, error="TypeError", error_file="value.py", error_line=3)
    found = find_blamed_code_excerpt({"value.py": ENGINE}, STORY, Replay(student=run, reference=EMPTY, beside=()))
    assert marked(found) == ["out = Value(self.data * other.data, (self, other))"]
    assert found is not None
    assert found.reason == "Your code raised TypeError here."


@pytest.mark.parametrize(("file", "line"), [("value.py", 999), ("value.py", 0), ("/etc/passwd", 1)])
def test_a_place_that_is_not_there_is_not_shown(file: str, line: int) -> None:
    run = replace(EMPTY, error="TypeError", error_file=file, error_line=line)
    assert (
        find_blamed_code_excerpt({"value.py": ENGINE}, STORY, Replay(student=run, reference=EMPTY, beside=())) is None
    )


@pytest.mark.parametrize(
    "source",
    [
        ENGINE + "\n\nclass Other(Value):\n    def __mul__(self, other):\n        other.grad = 1\n",
        ENGINE.replace("def __mul__", "def multiply").replace("= __mul__", "= multiply"),
        ENGINE.replace("self.grad += other", "give(self, other").replace(
            "out.grad\n            other.grad += out.grad", "1)"
        ),
        "this is no Python (",
        "",
    ],
    ids=["twice", "under another name", "nothing is assigned", "no Python", "empty"],
)
def test_where_the_evidence_does_not_say_nothing_is_shown(source: str) -> None:
    assert located(source=source, kind="amount", node="c", gradient="b") is None


def test_without_a_difference_nothing_is_shown() -> None:
    assert located() is None


def test_a_long_method_is_shown_around_its_lines() -> None:
    long = ENGINE.replace("        out = Value", "        pass\n" * 60 + "        out = Value")
    found = located(source=long, kind="amount", node="c", gradient="b")
    assert marked(found) == ["other.grad += out.grad"]
    assert found is not None
    assert len(found.lines) <= MOST_LINES


def test_lines_are_counted_as_python_counts_them() -> None:
    odd = "x = '''\x0c\x1c\u2028'''\r\n" + ENGINE.replace("\n", "\r\n")
    assert marked(located(source=odd, kind="amount", node="c", gradient="b")) == ["other.grad += out.grad"]


@pytest.mark.parametrize(
    ("difference", "names"),
    [
        ({"kind": "amount", "node": "c", "gradient": "a"}, {"__mul__"}),
        ({"kind": "amount", "node": "e", "gradient": "d"}, {"tanh"}),
        ({"kind": "early", "node": "c"}, {"backward"}),
        ({"kind": "outside", "gradient": "e"}, {"backward"}),
        ({"kind": "missing", "node": "c"}, {"__mul__", "tanh", "backward"}),
    ],
)
def test_what_is_wrong_is_what_the_first_difference_lies_in(difference: dict[str, object], names: set[str]) -> None:
    story = replace(STORY, about=("__mul__", "tanh", "backward"))
    first = convert({"step": 0, "line": 5, "sentence": ""} | difference, FirstWrongStep)
    assert list_blamed_names(story, Replay(student=ADDS, reference=EMPTY, beside=(), difference=first)) == names


def test_without_a_recording_everything_that_a_program_uses_may_be_wrong() -> None:
    assert list_blamed_names(replace(STORY, about=("__sub__",)), None) == {"__sub__"}
    assert list_blamed_names(None, None) == frozenset()
