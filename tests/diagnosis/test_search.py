"""The smallest program on which an engine is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from autograder.bridge import Bridge, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.bridge.student_exceptions import StudentTimeout
from autograder.course import Assignment
from autograder.course.misconceptions import list_alternative_solutions
from tests.diagnosis.conftest import Loaded

if TYPE_CHECKING:
    from tests.diagnosis.conftest import Load

ORDER = "        for node in reversed(self._operands_first()):\n            node._backward()\n"
OVERWRITES = (
    "            self.grad += out.grad\n            other.grad += out.grad\n",
    "            self.grad = out.grad\n            other.grad = out.grad\n",
)
OWN_DATA = (
    "            self.grad += other.data * out.grad\n            other.grad += self.data * out.grad\n",
    "            self.grad += self.data * out.grad\n            other.grad += other.data * out.grad\n",
)


def test_an_overwritten_gradient_shows_in_a_plus_a(an_engine: Load) -> None:
    found = an_engine(OVERWRITES).counterexample()
    assert found is not None
    assert found.text == "\n".join(
        [
            "a = Value(3.0)",
            "b = a + a",
            "b.backward()",
            "",
            "        expected  got",
            "b.grad       1.0  1.0",
            "a.grad       2.0  1.0   <-- it goes wrong here",
            "",
            "a.grad is 1.0, as if one of the paths b <- a (left) and b <- a (right) were missing.",
        ]
    )


def test_every_node_is_told_with_what_it_should_hold(an_engine: Load) -> None:
    found = an_engine(OWN_DATA).counterexample()
    assert found is not None
    assert (found.kind, found.first_wrong, found.leaves) == ("gradient", "b", {"a": 3.0, "b": 4.0})
    a, b, c = found.nodes
    assert (a.data, a.data_got, a.grad, a.grad_got, a.grad_wrong) == (3.0, 3.0, (4.0,), 3.0, True)
    assert (c.operation, c.operands, c.grad, c.grad_wrong) == ("a * b", ("a", "b"), (1.0,), False)
    assert not any(node.data_wrong for node in (a, b, c))


def test_a_lost_minus_sign_of_a_bonus_operation_is_found(an_engine: Load) -> None:
    found = an_engine(("        return -self + other\n", "        return self + -other\n")).counterexample()
    assert found is not None
    assert found.program == ("a = Value(3.0)", "b = 5 - a")


def test_what_only_zero_and_fractions_show_is_found(an_engine: Load) -> None:
    zero = an_engine(("        self.data = data\n", "        self.data = data or 1.0\n")).counterexample()
    fraction = an_engine(("        self.data = data\n", "        self.data = int(data)\n")).counterexample()
    assert zero is not None
    assert fraction is not None
    assert (zero.program, fraction.program) == (("a = Value(0.0)",), ("a = Value(0.5)",))


def test_both_accepted_answers_are_told_where_there_are_two(an_engine: Load) -> None:
    forgets = (
        ORDER,
        "        for node in self._operands_first():\n            node.grad = 0.0\n        self.grad = 1.0\n" + ORDER,
    )
    found = an_engine(forgets).counterexample()
    assert found is not None
    assert found.program[-3:] == ("c = a + b", "c.backward()", "c.backward()")
    assert (found.nodes[0].grad, found.nodes[0].grad_got) == ((2.0,), 1.0)


def test_an_operation_that_clears_gradients_shows_when_it_comes_late(an_engine: Load) -> None:
    clears = (
        "        out = Value(self.data + other.data,",
        "        self.grad = 0.0\n        out = Value(self.data + other.data,",
    )
    found = an_engine(clears).counterexample()
    assert found is not None
    assert found.program == ("a = Value(3.0)", "b = Value(4.0)", "c = a + b", "c.backward()", "d = c + c")
    assert found.first_wrong == "c"


def test_an_exception_is_shown_at_its_line(an_engine: Load) -> None:
    found = an_engine(
        ("            other.grad += self.data * out.grad\n", "            other.gard += 1.0\n")
    ).counterexample()
    assert found is not None
    assert (found.kind, found.error, found.error_line) == ("error", "AttributeError", 3)
    assert found.text.splitlines()[-1] == "c.backward()     <-- this raises AttributeError"


def test_a_loop_without_an_end_is_a_counterexample(an_engine: Load) -> None:
    found = an_engine(("        self.grad = 1.0\n", "        while True: self.grad = 1.0\n")).counterexample()
    assert found is not None
    assert (found.kind, found.error) == ("error", "stopped")
    assert found.text == "a = Value(3.0)\na.backward()     <-- this does not end"


def test_a_program_that_comes_when_the_time_is_used_up_is_no_counterexample(
    engine: Assignment, processes: ProcessPool
) -> None:
    limits = msgspec.structs.replace(engine.limits, submission_seconds=1e-6)
    source = engine.solution_file.read_text(encoding="utf-8")
    bridge = Bridge(SubmissionProgram((("value.py", source),), engine.defines), processes, limits)
    try:
        assert Loaded(engine, bridge).counterexample() is None
        with pytest.raises(StudentTimeout):
            bridge.begin_test()
    finally:
        bridge.end_process()


def test_a_line_that_stops_the_process_is_marked_with_what_it_does(an_engine: Load) -> None:
    found = an_engine(("        t = math.tanh(self.data)", "        print('x' * 10_000_000)")).counterexample()
    assert found is not None
    assert "b = a.tanh()     <-- this prints too much" in found.text.splitlines()


def test_what_one_graph_leaves_behind_is_shown_with_two(an_engine: Load) -> None:
    once = "        if not hasattr(Value, '_order'): Value._order = self._operands_first()\n"
    found = an_engine((ORDER, once + ORDER.replace("self._operands_first()", "Value._order"))).counterexample()
    assert found is not None
    assert found.program == (
        "a = Value(3.0)",
        "b = Value(4.0)",
        "c = a + a",
        "d = b + b",
        "c.backward()",
        "d.backward()",
    )
    assert found.first_wrong == "b"


def test_what_fails_in_a_used_process_alone_is_not_told(an_engine: Load) -> None:
    counts = (
        "        self.grad = 1.0\n",
        "        Value.calls = getattr(Value, 'calls', 0) + 1\n        self.grad = 1.0 + (Value.calls > 9)\n",
    )
    assert an_engine(counts).counterexample() is None


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    "name",
    [
        *("leaves_accumulate", "prev_set", "float_subclass"),
        *(
            pytest.param(name, marks=pytest.mark.thorough)
            for name in (
                "leaves_accumulate_put_aside", "tanh_from_exp", "operators_from_others", "int_gradients", "kahn",
                "creation_order", "zero_gradients_are_skipped", "relu_slope_half",
            )
        ),
    ],
)  # fmt: skip
def test_a_right_alternative_has_no_counterexample(name: str, an_engine: Load, engine: Assignment) -> None:
    path = next(path for path in list_alternative_solutions(engine) if path.stem == name)
    loaded = an_engine(source=path.read_text(encoding="utf-8"))
    assert loaded.counterexample() is None


def test_a_random_program_finds_what_no_small_one_shows(an_engine: Load) -> None:
    shallow = ORDER.replace("self._operands_first()", "self._operands_first()[-6:]")
    loaded = an_engine((ORDER, shallow))
    first, second = loaded.counterexample(), an_engine((ORDER, shallow)).counterexample()
    assert first is not None
    assert first.program not in [program.format_lines() for program in loaded.family.enumerate_small_programs()]
    assert first == second, "everyone gets the same"


def test_out_of_time_there_is_no_answer_rather_than_a_wrong_one(an_engine: Load) -> None:
    loaded = an_engine(OVERWRITES)
    assert loaded.counterexample(most=0) is None


def test_a_class_without_methods_is_no_reason_to_fail(an_engine: Load) -> None:
    assert (
        an_engine(
            source="class Value:\n    def __init__(self, data): self.data, self.grad = data, 0\n"
        ).counterexample()
        is None
    )
