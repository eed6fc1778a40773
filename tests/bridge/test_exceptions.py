"""An exception of the student's is caught by its class, told with its place, and disturbs nothing."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentError

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

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


def test_a_stop_iteration_of_the_students_cannot_end_a_loop_of_the_tests(hand_in: HandIn) -> None:
    source = """
        class Value:
            @property
            def grad(self): raise StopIteration
        values = [Value(), Value()]
        """
    with hand_in(source).test() as student, pytest.raises(StudentError):
        list(map(operator.attrgetter("grad"), student.get("values")))


@pytest.mark.parametrize("name", ["I saw 2.0", "len", "Value", "__name__"])
def test_a_built_in_exception_is_one_of_pythons_whatever_a_class_says_of_itself(hand_in: HandIn, name: str) -> None:
    source = f"def f(): raise type({name!r}, (KeyError,), {{'__module__': 'builtins'}})('x')"
    with hand_in(source).test() as student, pytest.raises(StudentError) as raised:
        student.get("f")()
    assert raised.value.raised.builtin == "Exception"
