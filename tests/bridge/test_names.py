"""An engine's own names for its internals are found while it is loaded; one without any costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.course import Limits
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

pytestmark = once

ENGINE = """\
class Value:
    def __init__(self, data, operands=(), op=""):
        self.data, self.grad, self.operands, self.op = data, 0.0, operands, op
        self.pass_on = lambda: None

    def __add__(self, other):
        TROUBLE
        out = Value(self.data + other.data, (self, other), "+")
        def pass_on():
            self.grad += out.grad
            other.grad += out.grad
        out.pass_on = pass_on
        return out

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "*")
"""
RIGHT = ENGINE.replace("TROUBLE", "pass")
SOON = Limits(import_seconds=0.5)


def test_an_engine_with_the_handouts_names_is_not_looked_at(hand_in: HandIn) -> None:
    source = RIGHT.replace("operands", "_prev").replace("pass_on", "_backward").replace("op", "_op")
    count = "count = 0\n" + source.replace("        pass\n", "        global count; count += 1\n")
    with hand_in(count, defines=["Value"]).test() as student:
        assert student.resolve_attribute_name("_prev") == "_prev"
        assert student.get("count") == 0


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(
    "trouble",
    [
        "while True: pass",
        "__import__('time').sleep(60)",
        "__import__('os')._exit(0)",
        "raise KeyboardInterrupt",
        "return None",
        "return self",
        "return 1.0",
    ],
)
def test_an_operator_that_does_not_work_costs_nothing_else(hand_in: HandIn, trouble: str) -> None:
    submission = hand_in(ENGINE.replace("TROUBLE", trouble), defines=["Value"], limits=SOON)
    assert submission.loaded.kind_by_name == {"Value": "class"}
    with submission.test() as student:
        assert student.resolve_attribute_name("_prev") == "_prev"
        assert student.get("Value")(2.0).data == 2
    submission.bridge.end_process()
    with submission.test() as student:
        assert student.get("Value")(2.0).data == 2
    assert submission.bridge.program.makes_instances == (trouble[0] in "r")


def test_a_name_that_does_not_stand_in_the_source_is_not_told(hand_in: HandIn) -> None:
    source = RIGHT.replace("self.operands, self.op = data, 0.0, operands, op", "self.op = data, 0.0, op").replace(
        "        self.pass_on = lambda",
        "        self.__dict__['saw' + '_22'] = operands\n        self.pass_on = lambda",
    )
    with hand_in(source, defines=["Value"]).test() as student:
        assert student.resolve_attribute_name("_prev") == "object"
