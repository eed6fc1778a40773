"""Functions of a test's, handed in: called by the student, and never made to fail in silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.bridge.shared import ECHO

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


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
