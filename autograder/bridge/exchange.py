"""Exchange messages with one student's process: send a request, and wait for its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograder.bridge import inside
from autograder.bridge.clock import Clock
from autograder.bridge.errors import StudentStopped, StudentTimeout, ended_with, too_large
from autograder.bridge.held import Held
from autograder.bridge.whereabouts import Whereabouts
from autograder.bridge.wire import Answer, Malformed, answers_in, encode, pack, parse
from autograder.course import Limits
from autograder.sandbox import ChannelClosed, Child, FrameTooLarge
from autograder.sandbox.channel import frame
from autograder.sandbox.scratch import SCRATCH_FILES, SCRATCH_MB

SEND_SECONDS = 1.0
"""A process that does not take a message has more of its own to say than it reads."""
LARGE = 1 << 16
"""Bytes; reading a message of that size takes long enough to look at the clock."""
NO_ANSWER = 1 << 30
"""Bytes; a frame that claims more is not a large answer but bytes of something else."""
MOST_WAITING = 2_000_000
"""Bytes of answers that wait for tests which have not begun: honest ones are some thousands a test."""
MOST_NESTED = 40
"""Calls of the tests' functions within calls: real ones are two or three deep."""


class Exchange:
    """One process, from its first message to its last.

    Attributes:
        child: the process.
        clock: the time of the test that is running; set by whoever runs it.
        whereabouts: finds out where the submission is that a test waits for.
        at: (unit, statement, line) that the process said it is loading, in a careful load.
    """

    clock: Clock

    def __init__(self, child: Child, limits: Limits, held: Held) -> None:
        """Take over a process and wait until it is locked.

        Args:
            child: the process.
            limits: the assignment's.
            held: what the tests and the process hold of each other.

        Raises:
            KitFault: it did not start as its tier promises.
        """
        self.at: tuple[int, int, int] | None = None
        self._limits, self._held = limits, held
        self._number = self._messages = self._nested = 0
        self._before = b""
        self._failure: BaseException | None = None
        child.ready(inside.program())
        self.child = child
        self.whereabouts = Whereabouts(child)

    def begin_test(self, *, falling: bool, anew: bool) -> None:
        """Have the process drop what the last test held, before the next request.

        Args:
            falling: as for ``Bridge``.
            anew: whether it is to run the submission's code once more before that.
        """
        self._before = _forget(falling=falling, anew=anew)

    def ask(self, requests: Sequence[bytes]) -> list[Answer]:
        """Send requests, which are carried out one after the other, and wait for the answers.

        Args:
            requests: each packed, its name first.

        Returns:
            As many answers; fewer if a request raises, or gets a void answer because its object is not there.

        Raises:
            StudentStopped: the process ended, broke a limit or the protocol; it can no longer be used.
        """
        self._number += 1
        self.whereabouts.begin(self._number, requests[0] if len(requests) == 1 else b"", nested=self._nested > 0)
        with self._stops_told():
            self._send(_message(self._number, b",".join(requests)))
            answers = answers_in(self._answer_to(self._number), len(requests))
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return answers

    def ask_tests(self, tests: Sequence[tuple[bytes, bool]], *, anew: bool) -> Iterator[bytes]:
        """Send the requests of several tests at once, and wait for the answers; see ``ask``.

        Args:
            tests: the requests of each, packed, with commas between; and whether sets have the opposite order in it.
            anew: whether the process is to run the submission's code once more before each.

        Yields:
            The message with the answers to the requests of one test, not read yet. Its number is 0, so that
            equal answers make equal messages.
        """
        first = self._number + 1
        self._number += len(tests)
        self.whereabouts.begin(self._number, b"", nested=False)
        with self._stops_told():
            frames = [
                _forget(falling=falling, anew=anew) + frame(_message(number, requests))
                for number, (requests, falling) in enumerate(tests, first)
            ]
            self.child.channel.send_frames(b"".join(frames), min(SEND_SECONDS, self.clock.left()))
            room = MOST_WAITING
            for number in range(first, first + len(tests)):
                answer = self._answer_to(number)
                room -= len(answer)
                if room < 0:
                    raise StudentStopped("flood", "it answered with more than can wait to be read")
                yield b"[0" + answer.removeprefix(b"[%d" % number)

    @contextmanager
    def _stops_told(self) -> Iterator[None]:
        """Raise whatever ended the process or broke the protocol as ``StudentStopped``."""
        try:
            yield
        except StudentStopped as stopped:
            lives = stopped.again or isinstance(stopped, StudentTimeout) or stopped.cause == "flood"
            raise (self.whereabouts.looked_into(stopped) if lives else stopped) from None
        except ChannelClosed:
            status = self.child.exit_status(min(1.0, self.clock.left()))
            raise (too_large(self._limits.memory_mb) if self.child.was_too_large else ended_with(status)) from None
        except FrameTooLarge as error:
            if error.size > NO_ANSWER:
                raise no_answer() from None
            raise StudentStopped("flood", f"it answered with {error.size} bytes, more than can be read") from None
        except Malformed:
            raise no_answer() from None

    def _send(self, message: bytes) -> None:
        before, self._before = self._before, b""
        self.child.channel.send_frames(before + frame(message), min(SEND_SECONDS, self.clock.left()))

    def _answer_to(self, number: int) -> bytes:
        answers = b'[%d,"answers",' % number
        while True:
            arrived = self.child.channel.receive()
            if arrived is None:
                self._check()
                continue
            self._messages += 1
            if self._messages % 128 == 0 or self._messages > self._limits.messages or len(arrived) > LARGE:
                self._check()
            if arrived.startswith(answers):
                return arrived
            message = parse(arrived)
            if message[1] == "call":
                self._serve_call(message)
            elif message[1] == "noted" and message[0] == 0:
                self._held.take_notes(message[2] if len(message) == 3 else None)
                self._check()
            elif message[1] == "at" and message[0] == 0:
                self._note_place(message)
            elif message[1] == "line" and message[0] == 0:
                self.whereabouts.take_line(message, self.clock)
            else:
                raise Malformed("an answer to nothing")

    def _check(self) -> None:
        """Check what is not checked after each message: output, written files, messages, time."""
        self.child.channel.drain()
        if self.child.channel.printed > self._limits.output_kb * 1024:
            raise StudentStopped("flood", f"it printed more than {self._limits.output_kb} kB")
        if self.child.scratch.overfull:
            raise StudentStopped("flood", f"it wrote more than {SCRATCH_FILES} files or {SCRATCH_MB} MB")
        if self._messages > self._limits.messages:
            raise StudentTimeout("messages", f"it exchanged more than {self._limits.messages} messages")
        self.clock.check()
        self.whereabouts.look(self.clock)

    def _serve_call(self, message: list[Any]) -> None:
        """Call a function of the test's for the student's code, and send back what it gives."""
        if len(message) != 4 or type(message[2]) is not int or type(message[3]) is not list:
            raise Malformed("a broken call")
        number = message[0]
        arguments = [self._held.decoded(argument) for argument in message[3]]
        self._nested += 1
        if self._nested > MOST_NESTED:
            raise Malformed("calls within calls without an end")
        try:
            if self._failure is not None:
                raise self._failure  # the student's code caught the end of the test and went on
            value = self._held.function(message[2])(*arguments)
            self._send(pack([number, "return", encode(value, self._held)]))
        except (StudentStopped, ChannelClosed, Malformed):
            raise
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # pytest's own ways to end a test are not Exceptions
            self._failure = error
            self._send(pack([number, "unwind"]))
        finally:
            self._nested -= 1

    def _note_place(self, message: list[Any]) -> None:
        match message[2:]:
            case [int(unit), int(statement), int(line)]:
                self.at = (unit, statement, line)
            case _:
                raise Malformed("a place that is none")


def _message(number: int, requests: bytes) -> bytes:
    return b'[%d,"ask",[%b]]' % (number, requests)


def _forget(*, falling: bool, anew: bool) -> bytes:
    return frame(pack([0, "forget", [falling, anew]]))


def no_answer() -> StudentStopped:
    """Return the exception for a message that does not keep to the format; it quotes nothing of that message."""
    return StudentStopped("protocol", "its process sent something that is no answer")
