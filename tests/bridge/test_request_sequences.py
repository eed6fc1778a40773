"""A request sequence: several requests in one message, each using what the ones before gave."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.bridge.request_sequences import (
    ANY_LENGTH,
    PackedRequests,
    RequestSequenceBuilder,
    RequestSequenceResult,
    are_leading_results_well_formed,
    make_result_list_reference,
    make_result_reference,
)
from tests.bridge.conftest import HandIn

ENGINE = """
class Value:
    def __init__(self, data):
        self.data, self.held = data, [data]

    def __add__(self, other):
        return Value(self.data + other.data)

    def __mul__(self, other):
        return self.data * other.data

    def number(self):
        return hash(self)

    def both(self):
        return [self, {"at": self}]
"""


def sequence(operator: str = "add", name: str = "data") -> PackedRequests:
    writer = RequestSequenceBuilder(("made", 0))
    kind = writer.add_request("get", "Value")
    a, b = writer.add_request_and_get_object_numbers(2, "make", make_result_reference(kind), (2.0, 3.0))
    writer.step_label = ("applied", 1)
    out = writer.add_request(
        "op", operator, make_result_reference(a), make_result_reference(b), required_kind="object"
    )
    writer.add_readings_request(3, "getattrs", make_result_list_reference([a, b, out]), name)
    return writer.build()


def test_a_sequence_reads_what_its_steps_made(hand_in: HandIn) -> None:
    with hand_in(ENGINE, defines=["Value"]).test() as student:
        assert (
            student.run_request_sequences_until_timeout([sequence(), sequence()])
            == [RequestSequenceResult(((2.0, 3.0, 5.0),))] * 2
        )


def test_a_step_that_raises_ends_its_sequence_alone(hand_in: HandIn) -> None:
    with hand_in(ENGINE, defines=["Value"]).test() as student:
        raised, right = student.run_request_sequences_until_timeout([sequence("sub"), sequence()])
        assert (raised.failed_step, raised.exception_name) == (2, "TypeError")
        assert raised.message.startswith("unsupported operand")
        assert right.failed_step is None


def test_each_sequence_begins_a_test_of_its_own(hand_in: HandIn) -> None:
    writer = RequestSequenceBuilder(("", 0))
    nodes = writer.add_request_and_get_object_numbers(
        2, "make", make_result_reference(writer.add_request("get", "Value")), (2.0, 3.0)
    )
    number = writer.add_request("call method", make_result_reference(nodes[0]), "number", (), {})
    kept = writer.add_request(
        "kept",
        make_result_reference(writer.add_request("get", "listed")),
        make_result_list_reference([number]),
    )
    writer.add_readings_request(1, "items", make_result_reference(kept))
    source = ENGINE + "\ndef listed(x): return [x]\n"
    with hand_in(source, defines=["Value", "listed"]).test() as student:
        first, *others = student.run_request_sequences_until_timeout([writer.build()] * 3)
        assert first.readings == ((0,),), "hashes count the objects of a test"
        assert others == [first, first]


SHAPES = ((4, 3), (2, ANY_LENGTH))
RIGHT = ["read", [[1, 2, 3]]]


@pytest.mark.parametrize("answer", [[RIGHT], [RIGHT, ["read", [[]]]], [["odd", 3], ["raised", 1, "KeyError", ""]]])
def test_an_answer_tells_of_some_sequences_or_of_all(answer: list[Any]) -> None:
    assert are_leading_results_well_formed(answer, SHAPES)


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [RIGHT, ["read", [[]]], ["read", [[]]]],
        [["read", [[1, 2]]]],
        [["read", [[1, 2, 3], []]]],
        [["read", [(1, 2, 3)]]],
        [["read", [1, 2, 3]]],
        [["read"]],
        [["odd", 4]],
        [["odd", -1]],
        [["odd", "1"]],
        [["raised", 1, "KeyError"]],
        [["raised", 9, "KeyError", ""]],
        [["raised", 1, None, ""]],
        [["fine", []]],
        ["read"],
        [None],
    ],
    ids=repr,
)
def test_an_answer_that_cannot_be_one_is_none(answer: list[Any]) -> None:
    assert not are_leading_results_well_formed(answer, SHAPES)
