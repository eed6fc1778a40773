"""Requests sent ahead: they travel with the next one whose answer is waited for, and are assumed to go well.

Most of what a test does is building: ``a + b``, ``c.tanh()``, ``a.grad = 0.0``. Waiting for each answer takes longer
than the student's code does. So a request whose result can be foretold gets a stand-in at once, under a number that
is chosen here, and the student's side gives its result that number. Nothing is taken on trust: a request that raises,
or gives no new object of the class that was foretold, makes everything since unsound; see ``Misjudged``.

What must not be sent ahead: whatever could call a function of the test's, later than its test expects.
"""

from __future__ import annotations

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

UNSEEN, NOTHING, ONE = -2, -1, 0
"""Results: one that nobody gets to see, None, a new object; from 1 on, a list of so many new objects."""
WITHOUT_RESULT = frozenset({"setattr", "setattrs", "delattr", "call back", "pull"})
OPERATORS = frozenset({"add", "sub", "mul", "truediv", "pow", "neg"})
OWN_KINDS = {"relays": "Relay", "shares": "Share", "nodes": "Node", "list": "list", "set": "set"}
EACH = frozenset({"relays", "shares", "nodes"})
QUIET = frozenset({"setattr", "setattrs", *OWN_KINDS})
"""Requests that run none of the student's code, apart from what may stand behind an attribute."""

Foretold = tuple[int, str]
"""Which of the results above, and the class of new objects."""


class Ahead:
    """What is on its way to one process, and what is known of its classes.

    Attributes:
        on: whether anything may be sent ahead at all.
    """

    def __init__(self, asks: Asks) -> None:
        self.on = False
        self._asks = asks
        self._waiting: list[bytes] = []
        self._gives: dict[Any, Foretold | None] = {}
        self._read: dict[int, tuple[str, str]] = {}
        self._next = FIRST

    def result_of(self, request: str, arguments: tuple[Any, ...], *, functions: bool) -> Foretold | None:
        """What a request will give; None when its answer must be waited for.

        Args:
            request: its name.
            arguments: as the test gave them.
            functions: whether the student's side holds functions of the test's.
        """
        if request == "getattr" or (functions and request not in QUIET) or len(self._waiting) >= MOST_AHEAD:
            return None
        if request in WITHOUT_RESULT:
            return UNSEEN, ""
        if request == "op":
            return self._of_operation(arguments[0], arguments[1:])
        if request == "repeat":
            return self._of_operation(arguments[0], arguments[1:3])
        called = self._called(request, arguments)
        if called is not None:
            foretold = self._gives.get(called)
            return (len(arguments[1]), foretold[1]) if foretold and request == "make" else foretold
        kind = OWN_KINDS.get(request)
        return None if kind is None else (len(arguments[0]) if request in EACH else ONE, kind)

    def learn(self, request: str, arguments: tuple[Any, ...], answer: Any, newest: int) -> None:
        """Remember what something gives when it is called, from an answer that was waited for.

        Args:
            request: its name.
            arguments: as the test gave them.
            answer: what it gave.
            newest: the highest number of an object that was known before.
        """
        if request == "getattr" and type(answer) is StandIn:
            self._read[answer._number] = (arguments[0]._class_name, arguments[1])
        called = self._called(request, arguments)
        if called is not None:
            made = answer[0] if request == "make" and answer else answer
            is_new = type(made) is StandIn and newest < made._number < FIRST
            foretold = (ONE, made._class_name) if is_new else (NOTHING, "")
            known = foretold if is_new or made is None else None
            self._gives[called] = known if self._gives.get(called, known) == known else None

    def _called(self, request: str, arguments: tuple[Any, ...]) -> Any:
        """What is called: a class, or a function by the class that it was read from and its name there."""
        if request == "call method":
            return arguments[0]._class_name, arguments[1]
        if request in ("call", "make") and type(arguments[0]) is StandIn:
            number = arguments[0]._number
            return number if arguments[0]._class_name == "type" else self._read.get(number)
        return None

    def _of_operation(self, name: str, operands: tuple[Any, ...]) -> Foretold | None:
        """An operator gives what its operands are."""
        kind = next((one._class_name for one in operands if type(one) is StandIn), "")
        return (ONE, kind) if name in OPERATORS and kind else None

    @property
    def waiting(self) -> bool:
        """Whether anything of this test was not sent yet."""
        return self._waiting not in ([], [FORGET])

    def send(self, request: str, encoded: list[Any], foretold: Foretold) -> list[StandIn]:
        """Put a request with the others; gives stand-ins for its new objects."""
        count, kind = foretold
        first = self._next
        self._waiting.append(pack([first, count, kind, request, *encoded]))
        self._next += max(1, count) if count >= ONE else 0
        return [StandIn(self._asks, number, kind) for number in range(first, self._next)]

    def take(self) -> bytes:
        """What waits, as one frame; nothing if nothing does."""
        if not self._waiting:
            return b""
        waiting, self._waiting = self._waiting, []
        return frame(b'[0,"ahead",[' + b",".join(waiting) + b"]]")

    def forget(self) -> None:
        """Begin a test: what was given out in the one before means nothing any more."""
        self._waiting = [FORGET]
