"""Ordinary Python is loaded as Python does: cells in turn, the standard library, what is only a stub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bridge.loading import loaded_around
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


def test_future_imports_hold_for_their_whole_unit(hand_in: HandIn) -> None:
    source = """
        from __future__ import annotations
        1 / 0
        class Value:
            def f(self, other: NotDefinedAnywhere) -> Value: return 1
        def annotation(): return Value.f.__annotations__["return"]
        """
    with hand_in(source).test() as student:
        assert student.get("annotation")() == "Value"


@once
@pytest.mark.parametrize("future", ["from __future__ import annotations", ""])
@pytest.mark.parametrize("options", ["", "(slots=True)", "(eq=False)", "(frozen=True)"])
def test_a_dataclass_with_any_option_can_be_made_and_read(hand_in: HandIn, future: str, options: str) -> None:
    source = f"""{future}
from dataclasses import dataclass, field
from typing import ClassVar

@dataclass{options}
class Value:
    data: float
    count: ClassVar[int] = 0
    grad: float = 0.0
    _prev: tuple = field(default=())
"""
    with hand_in(source).test() as student:
        value = student.get("Value")(2.0)
        assert (value.data, value.grad, value._prev) == (2.0, 0.0, ())


@pytest.mark.parametrize(
    "source",
    [
        "import enum\nclass E(enum.Enum):\n    a = 1\ndef f(): return E.a.value",
        "import typing\nclass P(typing.NamedTuple):\n    x: int = 1\ndef f(): return P().x",
        "import abc\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def g(self): ...\n"
        "class B(A):\n    def g(self): return 1\ndef f(): return B().g()",
        "import functools\n@functools.total_ordering\nclass A:\n    def __lt__(self, o): return True\n"
        "    def __eq__(self, o): return False\ndef f(): return int(A() <= A())",
        "import contextlib, collections, itertools, functools, operator, statistics, random, copy\n"
        "def f(): return copy.deepcopy([1])[0]",
        "def f(): return len('x'.encode('utf-16-le')) - 1",
        "import ctypes.util, encodings.idna, importlib.resources, xml.dom.minidom, concurrent.futures\n"
        "def f(): return 1",
        "class Meta(type):\n    def __new__(m, n, b, d): return super().__new__(m, n, b, d | {'one': 1})\n"
        "class A(metaclass=Meta): pass\ndef f(): return A.one",
        "x = 0\ndef f():\n    global x\n    x += 1\n    return x",
        "def f():\n    match [1]:\n        case [n]: return n",
        "f = lambda: __import__('pickle').loads(__import__('pickle').dumps(1))",
        "import sys\ndef f(): return sys.modules[__name__].one\none = 1",
        "import inspect\nclass A:\n    def __init__(self, x): pass\n"
        "def f(): return len(inspect.signature(A).parameters)",
        "import threading\ndef f():\n    out = []\n    t = threading.Thread(target=out.append, args=(1,))\n"
        "    t.start(); t.join(); return out[0]",
    ],
)
def test_the_standard_library_is_there(hand_in: HandIn, source: str) -> None:
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("f")() == 1
    assert submission.loaded.problems == ()


def test_the_last_definition_counts(hand_in: HandIn) -> None:
    cells = [f"class Value:\n    version = {version}\nmade = Value()" for version in (1, 2, 3)]
    with hand_in(*cells).test() as student:
        assert student.get("Value").version == 3
        assert isinstance(student.get("made"), student.get("Value"))


def test_methods_that_are_added_later_count(hand_in: HandIn) -> None:
    cells = ["class Value: pass", "def tanh(self): return 1", "Value.tanh = tanh\nValue.relu = lambda self: 2"]
    submission = hand_in(*cells, defines=["Value"])
    with submission.test() as student:
        value = student.get("Value")()
        assert (value.tanh(), value.relu()) == (1, 2)
    assert {"tanh", "relu"} <= submission.loaded.attributes_by_class["Value"]


def test_what_stands_under_main_is_not_run(hand_in: HandIn) -> None:
    assert loaded_around(hand_in, "if __name__ == '__main__':\n    1 / 0").problems == ()


def test_a_name_that_is_not_defined_is_told_as_empty(hand_in: HandIn) -> None:
    loaded = hand_in("x = 1", defines=["Value", "x"]).loaded
    assert loaded.kind_by_name == {"Value": "", "x": "int"}


def test_functions_that_only_raise_not_implemented_error_are_stubs(hand_in: HandIn) -> None:
    source = """
        def stub(a):
            "What to do."
            raise NotImplementedError
        def other_stub(a): raise NotImplementedError("write me")
        def written(a): return a
        """
    loaded = hand_in(source, defines=["stub", "other_stub", "written"]).loaded
    assert loaded.kind_by_name == {"stub": "stub", "other_stub": "stub", "written": "function"}


def test_stubs_are_not_among_the_features_of_a_class(hand_in: HandIn) -> None:
    source = """
        class Value:
            def __init__(self, data): self.data = data
            def tanh(self): raise NotImplementedError
            def relu(self): return 1
        """
    features = hand_in(source, defines=["Value"]).loaded.attributes_by_class["Value"]
    assert {"data", "__init__", "relu"} <= features
    assert "tanh" not in features


@pytest.mark.parametrize(
    "await_something",
    [
        "import asyncio\nawait asyncio.sleep(0)",
        "async def nothing(): return 1\nassert await nothing() == 1",
        "import asyncio\nasync def one(): return 1\nassert await asyncio.gather(one(), one()) == [1, 1]",
        "async def c():\n    yield 1\nasync for number in c(): pass\nassert [n async for n in c()] == [1]",
        "import asyncio\nasync with asyncio.Lock(): pass",
        "import asyncio\nasync def one(): return 1\nassert asyncio.run(asyncio.wait_for(one(), 5)) == 1",
    ],
)
def test_a_cell_may_await_at_its_top_level_as_in_jupyter(hand_in: HandIn, await_something: str) -> None:
    assert loaded_around(hand_in, await_something).problems == ()


def test_a_task_may_be_awaited_in_a_later_cell(hand_in: HandIn) -> None:
    cells = (
        "import asyncio\nasync def one(): return 1",
        "task = asyncio.get_event_loop().create_task(one())\nawait asyncio.sleep(0)",
        "x = await task\ndef f(): return x",
    )
    submission = hand_in(*cells)
    for _ in range(2):
        with submission.test() as student:
            assert student.get("f")() == 1
    assert submission.loaded.problems == ()


@once
def test_what_fails_in_a_cell_that_awaits_costs_its_statement_alone(hand_in: HandIn) -> None:
    trouble = "async def one(): return 1\nawait one()\nassert await one() == 2\n1 / 0\nx = await one()"
    notes = loaded_around(hand_in, f"{trouble}\nassert x == 1").problems
    assert [(note.line, note.error) for note in notes] == [(4, "AssertionError"), (5, "ZeroDivisionError")]


def test_an_await_that_fails_costs_its_statement_alone(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "import asyncio\nawait asyncio.wait_for(asyncio.sleep(0), -1)").problems
    assert (note.line, note.error) == (3, "TimeoutError")


@once
def test_an_await_that_does_not_end_costs_its_statement_alone(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "import asyncio\nawait asyncio.sleep(10_000)").problems
    assert (note.line, note.kind) == (3, "timed out")
