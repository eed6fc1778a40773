"""The former names of what ``student`` offers do what the present ones do, and warn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from autograder.bridge import LocalStudentProxy
from autograder.bridge.callback_order_recorder import CallbackOrderRecorder
from autograder.bridge.former_student_names import FormerStudentMethods
from tests.bridge.conftest import HandIn

ENGINE = """
class Value:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 1.0, prev
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))
        def back():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = back
        return out

def add_one(items): items.append(1) if isinstance(items, list) else items.add(1)
def count(length): return list(range(length))
"""


def change_container(student: Any, method: Callable[..., Any]) -> Any:
    made = method(2)
    student.get("add_one")(made)
    return sorted(made)


def describe_plain_nodes(student: Any, method: Callable[..., Any]) -> Any:
    first, second = method([[], [0]], "list")
    return second._prev == [first]


def describe_chain(student: Any, method: Callable[..., Any]) -> Any:
    nodes = method(5, 2)
    return student.find_positions([node for at in (0, 2, 4) for node in nodes[at]._prev], nodes)


def set_gradients(student: Any, method: Callable[..., Any]) -> Any:
    values = student.make_all(student.get("Value"), [1.0, 2.0])
    method((value, "grad", 7.0) for value in values)
    return [value.grad for value in values]


def call_relay(student: Any, method: Callable[..., Any]) -> Any:
    a, b = student.make_all(student.get("Value"), [1.0, 2.0])
    (a._backward,) = method([(None, [b], "grad", 7.0)])
    a._backward()
    return b.grad


def call_reader(student: Any, method: Callable[..., Any]) -> Any:
    a, b = student.make_all(student.get("Value"), [1.0, 2.0])
    (reader,) = method([(a, "grad", student.make_relays([(None, [b], "grad", 7.0)])[0])])
    reader()
    return [*reader.found], b.grad


def call_adder(student: Any, method: Callable[..., Any]) -> Any:
    a, b = student.make_all(student.get("Value"), [1.0, 2.0])
    recorder = student.make_call_recorder()
    (adder,) = method([(recorder.make_callback("b"), b, [a], [3.0], "grad")])
    adder()
    return a.grad, recorder.called_names


def propagate(student: Any, method: Callable[..., Any]) -> Any:
    a, b = student.make_all(student.get("Value"), [1.0, 2.0])
    out = a + b
    method(out, 5.0)
    return a.grad, b.grad, out.grad


def count_iterations(student: Any, method: Callable[..., Any]) -> Any:
    a, b = student.make_all(student.get("Value"), [1.0, 2.0])
    out = a + b
    looks = method([out], "_prev", 100)
    assert list(out._prev) == [a, b]
    return looks.count


class Renamed(NamedTuple):
    """A method's former and present name, and a use of it: given the student and the method, what comes of it."""

    former: str
    present: str
    use: Callable[[Any, Callable[..., Any]], Any]


RENAMED = (
    Renamed("list", "make_list", change_container),
    Renamed("set", "make_set", change_container),
    Renamed("nodes", "make_plain_nodes", describe_plain_nodes),
    Renamed("chain", "make_plain_chain", describe_chain),
    Renamed(
        "make", "make_all", lambda student, method: [one.data for one in method(student.get("Value"), [1.0, 2.0])]
    ),
    Renamed("kept", "call_and_keep_result", lambda student, method: [*method(student.get("count"), 3)]),
    Renamed("set_all", "set_attributes", set_gradients),
    Renamed("get_all", "get_attributes", lambda student, method: [*method([student.get("Value")(2.0)], "data")]),
    Renamed("relays", "make_relays", call_relay),
    Renamed("readers", "make_attribute_reading_relays", call_reader),
    Renamed("shares", "make_gradient_adders", call_adder),
    Renamed("recorder", "make_call_recorder", lambda _, method: method()),
    Renamed("call_back", "call_node_backward", propagate),
    Renamed("pull", "propagate_gradient", propagate),
    Renamed("watch", "count_iterations", count_iterations),
    Renamed("called", "resolve_attribute_name", lambda _, method: method("_prev")),
    Renamed("positions", "find_positions", lambda student, method: method([3], student.make_list(3))),
    Renamed("repeat", "repeat_operation", lambda _, method: method("mul", 1, 2, 10)),
    Renamed("class_name", "get_class_name", lambda student, method: method(student.get("Value")(2.0))),
)
each_renamed = pytest.mark.parametrize("renamed", RENAMED, ids=[one.former for one in RENAMED])


def local_student() -> LocalStudentProxy:
    names: dict[str, Any] = {}
    exec(ENGINE, names)
    return LocalStudentProxy(names)


def require_same_result_and_warning(student: Any, renamed: Renamed) -> None:
    """Use a method under both names, with warnings as errors under the present one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = renamed.use(student, getattr(student, renamed.present))
    told = rf"^{type(student).__name__}\.{renamed.former} is now called {renamed.present}$"
    with pytest.warns(DeprecationWarning, match=told) as warned:
        assert renamed.use(student, getattr(student, renamed.former)) == expected
    assert [one.filename for one in warned] == [__file__]


@each_renamed
def test_a_former_method_does_in_the_students_process_what_the_present_one_does(
    hand_in: HandIn, renamed: Renamed
) -> None:
    with hand_in(ENGINE, defines=["Value"]).test() as student:
        require_same_result_and_warning(student, renamed)


@each_renamed
def test_a_former_method_does_in_process_what_the_present_one_does(renamed: Renamed) -> None:
    require_same_result_and_warning(local_student(), renamed)


def test_every_former_name_is_tried_here() -> None:
    assert {name for name in vars(FormerStudentMethods) if not name.startswith("_")} == {
        one.former for one in RENAMED
    }


def test_nodes_takes_its_container_by_its_former_keyword(hand_in: HandIn) -> None:
    with hand_in("").test() as process_student:
        for student in (process_student, local_student()):
            with pytest.warns(DeprecationWarning, match="make_plain_nodes"):
                (node,) = student.nodes([[]], container="set")
            assert node._prev == set()


@pytest.mark.parametrize(("keeps", "gradient"), [(True, 3.0), (False, 2.0)])
def test_pull_keeps_inner_gradients_by_its_former_keyword(hand_in: HandIn, *, keeps: bool, gradient: float) -> None:
    with hand_in(ENGINE, defines=["Value"]).test() as process_student:
        for student in (process_student, local_student()):
            a, b = student.make_all(student.get("Value"), [1.0, 2.0])
            inner = a + b
            with pytest.warns(DeprecationWarning, match="propagate_gradient"):
                student.pull(inner + a, 2.0, keep=keeps)
            assert inner.grad == gradient


def test_a_recorder_has_its_former_names_too() -> None:
    recorder = CallbackOrderRecorder()
    with pytest.warns(DeprecationWarning, match=r"^CallbackOrderRecorder\.note is now called make_callback$"):
        recorder.note("a")()
    recorder.make_callback("b")()
    with pytest.warns(DeprecationWarning, match=r"^CallbackOrderRecorder\.noted is now called called_names$"):
        assert recorder.noted is recorder.called_names
    assert recorder.called_names == ["a", "b"]
