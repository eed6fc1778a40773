"""Numbers and text arrive and are handed over exactly; everything else is a stand-in."""

from __future__ import annotations

import math
import operator
import struct
from typing import TYPE_CHECKING, Any

import pytest

from autograder.bridge import StandIn
from tests.bridge.shared import ECHO

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

FLOATS = [
    *(0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, math.pi, 1e16, 2**53 + 0.0, 123456789.123456789),
    *(1e308, -1.7976931348623157e308, 2.2250738585072014e-308, 2.225073858507201e-308, 5e-324, -5e-324),
    *(math.inf, -math.inf, math.nan),
]


def bits(number: Any) -> bytes:
    """A float's eight bytes; a nan's are not told apart."""
    assert type(number) is float
    return struct.pack("<d", math.nan if math.isnan(number) else number)


def test_floats_arrive_bit_for_bit(hand_in: HandIn) -> None:
    with hand_in("def make(text): return float.fromhex(text)").test() as student:
        make = student.get("make")
        assert [bits(make(number.hex())) for number in FLOATS] == [bits(number) for number in FLOATS]


def test_floats_are_handed_over_bit_for_bit(hand_in: HandIn) -> None:
    with hand_in("def shown(x): return type(x).__name__ + x.hex()").test() as student:
        shown = student.get("shown")
        assert [shown(number) for number in FLOATS] == ["float" + number.hex() for number in FLOATS]


INTS = [0, -1, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, -(10**100), 10**5000]


def test_ints_arrive_exactly_as_far_as_python_writes_them_down(hand_in: HandIn) -> None:
    numbers = [*INTS[:-1], 10**4200]
    with hand_in("def make(text): return int(text, 16)").test() as student:
        made = [student.get("make")(hex(number)) for number in numbers]
        assert made == numbers
        assert {type(number) for number in made} == {int}


def test_an_int_or_a_text_too_long_to_be_written_down_is_an_object(hand_in: HandIn) -> None:
    with hand_in("def long(): return 10**5000\ndef text(): return 'x' * 30_000").test() as student:
        assert type(student.get("long")()) is StandIn
        assert type(student.get("text")()) is StandIn


def test_ints_of_any_size_are_handed_over_exactly(hand_in: HandIn) -> None:
    with hand_in("def shown(x): return type(x).__name__ + hex(x)").test() as student:
        assert [student.get("shown")(number) for number in INTS] == ["int" + hex(number) for number in INTS]


def test_large_ints_in_a_list_arrive_exactly(hand_in: HandIn) -> None:
    with hand_in("numbers = [1, 2**70, -2**70]").test() as student:
        assert student.get("numbers") == [1, 2**70, -(2**70)]


def test_bools_ints_and_floats_are_told_apart(hand_in: HandIn) -> None:
    with hand_in(ECHO).test() as student:
        values = [True, False, 1, 0, 1.0, 0.0]
        assert repr([student.get("echo")(value) for value in values]) == repr(values)


def test_bools_among_ints_in_a_list_are_told_apart(hand_in: HandIn) -> None:
    with hand_in("values = [1, True, 0, False, 1.0]").test() as student:
        assert repr(student.get("values")) == "[1, True, 0, False, 1.0]"


TEXTS = [
    *("", "text", "\0", "a\0b", "é", "\u2028\u2029", "🙂", '"\\/\b\n', "\x7f\x1b[31m"),
    *("\ud800", "a\udfffb", "🙂\ud83d"),
]


def test_text_arrives_character_for_character(hand_in: HandIn) -> None:
    with hand_in("def make(codes): return ''.join(map(chr, codes))").test() as student:
        assert [student.get("make")([ord(character) for character in text]) for text in TEXTS] == TEXTS


def test_text_is_handed_over_character_for_character(hand_in: HandIn) -> None:
    with hand_in("def codes(text): return [ord(character) for character in text]").test() as student:
        codes = student.get("codes")
        assert [codes(text) for text in TEXTS] == [[ord(character) for character in text] for text in TEXTS]


LIES = """
class {kind}(__import__('builtins').{base}):
    __class__ = object
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
    def __lt__(self, other): return True
    def __float__(self): return 99.0
    def __int__(self): return 99
    def __index__(self): return 99
    def __pos__(self): return 99
    def __str__(self): return '99'
    def __repr__(self): return '99'
    def __reduce__(self): return (int, (99,))
    def item(self): return 99
value = {kind}({plain!r})
def listed(): return [value]
"""


@pytest.mark.parametrize("plain", [2.5, math.inf, 3, 2**70, "text"], ids=repr)
def test_a_subclass_of_a_number_or_text_arrives_as_the_plain_one(hand_in: HandIn, plain: Any) -> None:
    base = type(plain).__name__
    source = LIES.format(kind="Value", base=base, plain=plain).replace("(inf)", "('inf')")
    with hand_in(source).test() as student:
        value = student.get("value")
        assert (type(value), value) == (type(plain), plain)
        assert student.get("listed")() == [plain]


def test_an_enumeration_of_numbers_arrives_as_its_number(hand_in: HandIn) -> None:
    with hand_in("import enum\nclass E(enum.IntEnum):\n    one = 1\nvalue = E.one").test() as student:
        assert type(student.get("value")) is int


def test_an_object_that_calls_itself_a_float_is_a_stand_in(hand_in: HandIn) -> None:
    source = """
        class Lie:
            __class__ = float
            def __float__(self): return 2.0
            def __eq__(self, other): return True
        value = Lie()
        """
    with hand_in(source).test() as student:
        assert type(student.get("value")) is StandIn
        assert student.get("value") != 2.0


@pytest.mark.parametrize(
    "value",
    [
        "b'bytes'",
        "bytearray(1)",
        "1j",
        "__import__('decimal').Decimal(1)",
        "__import__('fractions').Fraction(1)",
        "object()",
        "len",
        "lambda: 0",
        "int",
        "...",
        "NotImplemented",
        "__import__('math')",
    ],
)
def test_everything_else_is_a_stand_in_and_equals_no_number(hand_in: HandIn, value: str) -> None:
    with hand_in(f"value = {value}").test() as student:
        assert type(student.get("value")) is StandIn
        assert student.get("value") != 1


def test_a_number_is_never_read_out_of_an_object(hand_in: HandIn) -> None:
    source = """
        class Value:
            def __float__(self): return 2.0
            def __int__(self): return 2
            def __index__(self): return 2
        value = Value()
        """
    with hand_in(source).test() as student:
        value = student.get("value")
        for read in (float, math.sqrt, operator.index):
            with pytest.raises(TypeError):
                read(value)
