"""Carry the tests' requests to one student's process, and answer those that need not be sent."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from autograder.bridge.answers import fits, raised_of
from autograder.bridge.errors import StudentError, StudentStopped, student_error, too_large
from autograder.bridge.exchange import Exchange, no_answer
from autograder.bridge.held import Held
from autograder.bridge.replay import Recalled, Transcript, recall
from autograder.bridge.standin import Asks, Method, StandIn
from autograder.bridge.wire import Answer, Malformed, encode, pack
from autograder.course import Limits
from autograder.sandbox import Child


class Link:
    """One process, as the tests know it: its objects, and what was asked of them.

    Attributes:
        child: the process.
        exchange: the messages to and from it.
        transcript: what the test asked so far.
    """

    def __init__(self, child: Child, limits: Limits, asks: Asks, names: Container[str], defines: int) -> None:
        """Take over a process and wait until it is locked.

        Args:
            child: the process.
            limits: the assignment's.
            asks: carries the messages of this link's objects.
            names: the names of classes that may be shown.
            defines: how many names the assignment asks for.

        Raises:
            KitFault: it did not start as its tier promises.
        """
        self._asks, self._limits = asks, limits
        self._held = Held(asks, names, defines, self._looked_up)
        self._methods: set[tuple[str, str]] = set()
        self.exchange = Exchange(child, limits, self._held)
        self.child = child
        self.begin_test(Transcript())

    def begin_test(self, transcript: Transcript, *, falling: bool = False, anew: bool = False) -> None:
        """Drop all objects on both sides but those with a name: a test keeps nothing from the one before it.

        Args:
            transcript: where to write down what it asks.
            falling: whether sets have the opposite order in the test.
            anew: whether the submission's code is run once more before it: its own names then stand for new objects.
        """
        self._held.forget()
        self._methods.clear()
        self.transcript = transcript
        self.exchange.begin_test(falling=falling, anew=anew)

    def ask(self, request: str, *arguments: Any) -> Any:
        """Send a request and return its answer.

        Raises:
            StudentError: the student's code raised.
            StudentStopped: the process ended, broke a limit or the protocol; this link can no longer be used.
            Strayed: another request was sent beforehand.
        """
        if request == "get":
            return self._named(arguments[0])
        if request == "getattr" and (arguments[0]._class_name, arguments[1]) in self._methods:
            return Method(self._asks, *arguments)
        answer = self._answer(request, arguments)
        if request == "type name" or (request == "called" and answer != arguments[0]):
            return self._held.shown_name(answer)
        if request == "getattr" and type(answer) is StandIn and answer._class_name == "method":
            self._methods.add((arguments[0]._class_name, arguments[1]))
        return answer

    def _named(self, name: str) -> Any:
        """Return what has a name in the submission; the process is asked for it once, whichever test is first."""
        if name in self._held.named:
            return self._held.named[name]
        (answer,) = self.exchange.ask([pack(["get", name])])
        met = self._held.met
        value = self._value(answer, "get", (name,))
        self._held.met = met
        if type(value) is StandIn:
            self._held.named[name] = value
        return value

    def _answer(self, request: str, arguments: tuple[Any, ...]) -> Any:
        packed = pack([request, *[encode(argument, self._held) for argument in arguments]])
        self.transcript.repeatable &= not self._held.lent
        answer = self.transcript.answer(packed)
        if not isinstance(answer, Answer):
            (answer,) = self.exchange.ask([packed])
        self.transcript.note(packed, answer)
        return self._value(answer, request, arguments)

    def recalled(self, name: str, found: str) -> None:
        """Note that the test looks up what another test found out. Raises as ``ask`` does."""
        packed = recall(name)
        self.transcript.answer(packed)
        self.transcript.note(packed, Recalled(found.encode()))

    def _value(self, answer: Answer, request: str, arguments: tuple[Any, ...]) -> Any:
        """Return the value that an answer holds; raise the exception that it reports."""
        try:
            if answer.kind == "void":
                raise Malformed("nothing of that kind is there")
            self._held.take_notes(answer.notes)
            if answer.kind == "raised":
                raise self._error(answer)
            value = self._held.decoded(answer.content)
        except Malformed:
            raise no_answer() from None
        if not fits(request, arguments, value):
            raise StudentStopped("protocol", f"its process gave no answer to {request!r} that could be one")
        return value

    def _error(self, answer: Answer) -> Exception:
        error = error_in(answer)
        if error.raised.builtin == "MemoryError":
            stopped = too_large(self._limits.memory_mb)
            stopped.key = self.exchange.whereabouts.place_of(error.raised)
            return stopped
        self.transcript.note_error(error)
        return error

    def _looked_up(self, method: Method) -> StandIn:
        """Return the object behind a method that a test passes on."""
        found = self._answer("getattr", method.parts)
        if type(found) is not StandIn:
            raise LookupError("a method that is no more")
        return found


def error_in(answer: Answer) -> StudentError:
    """Return the exception that an answer reports.

    Raises:
        Malformed: it reports no well-formed exception.
    """
    content, place = answer.content, answer.place
    if type(content) is not dict or type(place) is not dict:
        raise Malformed("an exception that is none")
    return student_error(raised_of({**content, **place}))
