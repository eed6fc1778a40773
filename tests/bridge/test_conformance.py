"""What a hidden test may count on when it touches a student's objects through the bridge, in every tier."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from autograder.bridge import StandIn, StudentError, StudentStopped

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

ECHO = "def echo(x): return x"

# --- Identity: the same object there is the same stand-in here, and nothing of the student's has a say in it.

PAIR = """
class Pair:
    def __init__(self, left): self.left = left; self.all = [left]
    def __getitem__(self, key): return self.left
    def give(self): return self.left
    def call(self, function): function(self.left)
thing = object()
pair = Pair(thing)
"""


@pytest.mark.parametrize(
    "route",
    [
        lambda pair: pair.left,
        lambda pair: pair[0],
        lambda pair: pair.give(),
        lambda pair: pair.all[0],
        lambda pair: next(iter(pair.all)),
    ],
    ids=["attribute", "item", "result", "list", "iteration"],
)
def test_an_object_is_the_same_stand_in_by_every_route(hand_in: HandIn, route: Callable[[Any], Any]) -> None:
    with hand_in(PAIR).test() as student:
        assert route(student.get("pair")) is student.get("thing")


def test_an_object_handed_to_a_function_of_the_test_is_the_same_stand_in(hand_in: HandIn) -> None:
    with hand_in(PAIR).test() as student:
        seen: list[Any] = []
        student.get("pair").call(lambda left: seen.append(left))
        assert seen[0] is student.get("thing")


def test_an_object_that_travels_there_and_back_is_the_same_stand_in(hand_in: HandIn) -> None:
    with hand_in(ECHO, "thing = object()").test() as student:
        thing = student.get("thing")
        assert student.get("echo")([thing, {"key": (thing,)}]) == [thing, {"key": (thing,)}]


def test_two_objects_are_two_stand_ins(hand_in: HandIn) -> None:
    with hand_in("class Value: pass").test() as student:
        value_class = student.get("Value")
        assert value_class() is not value_class()


LIAR = """
class Liar:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
a, b = Liar(), Liar()
"""


def test_equality_goes_by_identity_whatever_the_students_eq_says(hand_in: HandIn) -> None:
    with hand_in(LIAR).test() as student:
        a, b = student.get("a"), student.get("b")
        assert (a == a, a == b, a != b, a != a) == (True, False, True, False)


def test_no_object_equals_plain_data(hand_in: HandIn) -> None:
    with hand_in(LIAR).test() as student:
        a = student.get("a")
        plain_data: list[Any] = [1, 2.0, "text", None, True, [], ()]
        for plain in plain_data:
            assert (a == plain, plain == a, a != plain, plain != a) == (False, False, True, True)


def test_membership_of_a_list_goes_by_identity(hand_in: HandIn) -> None:
    with hand_in(LIAR).test() as student:
        a, b = student.get("a"), student.get("b")
        assert (a in [a], a in [b], b in [a, b]) == (True, False, True)


def test_membership_of_a_students_container_goes_by_identity(hand_in: HandIn) -> None:
    with hand_in(LIAR, "class Box(list): pass\nbox = Box([a, 3.0])").test() as student:
        box = student.get("box")
        assert (student.get("a") in box, student.get("b") in box, 3 in box, 4 in box) == (True, False, True, False)


@pytest.mark.parametrize(
    "hashing",
    ["__hash__ = None", "def __hash__(self): return 1 / 0", "def __hash__(self): return 1"],
    ids=["none", "raises", "the same for all"],
)
def test_stand_ins_go_into_sets_and_dicts_whatever_the_students_hash_does(hand_in: HandIn, hashing: str) -> None:
    source = f"class Value:\n    def __eq__(self, other): return True\n    {hashing}\na, b = Value(), Value()"
    with hand_in(source).test() as student:
        a, b = student.get("a"), student.get("b")
        assert len({a, b, a}) == 2
        assert {a: 1, b: 2}[b] == 2


def test_a_stand_in_is_shown_by_its_class_without_asking_the_student(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    def __repr__(self): return 1 / 0\nv = Value()").test() as student:
        assert repr(student.get("v")) == "<Value>"


# --- Containers: of plain data, they arrive by value.

CONTAINERS: list[Any] = [
    [],
    (),
    set(),
    frozenset(),
    {},
    [1, 2.5, "x", None, True],
    (1, (2, (3,))),
    {1, 2},
    frozenset({"a"}),
    {"k": [1], 2: (3,), (4, 5): {6: 7}, None: None},
    [[[[[[[[1]]]]]]]],
    [(), [], {}, {1: set()}],
]


@pytest.mark.parametrize("value", CONTAINERS, ids=repr)
def test_a_container_arrives_with_its_type_and_items(hand_in: HandIn, value: Any) -> None:
    with hand_in(f"value = {value!r}").test() as student:
        assert repr(student.get("value")) == repr(value)


@pytest.mark.parametrize("value", CONTAINERS, ids=repr)
def test_a_container_is_handed_over_with_its_type_and_items(hand_in: HandIn, value: Any) -> None:
    with hand_in("def shown(x): return repr(x)").test() as student:
        assert student.get("shown")(value) == repr(value)


def test_a_container_that_arrived_is_a_copy(hand_in: HandIn) -> None:
    with hand_in("mine = [1]\ndef read(): return mine").test() as student:
        student.get("read")().append(2)
        assert student.get("read")() == [1]


def test_objects_in_containers_are_stand_ins(hand_in: HandIn) -> None:
    with hand_in("a = object()\ndef read(): return [a, (a, {a}), {'key': a}]").test() as student:
        a = student.get("a")
        assert student.get("read")() == [a, (a, {a}), {"key": a}]


def test_a_list_that_holds_itself_arrives_and_ends_in_a_stand_in(hand_in: HandIn) -> None:
    with hand_in("def knot():\n    x = [1]\n    x.append(x)\n    return x").test() as student:
        inner = student.get("knot")()
        while type(inner) is list:
            assert inner[0] == 1
            inner = inner[1]
        assert type(inner) is StandIn


def test_a_dict_that_holds_itself_arrives_and_ends_in_a_stand_in(hand_in: HandIn) -> None:
    with hand_in("def knot():\n    x = {}\n    x['self'] = x\n    return x").test() as student:
        inner = student.get("knot")()
        while type(inner) is dict:
            inner = inner["self"]
        assert type(inner) is StandIn


def test_a_list_nested_too_deeply_ends_in_a_stand_in_that_can_be_walked_on(hand_in: HandIn) -> None:
    with hand_in("x = 'bottom'\nfor _ in range(300): x = [x]").test() as student:
        inner, depth = student.get("x"), 0
        while not isinstance(inner, str):
            (inner,), depth = inner, depth + 1
        assert (inner, depth) == ("bottom", 300)


def test_two_hundred_thousand_numbers_arrive_by_value(hand_in: HandIn) -> None:
    with hand_in("numbers = list(range(200_000))").test() as student:
        assert student.get("numbers") == list(range(200_000))


def test_a_list_too_long_to_copy_arrives_as_a_stand_in_with_a_length(hand_in: HandIn) -> None:
    with hand_in("numbers = [0] * 300_000").test() as student:
        numbers = student.get("numbers")
        assert (type(numbers), len(numbers), numbers[299_999]) == (StandIn, 300_000, 0)


@pytest.mark.parametrize(
    "value",
    [
        "type('L', (list,), {'__iter__': lambda self: iter([9])})([1])",
        "type('D', (dict,), {})(a=1)",
        "__import__('collections').deque([1])",
        "__import__('collections').namedtuple('P', 'x')(1)",
        "__import__('collections').OrderedDict()",
        "range(3)",
        "(n for n in 'ab')",
        "{}.keys()",
    ],
)
def test_a_container_of_another_class_is_a_stand_in(hand_in: HandIn, value: str) -> None:
    with hand_in(f"value = {value}").test() as student:
        assert type(student.get("value")) is StandIn


# --- Shared containers live on the student's side.


def test_what_the_student_appends_to_a_shared_list_is_seen_by_the_test(hand_in: HandIn) -> None:
    with hand_in("def fill(x): x.append(7); x.append(x[0])").test() as student:
        shared = student.list(1.5)
        student.get("fill")(shared)
        assert list(shared) == [1.5, 7, 1.5]


def test_what_the_student_adds_to_a_shared_set_is_seen_by_the_test(hand_in: HandIn) -> None:
    with hand_in("def fill(x): x.add(7)").test() as student:
        shared = student.set(1)
        student.get("fill")(shared)
        assert set(shared) == {1, 7}


@pytest.mark.parametrize("make", [lambda student: student.list(1), lambda student: student.set(1)])
def test_a_shared_container_that_is_given_back_is_the_same_stand_in(
    hand_in: HandIn, make: Callable[[Any], Any]
) -> None:
    with hand_in(ECHO).test() as student:
        shared = make(student)
        assert student.get("echo")(shared) is shared


def test_a_shared_list_can_be_read_and_changed_by_position(hand_in: HandIn) -> None:
    with hand_in("").test() as student:
        shared = student.list(1, 2, 3)
        shared[0] = 9
        del shared[1]
        assert (len(shared), shared[0], shared[-1], bool(shared)) == (2, 9, 3, True)


def test_a_result_that_is_kept_stays_on_the_students_side(hand_in: HandIn) -> None:
    with hand_in("def numbers(n): return list(range(n))").test() as student:
        kept = student.kept(student.get("numbers"), 5)
        assert (type(kept), len(kept), kept[4]) == (StandIn, 5, 4)


# --- Numbers and text, exactly.

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


# --- Exceptions.

BUILTIN = [
    *(ValueError, TypeError, KeyError, IndexError, AttributeError, NameError, UnboundLocalError, ZeroDivisionError),
    *(OverflowError, ArithmeticError, LookupError, RecursionError, NotImplementedError, RuntimeError, ImportError),
    *(ModuleNotFoundError, OSError, FileNotFoundError, PermissionError, TimeoutError, AssertionError, EOFError),
    *(BufferError, SyntaxError, UserWarning),
]


def test_a_built_in_exception_is_caught_by_its_class(hand_in: HandIn) -> None:
    with hand_in("import builtins\ndef f(name): raise getattr(builtins, name)('why')").test() as student:
        f = student.get("f")
        for kind in BUILTIN:
            with pytest.raises(kind) as caught:
                f(kind.__name__)
            assert isinstance(caught.value, StudentError)
            assert (caught.value.raised.kind, caught.value.raised.message) == (kind.__name__, str(kind("why")))


def test_a_unicode_error_is_caught_by_its_class(hand_in: HandIn) -> None:
    with hand_in("def f(): return b'\\xff'.decode()").test() as student, pytest.raises(UnicodeDecodeError):
        student.get("f")()


def test_an_exception_of_the_students_own_is_caught_by_the_nearest_built_in_class(hand_in: HandIn) -> None:
    source = "class Odd(KeyError): pass\nclass Odder(Odd): pass\ndef f(): raise Odder('why')"
    with hand_in(source).test() as student:
        with pytest.raises(KeyError) as caught:
            student.get("f")()
        assert isinstance(caught.value, StudentError)
        assert caught.value.raised.kind == "Odder"


@pytest.mark.parametrize("kind", ["SystemExit", "KeyboardInterrupt", "GeneratorExit", "BaseException"])
def test_an_exception_that_would_end_the_run_is_an_ordinary_one(hand_in: HandIn, kind: str) -> None:
    with hand_in(f"def f(): raise {kind}('why')\ndef g(): return 1").test() as student:
        with pytest.raises(StudentError) as caught:
            student.get("f")()
        assert not isinstance(caught.value, SystemExit | KeyboardInterrupt | GeneratorExit)
        assert caught.value.raised.kind == kind
        assert student.get("g")() == 1


def test_an_exception_that_refuses_to_be_shown_is_told_without_its_message(hand_in: HandIn) -> None:
    source = """
        class Shy(ValueError):
            def __str__(self): raise BaseException
            __repr__ = __str__
        def f(): raise Shy
        """
    with hand_in(source).test() as student, pytest.raises(ValueError, match="Shy"):
        student.get("f")()


@pytest.mark.parametrize(("kind", "inner"), [("ExceptionGroup", "ValueError"), ("BaseExceptionGroup", "SystemExit")])
def test_an_exception_group_is_an_error_of_the_students(hand_in: HandIn, kind: str, inner: str) -> None:
    with hand_in(f"def f(): raise {kind}('several', [{inner}()])").test() as student:
        with pytest.raises(StudentError) as caught:
            student.get("f")()
        assert caught.value.raised.kind == kind


def test_file_line_and_function_of_an_exception_are_told(hand_in: HandIn) -> None:
    source = """
        class Value:
            def backward(self):
                return self.grad
        """
    with hand_in(source).test() as student:
        with pytest.raises(AttributeError) as caught:
            student.get("Value")().backward()
        assert isinstance(caught.value, StudentError)
        raised = caught.value.raised
        assert (raised.unit, raised.line, raised.function) == ("value.py", 3, "Value.backward")


def test_the_place_of_an_exception_is_the_students_innermost_line(hand_in: HandIn) -> None:
    with hand_in("import json\ndef f():\n    return json.loads('{')").test() as student:
        with pytest.raises(ValueError, match="line 3") as caught:
            student.get("f")()
        assert isinstance(caught.value, StudentError)
        assert (caught.value.raised.kind, caught.value.raised.line) == ("JSONDecodeError", 3)


def test_the_cell_of_a_notebook_in_which_an_exception_was_raised_is_told(hand_in: HandIn) -> None:
    with hand_in("x = 1", "def f():\n    1 / 0").test() as student:
        with pytest.raises(ZeroDivisionError) as caught:
            student.get("f")()
        assert isinstance(caught.value, StudentError)
        assert (caught.value.raised.unit, caught.value.raised.line) == ("code cell 2", 2)


@pytest.mark.parametrize("length", [0, 1_000, 100_000])
def test_the_message_of_an_exception_is_cut(hand_in: HandIn, length: int) -> None:
    with hand_in("def f(n): raise ValueError('x' * n)").test() as student:
        with pytest.raises(ValueError, match="ValueError") as caught:
            student.get("f")(length)
        assert isinstance(caught.value, StudentError)
        assert caught.value.raised.message == "x" * min(length, 1_000)


def test_the_process_goes_on_after_an_exception(hand_in: HandIn) -> None:
    with hand_in("calls = []\ndef f(): calls.append(1); 1 / 0").test() as student:
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                student.get("f")()
        assert student.get("calls") == [1, 1, 1]


def test_a_stop_iteration_of_the_students_cannot_end_a_loop_of_the_tests(hand_in: HandIn) -> None:
    source = """
        class Value:
            @property
            def grad(self): raise StopIteration
        values = [Value(), Value()]
        """
    with hand_in(source).test() as student, pytest.raises(StudentError):
        list(map(operator.attrgetter("grad"), student.get("values")))


# --- Classes.

CLASSES = """
class Value: pass
class Sub(Value): pass
class Other: pass
class LyingMeta(type):
    def __instancecheck__(cls, instance): return True
    def __subclasscheck__(cls, subclass): return True
class Everything(metaclass=LyingMeta): pass
class Pretender:
    __class__ = Value
value, sub, other, pretender = Value(), Sub(), Other(), Pretender()
"""


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("value", "Value", True),
        ("sub", "Value", True),
        ("value", "Sub", False),
        ("other", "Value", False),
        ("value", "Everything", False),
        ("pretender", "Value", False),
    ],
)
def test_isinstance_goes_by_the_real_class(hand_in: HandIn, name: str, kind: str, expected: bool) -> None:
    with hand_in(CLASSES).test() as student:
        assert isinstance(student.get(name), student.get(kind)) is expected


@pytest.mark.parametrize("plain", [1, 2.0, "text", None, [], {}])
def test_plain_data_is_an_instance_of_no_class_of_the_students(hand_in: HandIn, plain: Any) -> None:
    with hand_in(CLASSES).test() as student:
        assert not isinstance(plain, student.get("Everything"))


@pytest.mark.parametrize("kind", [int, float, str, list, dict, Exception, (int, float)])
def test_an_object_is_an_instance_of_no_plain_class(hand_in: HandIn, kind: Any) -> None:
    with hand_in(CLASSES).test() as student:
        assert not isinstance(student.get("value"), kind)


def test_class_methods_static_methods_and_class_attributes_can_be_used(hand_in: HandIn) -> None:
    source = """
        class Value:
            count = 3
            @classmethod
            def make(cls, n): return (cls, n)
            @staticmethod
            def double(n): return 2 * n
        """
    with hand_in(source).test() as student:
        value_class = student.get("Value")
        assert value_class.make(4) == (value_class, 4)
        assert (value_class.double(5), value_class().double(6), value_class.count) == (10, 12, 3)


def test_objects_can_be_made_with_positional_and_named_arguments(hand_in: HandIn) -> None:
    source = """
        class Value:
            def __init__(self, data, _prev=(), *, label=''): self.all = [data, _prev, label]
        """
    with hand_in(source).test() as student:
        value_class = student.get("Value")
        child = value_class(1.0)
        assert value_class(2.0, (child,), label="x").all == [2.0, (child,), "x"]


# --- Operators.

RECORDER = """
class Value:
    def __init__(self, name): self.name = name
names = 'add sub mul truediv floordiv mod pow matmul lt le gt ge'.split()
for name in names + ['r' + n for n in names[:8]]:
    setattr(Value, f'__{name}__', lambda self, other, name=name: [name, getattr(other, 'name', other)])
for name in ['neg', 'pos', 'abs']:
    setattr(Value, f'__{name}__', lambda self, name=name: [name, self.name])
a, b = Value('a'), Value('b')
"""
BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"]
ORDER = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def test_an_operator_between_two_objects_is_the_students(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        a, b = student.get("a"), student.get("b")
        for name in (*BINARY, *ORDER):
            assert getattr(operator, name)(a, b) == [name, "b"]


def test_an_operator_with_a_number_on_the_right_is_the_students(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        for name in (*BINARY, *ORDER):
            assert getattr(operator, name)(student.get("a"), 2.5) == [name, 2.5]


def test_an_operator_with_a_number_on_the_left_is_the_students_reflected_one(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        for name in BINARY:
            assert getattr(operator, name)(3, student.get("a")) == [f"r{name}", 3]


def test_an_order_with_a_number_on_the_left_is_asked_the_other_way_round(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        for name, other_way in ORDER.items():
            assert getattr(operator, name)(3, student.get("a")) == [other_way, 3]


def test_a_unary_operator_is_the_students(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        for name in ("neg", "pos", "abs"):
            assert getattr(operator, name)(student.get("a")) == [name, "a"]


def test_an_operator_in_place_falls_back_to_the_ordinary_one(hand_in: HandIn) -> None:
    with hand_in(RECORDER).test() as student:
        a = student.get("a")
        a += 1
        assert a == ["add", 1]


def test_an_operator_in_place_is_the_students_own_where_there_is_one(hand_in: HandIn) -> None:
    source = "class Value:\n    def __imul__(self, other): self.by = other; return self\nv = Value()"
    with hand_in(source).test() as student:
        before = after = student.get("v")
        after *= 3
        assert after is before
        assert after.by == 3


@pytest.mark.parametrize(
    "operation", [lambda v: v + 1, lambda v: 1 + v, lambda v: v + v, lambda v: -v, lambda v: v < v]
)
def test_an_operator_that_is_not_there_is_a_type_error(hand_in: HandIn, operation: Callable[[Any], Any]) -> None:
    with hand_in("class Value: pass\nv = Value()").test() as student, pytest.raises(TypeError):
        operation(student.get("v"))


def test_a_reflected_operator_is_tried_when_the_left_one_gives_up(hand_in: HandIn) -> None:
    source = """
        class Left:
            def __add__(self, other): return NotImplemented
        class Right:
            def __radd__(self, other): return 'right'
        left, right = Left(), Right()
        """
    with hand_in(source).test() as student:
        assert student.get("left") + student.get("right") == "right"


def test_sum_adds_a_students_objects_from_zero(hand_in: HandIn) -> None:
    source = """
        class Value:
            def __init__(self, data): self.data = data
            def __add__(self, other): return Value(self.data + getattr(other, 'data', other))
            __radd__ = __add__
        """
    with hand_in(source).test() as student:
        value_class = student.get("Value")
        assert sum([value_class(2), value_class(3)]).data == 5


# --- Functions of the test's, handed in.


def test_a_function_is_called_with_what_the_student_gives_it(hand_in: HandIn) -> None:
    with hand_in("def f(call): return call(2.0, [1], 'x') + 1").test() as student:
        seen: list[Any] = []

        def called(*arguments: Any) -> float:
            seen.append(arguments)
            return 4.5

        assert student.get("f")(called) == 5.5
        assert seen == [(2.0, [1], "x")]


@pytest.mark.parametrize("kind", ["bound method", "built-in", "lambda"])
def test_any_kind_of_function_can_be_handed_in(hand_in: HandIn, kind: str) -> None:
    class Notes:
        def __init__(self) -> None:
            self.taken: list[Any] = []

        def note(self, item: Any) -> None:
            self.taken.append(item)

    notes = Notes()
    functions: dict[str, Callable[[Any], Any]] = {
        "bound method": notes.note,
        "built-in": notes.taken.append,
        "lambda": lambda item: notes.note(item),
    }
    with hand_in("def f(call): call(3)").test() as student:
        student.get("f")(functions[kind])
        assert notes.taken == [3]


def test_a_function_that_is_stored_in_an_attribute_is_called_later(hand_in: HandIn) -> None:
    with hand_in("class Value: pass\ndef run(v): v._backward(); v._backward()").test() as student:
        v, calls = student.get("Value")(), []
        v._backward = lambda: calls.append("called")
        student.get("run")(v)
        assert calls == ["called", "called"]


def test_a_function_that_is_given_back_is_the_same_function(hand_in: HandIn) -> None:
    with hand_in(ECHO).test() as student:

        def function() -> None: ...

        (back,) = student.get("echo")([function])
        assert back == function
        assert back is student.get("echo")([function])[0]


def test_a_function_that_is_given_back_says_nothing_of_itself(hand_in: HandIn) -> None:
    with hand_in(ECHO).test() as student:

        def secret_of_the_test() -> int:
            return 7

        back = student.get("echo")(secret_of_the_test)
        assert repr(back) == "<function>"
        assert back() == 7


def test_a_class_whose_name_stands_in_no_source_is_shown_as_an_object(hand_in: HandIn) -> None:
    source = "class Value: ...\ndef plain(): return Value()\n"
    source += "def made(): return type(f'I_saw_{1 + 1}_and_{2 + 1}', (), {})()\n"
    with hand_in(source).test() as student:
        made, plain = student.get("made")(), student.get("plain")()
        assert (repr(made), student.class_name(made)) == ("<object>", "object")
        assert (repr(plain), student.class_name(plain)) == ("<Value>", "Value")


def test_a_function_is_one_object_on_the_students_side(hand_in: HandIn) -> None:
    with hand_in("def same(a, b): return a is b and a == b and len({a, b}) == 1").test() as student:

        def function() -> None: ...

        assert student.get("same")(function, function) is True


def test_a_function_may_use_the_students_objects_while_it_is_called(hand_in: HandIn) -> None:
    source = """
        class Value:
            def __init__(self): self.grad = 0.0
        v = Value()
        def f(call): call(v); return v.grad
        """
    with hand_in(source).test() as student:

        def called(v: Any) -> None:
            v.grad = v.grad + 2.0

        assert student.get("f")(called) == 2.0


def test_functions_call_each_other_across_the_bridge_to_any_depth(hand_in: HandIn) -> None:
    with hand_in("def down(n, call): return call(n - 1) if n else 'bottom'").test() as student:
        down = student.get("down")

        def called(n: int) -> Any:
            return down(n, called)

        assert down(20, called) == "bottom"


def test_an_exception_in_a_function_of_the_tests_comes_out_of_the_test(hand_in: HandIn) -> None:
    mine = LookupError("mine")

    def called() -> None:
        raise mine

    with hand_in("def f(call): call()").test() as student:
        with pytest.raises(LookupError) as caught:
            student.get("f")(called)
        assert caught.value is mine


@pytest.mark.parametrize(
    "way",
    [
        "try: call()\n    except BaseException: pass",
        "try: call()\n    except: return 'all is well'",
        "try: call()\n    finally: return 'all is well'",
        "import contextlib\n    with contextlib.suppress(BaseException): call()",
        "for _ in range(3):\n        try: call()\n        except BaseException: pass",
        "try: call()\n    except BaseException: raise ValueError('hidden')",
    ],
    ids=["except BaseException", "bare except", "return in finally", "suppress", "again", "another instead"],
)
def test_an_exception_in_a_function_of_the_tests_cannot_be_swallowed(hand_in: HandIn, way: str) -> None:
    def called() -> None:
        raise AssertionError("the test failed here")

    with hand_in(f"def f(call):\n    {way}").test() as student, pytest.raises(AssertionError, match="failed here"):
        student.get("f")(called)


def test_the_students_code_is_left_when_a_function_of_the_tests_raises(hand_in: HandIn) -> None:
    def called() -> None:
        raise AssertionError

    source = "state = []\ndef f(call):\n    try: call(); state.append('went on')\n    finally: state.append('left')"
    with hand_in(source).test() as student:
        with pytest.raises(AssertionError):
            student.get("f")(called)
        assert student.get("state") == ["left"]


@pytest.mark.parametrize("stop", [pytest.fail, pytest.skip], ids=["fail", "skip"])
def test_the_students_code_is_left_when_a_function_of_the_tests_calls_fail_or_skip(
    hand_in: HandIn, stop: Callable[[str], None]
) -> None:
    source = "state = []\ndef f(call):\n    try: call(); state.append('went on')\n    finally: state.append('left')"
    with hand_in(source).test() as student:
        with pytest.raises((pytest.fail.Exception, pytest.skip.Exception)):
            student.get("f")(lambda: stop("here"))
        assert student.get("state") == ["left"]


def test_an_exception_of_the_students_inside_a_function_of_the_tests_comes_out(hand_in: HandIn) -> None:
    source = """
        def bad(): raise KeyError('mine')
        def f(call):
            try: call()
            except BaseException: pass
        """
    with hand_in(source).test() as student:
        bad = student.get("bad")
        with pytest.raises(KeyError):
            student.get("f")(lambda: bad())


def test_an_exception_that_a_function_of_the_tests_handles_goes_no_further(hand_in: HandIn) -> None:
    with hand_in("def bad(): 1 / 0\ndef f(call): return call()").test() as student:
        bad = student.get("bad")

        def called() -> str:
            with pytest.raises(ZeroDivisionError):
                bad()
            return "handled"

        assert student.get("f")(called) == "handled"


# --- Attributes.


def test_attributes_are_read_set_and_deleted(hand_in: HandIn) -> None:
    with hand_in("class Value: pass\nv = Value()\ndef names(): return sorted(vars(v))").test() as student:
        v = student.get("v")
        v.data, v._private = 2.0, "x"
        assert (v.data, v._private) == (2.0, "x")
        del v.data
        assert student.get("names")() == ["_private"]


def test_an_attribute_that_is_not_there_is_an_attribute_error(hand_in: HandIn) -> None:
    with hand_in("class Value: pass\nv = Value()").test() as student:
        v = student.get("v")
        assert not hasattr(v, "data")
        assert getattr(v, "data", "nothing") == "nothing"
        with pytest.raises(AttributeError):
            del v.data


def test_properties_are_computed_and_set_by_the_students_code(hand_in: HandIn) -> None:
    source = """
        class Value:
            _data = 1
            @property
            def data(self): return self._data + 1
            @data.setter
            def data(self, new): self._data = 10 * new
            @property
            def fixed(self): return 7
        v = Value()
        """
    with hand_in(source).test() as student:
        v = student.get("v")
        v.data = 2
        assert v.data == 21
        with pytest.raises(AttributeError):
            v.fixed = 8


def test_a_class_with_slots_refuses_other_attributes(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    __slots__ = ('data',)\nv = Value()").test() as student:
        v = student.get("v")
        v.data = 1
        with pytest.raises(AttributeError):
            v.other = 1
        assert v.data == 1


def test_methods_are_called_with_their_object(hand_in: HandIn) -> None:
    source = """
        class Value:
            def __init__(self, data): self.data = data
            def times(self, n, *, plus=0): return self.data * n + plus
        """
    with hand_in(source).test() as student:
        times = student.get("Value")(3).times
        assert (times(2), times(2, plus=1), times(n=5)) == (6, 7, 15)


def test_special_names_are_never_asked_of_the_student(hand_in: HandIn) -> None:
    source = """
        asked = []
        class Value:
            def __getattr__(self, name): asked.append(name); return 1
        v = Value()
        def read(): return asked
        """
    with hand_in(source).test() as student:
        v = student.get("v")
        for name in ("__wrapped__", "__array__", "__test__", "__iter_me__"):
            with pytest.raises(AttributeError):
                getattr(v, name)
        assert student.get("read")() == []


def test_many_attributes_are_set_and_read_in_one_message(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    def __init__(self, data): self.data = data").test() as student:
        nodes = student.make(student.get("Value"), [1, 2, 3])
        student.set_all((node, "grad", node.data * 10) for node in nodes)
        assert student.get_all(nodes, "grad") == [10, 20, 30]


def test_a_relay_calls_the_tests_function_and_then_sets_an_attribute(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    grad = 0.0\ndef run(call): return call()").test() as student:
        a, b = student.get("Value")(), student.get("Value")()
        seen: list[float] = []
        (relay,) = student.relays([(lambda: seen.append(a.grad), [a, b], "grad", 2.0)])
        student.get("run")(relay)
        assert (seen, a.grad, b.grad) == ([0.0], 2.0, 2.0)


def test_what_is_set_before_an_error_among_many_attributes_stays(hand_in: HandIn) -> None:
    with hand_in("class Value: pass\na, b = Value(), object()").test() as student:
        a, b = student.get("a"), student.get("b")
        with pytest.raises(AttributeError):
            student.set_all([(a, "grad", 1.0), (b, "grad", 1.0)])
        assert a.grad == 1.0


# --- Iteration and items.

ITERABLES = """
class ByIter:
    def __iter__(self): yield from (1, 2, 3)
class ByItem:
    def __getitem__(self, index): return (1, 2, 3)[index]
def generator():
    yield 1
    yield 2
    yield 3
import collections
make = dict(by_iter=ByIter, by_item=ByItem, generator=generator, deque=lambda: collections.deque([1, 2, 3]),
            range=lambda: range(1, 4), keys=lambda: {1: 0, 2: 0, 3: 0}.keys(), map=lambda: map(int, '123'))
def made(name): return make[name]()
"""


@pytest.mark.parametrize("name", ["by_iter", "by_item", "generator", "deque", "range", "keys", "map"])
def test_any_iterable_can_be_iterated(hand_in: HandIn, name: str) -> None:
    with hand_in(ITERABLES).test() as student:
        assert list(student.get("made")(name)) == [1, 2, 3]


def test_a_generator_is_used_up(hand_in: HandIn) -> None:
    with hand_in(ITERABLES).test() as student:
        generator = student.get("made")("generator")
        assert (list(generator), list(generator)) == ([1, 2, 3], [])


def test_an_iteration_without_an_end_is_an_error(hand_in: HandIn) -> None:
    with hand_in("import itertools\nendless = itertools.count()").test() as student, pytest.raises(OverflowError):
        list(student.get("endless"))


def test_an_object_that_is_not_iterable_is_a_type_error(hand_in: HandIn) -> None:
    with hand_in("v = object()").test() as student, pytest.raises(TypeError):
        list(student.get("v"))


def test_an_error_in_the_middle_of_an_iteration_is_raised(hand_in: HandIn) -> None:
    with hand_in("def g():\n    yield 1\n    1 / 0").test() as student, pytest.raises(ZeroDivisionError):
        list(student.get("g")())


def test_items_are_read_set_and_deleted_by_any_key(hand_in: HandIn) -> None:
    source = """
        class Table(dict): pass
        table = Table()
        def shown(): return repr(dict(table))
        """
    with hand_in(source).test() as student:
        table = student.get("table")
        table["a"], table[1, 2] = 1, 2
        assert (table["a"], table[1, 2], len(table)) == (1, 2, 2)
        del table["a"]
        assert student.get("shown")() == "{(1, 2): 2}"
        with pytest.raises(KeyError):
            table["a"]


@pytest.mark.parametrize(
    ("method", "expected"),
    [("__bool__ = lambda self: False", False), ("__len__ = lambda self: 0", False), ("x = 1", True)],
)
def test_truth_is_the_students(hand_in: HandIn, method: str, expected: bool) -> None:
    with hand_in(f"class Value:\n    {method}\nv = Value()").test() as student:
        assert bool(student.get("v")) is expected


# --- What the ``student`` fixture makes.


@pytest.mark.parametrize(("container", "kind"), [("tuple", tuple), ("list", list), ("set", set)])
def test_plain_nodes_hold_earlier_ones(hand_in: HandIn, container: Any, kind: Callable[[Any], Any]) -> None:
    with hand_in("").test() as student:
        a, b, c = student.nodes([[], [0], [0, 1]], container)
        assert (a._prev, b._prev, c._prev) == (kind(()), kind((a,)), kind((a, b)))


def test_a_chain_is_as_long_as_asked_for(hand_in: HandIn) -> None:
    source = "def length(v):\n    n = 1\n    while v._prev: n, (v,) = n + 1, v._prev\n    return n"
    with hand_in(source).test() as student:
        chain = student.chain(5_000, 7)
        assert student.get("length")(chain[7 * 4_999 % 5_000]) == 5_000


def test_positions_go_by_identity(hand_in: HandIn) -> None:
    with hand_in(LIAR).test() as student:
        a, b = student.get("a"), student.get("b")
        among = student.list(a, b)
        assert student.positions([b, a, 3, b], among) == [1, 0, -1, 1]


def test_an_operation_is_repeated_on_its_result(hand_in: HandIn) -> None:
    with hand_in("").test() as student:
        assert student.repeat("mul", 1, 2, 100) == 2**100


def test_repr_and_class_name_are_text(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    def __repr__(self): return 'Value(2)'\nv = Value()").test() as student:
        v = student.get("v")
        assert (student.repr(v), student.class_name(v), student.class_name(2.0)) == ("Value(2)", "Value", "float")


def test_a_name_that_is_not_defined_is_a_name_error(hand_in: HandIn) -> None:
    with hand_in("").test() as student, pytest.raises(NameError):
        student.get("nothing")


# --- From test to test.

GONE = (StudentError, LookupError, TypeError)
"""What using an object that is no more may raise."""


def test_an_object_of_an_earlier_test_is_gone(hand_in: HandIn) -> None:
    submission = hand_in("class Value:\n    data = 1")
    with submission.test() as student:
        kept = student.get("Value")()
        assert kept.data == 1
    with submission.test(), pytest.raises(GONE):
        print(kept.data)


def test_an_object_of_an_earlier_test_is_gone_from_the_students_memory(hand_in: HandIn) -> None:
    source = """
        import weakref
        class Value: pass
        made = []
        def make():
            v = Value()
            made.append(weakref.ref(v))
            return v
        def alive(): return sum(ref() is not None for ref in made)
        """
    submission = hand_in(source)
    with submission.test() as student:
        student.get("make")()
        assert student.get("alive")() == 1
    with submission.test() as student:
        assert student.get("alive")() == 0


def test_an_object_of_an_earlier_process_is_gone(hand_in: HandIn) -> None:
    submission = hand_in("class Value:\n    data = 1\ndef make(): return Value()")
    with submission.test() as student:
        old = student.get("make")()
    submission.bridge.discard()
    with submission.test() as student:
        for _ in range(5):
            student.get("make")()
        with pytest.raises(GONE):
            print(old.data)


def test_names_survive_from_test_to_test(hand_in: HandIn) -> None:
    submission = hand_in("class Value: pass\nshared = object()")
    with submission.test() as student:
        value_class, shared = student.get("Value"), student.get("shared")
        value_class.count = 1
    with submission.test() as student:
        assert student.get("Value") is value_class
        assert student.get("shared") is shared
        assert value_class.count == 1


def test_a_function_of_an_earlier_test_is_not_called_by_a_later_one(hand_in: HandIn) -> None:
    submission = hand_in("kept = []\ndef keep(call): kept.append(call)\ndef run(): kept[0]()")
    calls = []
    with submission.test() as student:
        student.get("keep")(lambda: calls.append(1))
    with submission.test() as student, suppress(StudentError, StudentStopped):
        student.get("run")()
    assert calls == []


def test_a_function_of_an_earlier_test_is_not_taken_for_one_of_a_later(hand_in: HandIn) -> None:
    submission = hand_in("kept = []\ndef keep(call): kept.append(call)\ndef run(): kept[0]()")
    calls = []
    with submission.test() as student:
        student.get("keep")(lambda: calls.append("first"))
    with submission.test() as student, suppress(StudentError, StudentStopped):
        student.get("keep")(lambda: calls.append("second"))
        student.get("run")()
    assert calls == []


def test_ten_thousand_objects_can_be_held_at_once(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    def __init__(self, n): self.n = n").test() as student:
        made = student.make(student.get("Value"), range(10_000))
        assert len(set(made)) == 10_000
        assert made[9_999].n == 9_999


@pytest.mark.parametrize("name", ["I saw 2.0", "len", "Value", "__name__"])
def test_a_built_in_exception_is_one_of_pythons_whatever_a_class_says_of_itself(hand_in: HandIn, name: str) -> None:
    source = f"def f(): raise type({name!r}, (KeyError,), {{'__module__': 'builtins'}})('x')"
    with hand_in(source).test() as student, pytest.raises(StudentError) as raised:
        student.get("f")()
    assert raised.value.raised.builtin == "Exception"
