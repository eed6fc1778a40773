"""Define stand-ins, which a hidden test holds in place of a student's objects.

Operations on a stand-in are messages to the student's process. Identity is kept: the same object there is the same
stand-in here. ``==``, ``in``, sets and dict keys go by identity, so no code of the student's decides a comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol


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
