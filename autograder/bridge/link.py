"""What the tests ask of one student's process, and what of it need not be asked."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from autograder.bridge.ahead import ONE, Ahead, Foretold
from autograder.bridge.exchange import Exchange
from autograder.bridge.held import Held
from autograder.bridge.standin import Asks, Method, StandIn
from autograder.bridge.wire import encode
from autograder.course import Limits
from autograder.sandbox import Child


class Link:
    """One process, as the tests know it: its objects, and what is foretold of them.

    Attributes:
        child: the process.
        exchange: the messages to and from it.
        ahead: what is sent ahead.
    """

    def __init__(self, child: Child, limits: Limits, asks: Asks, names: Container[str]) -> None:
        """Take over a process and wait until it is locked.

        Args:
            child: the process.
            limits: the assignment's.
            asks: who carries the messages of this link's objects.
            names: the names of classes that may be shown.

        Raises:
            KitFault: it did not start as its tier promises.
        """
        self._asks = asks
        self._held = Held(asks, names, self._looked_up)
        self.ahead = Ahead(asks)
        self._methods: set[tuple[str, str]] = set()
        self.exchange = Exchange(child, limits, self._held, self.ahead)
        self.child = child

    def ask(self, request: str, *arguments: Any) -> Any:
        """Send a request and give its answer.

        Raises:
            StudentError: the student's code raised.
            StudentStopped: the process ended, broke a limit or the protocol; this link is of no use any more.
            Misjudged: something sent ahead did not go as foretold.
        """
        if request == "get" and arguments[0] in self._held.named:
            return self._held.named[arguments[0]]
        if request == "getattr" and (arguments[0]._class_name, arguments[1]) in self._methods:
            return Method(self._asks, *arguments)
        encoded = [encode(argument, self._held) for argument in arguments]
        if self.ahead.on:
            foretold = self.ahead.result_of(request, arguments, functions=self._held.functions)
            if foretold is not None:
                return self._promised(request, encoded, foretold)
        newest = self._held.newest
        answer = self.exchange.answer(request, arguments, encoded)
        if request == "type name":
            return self._held.shown_name(answer)
        if type(answer) is StandIn:
            if request == "get":
                self._held.named[arguments[0]] = answer
            elif request == "getattr" and answer._class_name == "method":
                self._methods.add((arguments[0]._class_name, arguments[1]))
        self.ahead.learn(request, arguments, answer, newest)
        return answer

    def _promised(self, request: str, encoded: list[Any], foretold: Foretold) -> Any:
        """Send a request with the next one that is waited for; gives what it will give."""
        made = self.ahead.send(request, encoded, foretold)
        if not made:
            return None
        self._held.add(made)
        return made[0] if foretold[0] == ONE else made

    def _looked_up(self, method: Method) -> StandIn:
        """The object behind a method that a test hands on."""
        encoded = [encode(part, self._held) for part in method.parts]
        found = self.exchange.answer("getattr", method.parts, encoded)
        if type(found) is not StandIn:
            raise LookupError("a method that is no more")
        return found

    def forget(self) -> None:
        """Drop all objects on both sides but those with a name: a test keeps nothing from the one before it."""
        self._held.forget()
        self.ahead.forget()
