"""The exchange of messages with one student's process: a request goes out, and its answer is waited for."""

from __future__ import annotations

from typing import Any

from autograder.bridge import inside
from autograder.bridge.ahead import Ahead
from autograder.bridge.answers import fits, raised_of
from autograder.bridge.clock import Clock
from autograder.bridge.errors import Misjudged, StudentStopped, ended_with, student_error
from autograder.bridge.held import Held
from autograder.bridge.wire import Malformed, decode, encode, pack, parse
from autograder.course import Limits
from autograder.sandbox import ChannelClosed, Child, FrameTooLarge
from autograder.sandbox.scratch import SCRATCH_FILES, SCRATCH_MB

SEND_SECONDS = 1.0
"""A process that does not take a message has more of its own to say than it reads."""
LARGE = 1 << 16
"""Bytes; reading a message of that size takes long enough to look at the clock."""
NO_ANSWER = 1 << 30
"""Bytes; a frame that claims more is not a large answer but bytes of something else."""
MOST_NESTED = 40
"""Calls of the tests' functions within calls: real ones are two or three deep."""


class Exchange:
    """One process, from its first message to its last.

    Attributes:
        child: the process.
        clock: the time of the test that is running; set by whoever runs it.
        at: (unit, statement, line) that the process said it is loading, in a careful load.
    """

    clock: Clock

    def __init__(self, child: Child, limits: Limits, held: Held, ahead: Ahead) -> None:
        """Take over a process and wait until it is locked.

        Args:
            child: the process.
            limits: the assignment's.
            held: what the tests hold of it, and it of theirs.
            ahead: what travels with the next request.

        Raises:
            KitFault: it did not start as its tier promises.
        """
        self.at: tuple[int, int, int] | None = None
        self._limits, self._held, self._ahead = limits, held, ahead
        self._number = self._messages = self._nested = 0
        self._failure: BaseException | None = None
        child.ready(inside.program())
        self.child = child

    def answer(self, request: str, arguments: tuple[Any, ...], encoded: list[Any]) -> Any:
        """Send a request and wait for its answer.

        Args:
            request: its name.
            arguments: as the test gave them.
            encoded: the same, as they are sent.

        Raises:
            StudentError: the student's code raised.
            StudentStopped: the process ended, broke a limit or the protocol; it is of no use any more.
            Misjudged: something sent ahead did not go as foretold.
        """
        self._number += 1
        try:
            self._send([self._number, request, *encoded])
            answer = self._answer_to(self._number)
        except ChannelClosed:
            raise ended_with(self.child.exit_status(min(1.0, self.clock.left()))) from None
        except FrameTooLarge as error:
            if error.size > NO_ANSWER:
                raise StudentStopped("protocol", "its process sent something that is no answer") from None
            raise StudentStopped("flood", f"it answered with {error.size} bytes, more than can be read") from None
        except Malformed as error:
            raise StudentStopped("protocol", f"its process sent something that is no answer ({error})") from None
        if not fits(request, arguments, answer):
            raise StudentStopped("protocol", f"its process gave no answer to {request!r} that could be one")
        return answer

    def _send(self, message: list[Any]) -> None:
        self.child.channel.send(pack(message), min(SEND_SECONDS, self.clock.left()), self._ahead.take())

    def _answer_to(self, number: int) -> Any:
        while True:
            arrived = self.child.channel.receive()
            if arrived is None:
                self._check()
                continue
            self._messages += 1
            if self._messages % 128 == 0 or self._messages > self._limits.messages or len(arrived) > LARGE:
                self._check()
            message = parse(arrived)
            if message[1] == "call":
                self._serve_call(message)
            elif message[1] == "noted" and message[0] == 0:
                self._held.take_notes(message[2] if len(message) == 3 else None)
                self._check()
            elif message[1] == "at" and message[0] == 0:
                self._note_place(message)
            elif message[0] != number or len(message) != 3:
                raise Malformed("an answer to nothing")
            elif message[1] == "misjudged" and self._ahead.on:
                raise Misjudged
            else:
                return self._result(message[1], message[2])

    def _check(self) -> None:
        """Look at what is not looked at after each message: output, messages, time."""
        self.child.channel.drain()
        if self.child.channel.printed > self._limits.output_kb * 1024:
            raise StudentStopped("flood", f"it printed more than {self._limits.output_kb} kB")
        if self.child.scratch.overfull:
            raise StudentStopped("flood", f"it wrote more than {SCRATCH_FILES} files or {SCRATCH_MB} MB")
        if self._messages > self._limits.messages:
            raise StudentStopped("messages", f"it exchanged more than {self._limits.messages} messages")
        self.clock.check()

    def _result(self, kind: str, content: Any) -> Any:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        if kind == "ok":
            return self._decoded(content)
        if kind != "raised":
            raise Malformed("an unknown kind of answer")
        raised = raised_of(content)
        if raised.builtin == "MemoryError":
            raise StudentStopped("memory", f"it needs more than {self._limits.memory_mb} MB of memory")
        raise student_error(raised)

    def _decoded(self, content: Any) -> Any:
        try:
            return decode(content, self._held.resolve, self._held.returned)
        except RecursionError:
            raise Malformed("containers are nested too deeply") from None

    def _serve_call(self, message: list[Any]) -> None:
        """The student's code called a function of the test's."""
        if len(message) != 4 or type(message[2]) is not int or type(message[3]) is not list:
            raise Malformed("a broken call")
        number = message[0]
        arguments = [self._decoded(argument) for argument in message[3]]
        self._nested += 1
        if self._nested > MOST_NESTED:
            raise Malformed("calls within calls without an end")
        try:
            if self._failure is not None:
                raise self._failure  # the student's code caught the end of the test and went on
            value = self._held.function(message[2])(*arguments)
            self._send([number, "return", encode(value, self._held)])
        except (StudentStopped, ChannelClosed, Malformed):
            raise
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # pytest's own ways to end a test are not Exceptions
            self._failure = error
            self._send([number, "unwind"])
        finally:
            self._nested -= 1

    def _note_place(self, message: list[Any]) -> None:
        match message[2:]:
            case [int(unit), int(statement), int(line)]:
                self.at = (unit, statement, line)
            case _:
                raise Malformed("a place that is none")
