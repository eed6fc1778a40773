"""Requests sent ahead: they travel with the next one whose answer is waited for, and are assumed to go well.

Most of what a test does is building: ``a + b``, ``c.tanh()``, ``a.grad = 0.0``. Waiting for each answer takes longer
than the student's code does. So a request whose result can be foretold gets a stand-in at once, under a number that
is chosen here, and the student's side gives its result that number. Nothing is taken on trust: a request that raises,
or gives no new object of the class that was foretold, makes everything since unsound; see ``Misjudged``.

What must not be sent ahead: whatever could call a function of the test's, later than its test expects.
"""

from __future__ import annotations

import weakref
from typing import Any

from autograder.bridge.standin import Asks, StandIn
from autograder.bridge.wire import pack
from autograder.sandbox.channel import frame

FIRST = 1 << 30
"""The first number given here; the student's side counts from 1."""
MOST_AHEAD = 200
"""Requests that may wait to be sent."""
FORGET = b"[]"
"""Among requests: drop what the last test held."""

VOID, ONE = -1, 0
"""How many results: none that anybody looks at, one; from 1 on, a list of so many."""
QUIET = frozenset({"setattr", "setattrs", "relays", "shares", "list", "set", "nodes"})
"""Requests that run none of the student's code, apart from what may stand behind an attribute."""
WITHOUT_RESULT = frozenset({"setattr", "setattrs", "delattr", "call back", "pull"})
OPERATORS = frozenset({"add", "sub", "mul", "truediv", "pow", "neg"})
OWN_KINDS = {"relays": "Relay", "shares": "Share", "nodes": "Node", "list": "list", "set": "set"}
EACH = frozenset({"relays", "shares", "nodes"})
FUNCTION, NOTHING = "function", "NoneType"


class Ahead:
    """What is on its way to one process, and what is known of its classes.

    Attributes:
        on: whether anything may be sent ahead at all.
    """

    def __init__(self, asks: Asks) -> None:
        self.on = False
        self._waiting: list[bytes] = []
        self._asks = asks
        self._made_by: dict[int, str] = {}
        self._functions: set[tuple[str, str]] = set()
        self._pending: dict[int, weakref.ref[StandIn]] = {}
        self._first = self._next = FIRST

    def result_of(self, request: str, arguments: tuple[Any, ...], *, functions: bool) -> tuple[int, str] | None:
        """How many results of which class a request has; None when its answer must be waited for.

        Args:
            request: its name.
            arguments: as the test gave them.
            functions: whether the student's side holds functions of the test's.
        """
        if request == "getattr":
            known = (arguments[0]._class_name, arguments[1]) in self._functions
            return (ONE, FUNCTION) if known and not functions and len(self._waiting) < MOST_AHEAD else None
        if (functions and request not in QUIET) or len(self._waiting) >= MOST_AHEAD:
            return None
        if request in WITHOUT_RESULT:
            return VOID, ""
        if request == "op":
            return self._of_operation(arguments[0], arguments[1:])
        if request == "call method":
            return ONE, arguments[0]._class_name
        if request == "repeat":
            return self._of_operation(arguments[0], arguments[1:3])
        if request in ("call", "make"):
            kind = self._kind_made_by(arguments[0])
            if kind is None:
                return None
            return (ONE if request == "call" else len(arguments[1])), kind
        kind = OWN_KINDS.get(request)
        if kind is None:
            return None
        return (len(arguments[0]) if request in EACH else ONE), kind

    def _kind_made_by(self, called: Any) -> str | None:
        if type(called) is not StandIn:
            return None
        if called._number >= FIRST and called._class_name == FUNCTION:
            return NOTHING  # a `_backward`: most give None, and nobody looks
        return self._made_by.get(called._number)

    def _of_operation(self, name: str, operands: tuple[Any, ...]) -> tuple[int, str] | None:
        """An operator gives what its operands are."""
        kind = next((one._class_name for one in operands if type(one) is StandIn), "")
        return (ONE, kind) if name in OPERATORS and kind else None

    @property
    def waiting(self) -> bool:
        """Whether anything of this test was not sent yet."""
        return self._waiting not in ([], [FORGET])

    def send(self, request: str, encoded: list[Any], count: int, kind: str) -> Any:
        """Put a request with the others; gives what ``result_of`` foretold: None, a stand-in, or a list of them."""
        first = self._next
        self._waiting.append(pack([first, count, kind, request, *encoded]))
        if count == VOID:
            return None
        made = [StandIn(self._asks, number, kind) for number in range(first, first + max(1, count))]
        for one in made:
            self._pending[one._number] = weakref.ref(one)
        self._next += len(made)
        return made[0] if count == ONE else made

    def take(self) -> bytes:
        """What waits, as one frame; nothing if nothing does."""
        if not self._waiting:
            return b""
        waiting, self._waiting = self._waiting, []
        return frame(b'[0,"ahead",[' + b",".join(waiting) + b"]]")

    def learn(self, request: str, arguments: tuple[Any, ...], answer: Any) -> None:
        """Remember what a class makes and which attributes are functions, from an answer that was waited for."""
        if request == "getattr" and type(answer) is StandIn and answer._class_name == FUNCTION:
            self._functions.add((arguments[0]._class_name, arguments[1]))
        if request in ("call", "make") and type(arguments[0]) is StandIn and arguments[0]._class_name == "type":
            made = answer if request == "make" else [answer]
            if made and type(made[0]) is StandIn:
                self._made_by[arguments[0]._number] = made[0]._class_name

    def is_pending(self, standin: StandIn) -> bool:
        """Whether this is one that was promised, and not seen yet."""
        found = self._pending.get(standin._number)
        return found is not None and found() is standin

    def knows(self, number: int) -> bool:
        """Whether a number from the student's side is one of its own, or was given out in this test."""
        return number < FIRST or self._first <= number < self._next

    def settle(self, odd: Any) -> list[StandIn] | None:
        """Everything sent ahead was carried out.

        Args:
            odd: a list of the numbers of results that are no new object of the class that was foretold; not believed.

        Returns:
            The stand-ins that somebody holds still; None when one of them is odd.
        """
        pending, self._pending = self._pending, {}
        if type(odd) is not list:
            return None
        if any(type(number) is not int or number not in pending or pending[number]() is not None for number in odd):
            return None
        return [held for one in pending.values() if (held := one()) is not None]

    def forget(self) -> None:
        """Begin a test: what was given out in the one before means nothing any more."""
        self._pending.clear()
        self._first = self._next
        self._waiting = [FORGET]
