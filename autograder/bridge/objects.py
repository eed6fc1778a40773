"""Hold stand-ins for a student's objects, and number what each side lends to the other."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Protocol

from autograder.bridge.messages import MalformedMessage
from autograder.bridge.student_exceptions import StudentTimeout
from autograder.bridge.values import decode_value


class RequestSender(Protocol):
    """Sends the requests of stand-ins, and records look-ups of remembered findings."""

    def send_request(self, request_name: str, *arguments: Any) -> Any:
        """Send one request and return its answer; raise what the student's code raised."""

    def record_remembered_lookup(self, finding_name: str, finding_repr: str) -> None:
        """Record that a test looked up a finding of an earlier test."""


class StandIn:
    """Represents one object of the student's process. Only the bridge creates stand-ins."""

    __slots__ = ("__weakref__", "_class_name", "_number", "_place", "_request_sender")

    _request_sender: RequestSender
    _number: int
    _class_name: str
    _place: int

    def __init__(self, request_sender: RequestSender, number: int, class_name: str, place: int = 0) -> None:
        object.__setattr__(self, "_request_sender", request_sender)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_place", place)
        object.__setattr__(self, "_class_name", class_name)

    def __getattr__(self, name: str) -> Any:
        # Python and pytest look for many special names; asking the student's process for them would let it answer.
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._request_sender.send_request("getattr", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._request_sender.send_request("setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._request_sender.send_request("delattr", self, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the object."""
        return self._request_sender.send_request("call", self, arguments, keywords)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, StandIn) and bool(self._request_sender.send_request("isinstance", instance, self))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._request_sender.send_request("items", self))

    def __len__(self) -> int:
        return int(self._request_sender.send_request("len", self))

    def __bool__(self) -> bool:
        return bool(self._request_sender.send_request("bool", self))

    def __hash__(self) -> int:
        """Return the rank in which the test met the object, so that sets have the same order in every run."""
        return self._place

    def __contains__(self, item: Any) -> bool:
        return any(item is element or (not isinstance(element, StandIn) and item == element) for element in self)

    def __getitem__(self, key: Any) -> Any:
        return self._request_sender.send_request("getitem", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._request_sender.send_request("setitem", self, key, value)

    def __delitem__(self, key: Any) -> None:
        self._request_sender.send_request("delitem", self, key)

    def __repr__(self) -> str:
        """Return a text made here, so that a failing test's report asks nothing of the student's process."""
        return f"<{self._class_name}>"


class StandInMethod:
    """A method of a stand-in, looked up when it is called: one message instead of two."""

    __slots__ = ("_request_sender", "parts")

    def __init__(self, request_sender: RequestSender, owner: StandIn, name: str) -> None:
        self._request_sender = request_sender
        self.parts = (owner, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call it."""
        return self._request_sender.send_request("call method", *self.parts, arguments, keywords)

    def __repr__(self) -> str:
        return "<method>"


class ReturnedTestCallback:
    """A function of the test that a student's object held. Its own ``repr`` is hidden: it would reveal the test."""

    __slots__ = ("function",)
    __test__ = False

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call it."""
        return self.function(*arguments, **keywords)

    def __eq__(self, other: object) -> bool:
        return self.function == (other.function if isinstance(other, ReturnedTestCallback) else other)

    def __hash__(self) -> int:
        return hash(self.function)

    def __repr__(self) -> str:
        return "<function>"


def _make_binary_operator(name: str) -> Callable[[StandIn, Any], Any]:
    def method(self: StandIn, other: Any) -> Any:
        return self._request_sender.send_request("op", name, self, other)

    return method


def _make_reflected_operator(name: str) -> Callable[[StandIn, Any], Any]:
    def method(self: StandIn, other: Any) -> Any:
        return self._request_sender.send_request("op", name, other, self)

    return method


def _make_unary_operator(name: str) -> Callable[[StandIn], Any]:
    def method(self: StandIn) -> Any:
        return self._request_sender.send_request("op", name, self)

    return method


def _add_operators_to_stand_in() -> None:
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
        setattr(StandIn, f"__{name}__", _make_binary_operator(name))
        setattr(StandIn, f"__r{name}__", _make_reflected_operator(name))
        setattr(StandIn, f"__i{name}__", _make_binary_operator(f"i{name}"))
    for name in ("lt", "le", "gt", "ge"):
        setattr(StandIn, f"__{name}__", _make_binary_operator(name))
    for name in ("neg", "pos", "abs"):
        setattr(StandIn, f"__{name}__", _make_unary_operator(name))


_add_operators_to_stand_in()


@dataclass(frozen=True, slots=True, eq=False)
class RecordingCallback:
    """A callable for the student's code; called, it appends ``name`` to the recorder's list."""

    called_names: list[Any]
    name: Any

    def __call__(self) -> None:
        """Append the name to the recorder's list."""
        self.called_names.append(self.name)


@dataclass(frozen=True, slots=True)
class CallbackOrderRecorder:
    """Records the order in which the student's code calls the recorder's callables, by their names."""

    called_names: list[Any] = field(default_factory=list)
    """The names of the callables that were called, in the order of the calls."""

    def make_callback(self, name: Any) -> RecordingCallback:
        """Return a callable for the student's code that records this name when it is called.

        ``StudentProxy.make_relays`` and ``StudentProxy.make_gradient_adders`` take it, too.
        """
        return RecordingCallback(self.called_names, name)


FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)
MAX_OBJECTS = 300_000
"""Maximum number of the student's objects that one test may hold: more than the deepest graph of a test has."""
HARMLESS = frozenset(
    {
        "function",
        "method",
        "builtin_function_or_method",
        "generator",
        "list_reverseiterator",
        "NoneType",
        "Node",
        "CallThenSetAttributeRelay",
        "ReadAttributeThenCallRelay",
        "WeightedGradientAdder",
        "IterationLimiter",
    }
)
"""Names of Python's and the kit's own classes that may be shown, although ``builtins`` does not have them."""
OF_ANOTHER_TEST = "the object belongs to an earlier test, or to a process that has ended"


class HandleTable:
    """Numbers the objects that one side lends to the other: the student's objects, and the test's functions.

    A ``RecordingCallback`` is called here some time after the student's code called it. References travel as
    ``request_value_encoding`` says.

    Attributes:
        named_stand_ins: what the submission defines, by number; these outlive a test.
        answers_tell_all: whether all that the test saw of the process stands in the answers to its requests. It
            becomes false when a function of the test is lent to the process, or when callbacks are reported outside
            an answer.
        last_met_place: the rank of the object that the test met last; named objects rank before all others.
    """

    def __init__(
        self,
        request_sender: RequestSender,
        names: Container[str],
        named_count: int,
        resolve_method: Callable[[StandInMethod], StandIn],
    ) -> None:
        """Start with nothing held.

        Args:
            request_sender: carries the messages of stand-ins.
            names: the names of classes that may be shown.
            named_count: how many names the assignment asks for or gives.
            resolve_method: requests the object of a method that is passed on instead of called.
        """
        self.named_stand_ins: dict[int, StandIn] = {}
        self.answers_tell_all = True
        self._request_sender, self._names, self._look_up = request_sender, names, resolve_method
        self._objects: dict[int, StandIn] = {}
        self._functions: dict[int, Callable[..., Any]] = {}
        self._returned_callbacks: dict[int, ReturnedTestCallback] = {}
        self._recording_callbacks: dict[int, RecordingCallback] = {}
        self._numbers: dict[Any, int] = {}
        self._named_count = self.last_met_place = named_count
        self._callback_call_count = 0

    def clear_test_handles(self) -> None:
        """Drop all handles of the previous test, except those of objects that have a name."""
        self._objects = dict(self.named_stand_ins)
        for table in (self._functions, self._returned_callbacks, self._recording_callbacks, self._numbers):
            table.clear()
        self._callback_call_count, self.answers_tell_all = 0, True
        self.last_met_place = self._named_count

    def make_reference_or_none(self, value: Any) -> dict[str, int] | None:
        """Return the reference for a stand-in, a method of one or a function; None for anything else."""
        if type(value) is StandIn:
            if self._objects.get(value._number) is not value:
                raise LookupError(OF_ANOTHER_TEST)
            return {"h": value._number}
        if type(value) is StandInMethod:
            return self.make_reference_or_none(self._look_up(value))
        if type(value) is RecordingCallback:
            return {"n": self._get_number(value, self._recording_callbacks)}
        if type(value) is ReturnedTestCallback:
            return self.make_reference_or_none(value.function)
        if isinstance(value, FUNCTIONS):
            self.answers_tell_all = False
            return {"c": self._get_number(value, self._functions)}
        return None

    def try_encode_references(self, values_of_one_type: Sequence[Any]) -> tuple[str, list[int]] | None:
        """Return the tag and the numbers of values that are all stand-ins or all callbacks; None for others."""
        if type(values_of_one_type[0]) is RecordingCallback:
            return "n", [self._get_number(value, self._recording_callbacks) for value in values_of_one_type]
        if type(values_of_one_type[0]) is not StandIn:
            return None
        numbers = [value._number for value in values_of_one_type]
        if not all(map(operator.is_, map(self._objects.get, numbers), values_of_one_type)):
            raise LookupError(OF_ANOTHER_TEST)
        return "h", numbers

    def decode_value(self, data: Any) -> Any:
        """Return JSON data from the student's side as a value. Raises as ``decode_value`` does."""
        try:
            return decode_value(data, self._get_or_make_stand_in, self._get_or_make_returned_callback)
        except RecursionError:
            raise MalformedMessage("containers are nested too deeply") from None

    def _get_or_make_stand_in(self, number: int, class_name: str) -> StandIn:
        """Return the stand-in for an object of the student's.

        Raises:
            MalformedMessage: the test would hold more objects than it can.
        """
        standin = self._objects.get(number)
        if standin is None:
            if len(self._objects) >= MAX_OBJECTS:
                raise MalformedMessage("the answer holds more objects than a test can hold")
            self.last_met_place += 1
            standin = self._objects[number] = StandIn(
                self._request_sender, number, self.mask_unknown_class_name(class_name), self.last_met_place
            )
        return standin

    def mask_unknown_class_name(self, class_name: str) -> str:
        """Return a class's name if it may be shown, else ``object``: an unknown name could say anything."""
        return (
            class_name
            if class_name in self._names or class_name in HARMLESS or hasattr(builtins, class_name)
            else "object"
        )

    def get_test_function(self, number: int) -> Callable[..., Any]:
        """Return a function of the test's.

        Raises:
            MalformedMessage: there is no such function.
        """
        if number not in self._functions:
            raise MalformedMessage("the test's function does not exist")
        return self._functions[number]

    def _get_or_make_returned_callback(self, number: int) -> ReturnedTestCallback:
        """Return the wrapper of a test's function that came back as a value. Raises as ``get_test_function`` does."""
        callback = self._returned_callbacks.get(number)
        if callback is None:
            callback = self._returned_callbacks[number] = ReturnedTestCallback(self.get_test_function(number))
        return callback

    def call_callbacks_by_number(self, callback_numbers: Any) -> None:
        """Call the recording callbacks that the student's code called, in the same order.

        Args:
            callback_numbers: the numbers of the callbacks, as received and unchecked.

        Raises:
            MalformedMessage: this is not a list of numbers of known callbacks.
            StudentTimeout: the test's callbacks were called more than ``MAX_OBJECTS`` times.
        """
        if type(callback_numbers) is not list:
            raise MalformedMessage("the list of called callbacks is malformed")
        self._callback_call_count += len(callback_numbers)
        if self._callback_call_count > MAX_OBJECTS:
            raise StudentTimeout("messages", f"it called more than {MAX_OBJECTS} functions of one test")
        for number in callback_numbers:
            if type(number) is not int or number not in self._recording_callbacks:
                raise MalformedMessage("the callback does not exist")
            self._recording_callbacks[number]()

    def _get_number(self, lent: Any, lent_by_number: dict[int, Any]) -> int:
        """Return the number of a callback or function of the test's; give it the next one of its table."""
        number = self._numbers.get(lent)
        if number is None:
            number = self._numbers[lent] = len(lent_by_number)
            lent_by_number[number] = lent
        return number
