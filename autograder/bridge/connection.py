"""Exchange messages with one student's process: send a request, and wait for its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograder.bridge import inside
from autograder.bridge.errors import StudentStopped, StudentTimeout, make_stop_from_exit_status, too_large
from autograder.bridge.handle_table import HandleTable
from autograder.bridge.stall_detector import StallDetector
from autograder.bridge.time_limit_clock import TimeLimitClock
from autograder.bridge.wire_format import (
    MalformedMessage,
    UnreadAnswer,
    encode,
    pack_message,
    parse_frame,
    split_answers,
)
from autograder.course import Limits
from autograder.sandbox import ChannelClosed, FrameTooLarge, StudentProcess
from autograder.sandbox.frame_channel import pack_frame
from autograder.sandbox.scratch_folder import SCRATCH_FILES, SCRATCH_MB

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


class ProcessConnection:
    """One process, from its first message to its last.

    Attributes:
        child: the process.
        clock: the time of the test that is running; set by whoever runs it.
        whereabouts: finds out where the submission is that a test waits for.
        at: (unit, statement, line) that the process said it is loading, in a careful load.
    """

    clock: TimeLimitClock

    def __init__(self, child: StudentProcess, limits: Limits, held: HandleTable) -> None:
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
        child.wait_until_locked(inside.compile_modules())
        self.child = child
        self.whereabouts = StallDetector(child)

    def begin_test(self, *, reversed_sets: bool, reload: bool) -> None:
        """Have the process drop what the last test held, before the next request.

        Args:
            reversed_sets: as for ``Bridge``.
            reload: whether it is to run the submission's code once more before that.
        """
        self._before = _forget(reversed_sets=reversed_sets, anew=reload)

    def send_requests(self, requests: Sequence[bytes]) -> list[UnreadAnswer]:
        """Send requests, which are carried out one after the other, and wait for the answers.

        Args:
            requests: each packed, its name first.

        Returns:
            As many answers; fewer if a request raises, or gets a void answer because its object is not there.

        Raises:
            StudentStopped: the process ended, broke a limit or the protocol; it can no longer be used.
        """
        self._number += 1
        self.whereabouts.begin_request(
            self._number, requests[0] if len(requests) == 1 else b"", nested=self._nested > 0
        )
        with self._stops_told():
            self._send(_message(self._number, b",".join(requests)))
            answers = split_answers(self._answer_to(self._number), len(requests))
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return answers

    def send_tests(self, tests: Sequence[tuple[bytes, bool]], *, anew: bool) -> Iterator[bytes]:
        """Send the requests of several tests at once, and wait for the answers; see ``send_requests``.

        Args:
            tests: the requests of each, packed, with commas between; and whether sets have the opposite order in it.
            anew: whether the process is to run the submission's code once more before each.

        Yields:
            The message with the answers to the requests of one test, not read yet. Its number is 0, so that
            equal answers make equal messages.
        """
        first = self._number + 1
        self._number += len(tests)
        self.whereabouts.begin_request(self._number, b"", nested=False)
        with self._stops_told():
            frames = [
                _forget(reversed_sets=falling, anew=anew) + pack_frame(_message(number, requests))
                for number, (requests, falling) in enumerate(tests, first)
            ]
            self.child.channel.send_packed_frames(
                b"".join(frames), min(SEND_SECONDS, self.clock.seconds_until_wall_limit())
            )
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
            raise (self.whereabouts.locate_timeout(stopped) if lives else stopped) from None
        except ChannelClosed:
            status = self.child.read_exit_status(min(1.0, self.clock.seconds_until_wall_limit()))
            raise (
                too_large(self._limits.memory_mb) if self.child.was_too_large else make_stop_from_exit_status(status)
            ) from None
        except FrameTooLarge as error:
            if error.size > NO_ANSWER:
                raise make_malformed_message_stop() from None
            raise StudentStopped("flood", f"it answered with {error.size} bytes, more than can be read") from None
        except MalformedMessage:
            raise make_malformed_message_stop() from None

    def _send(self, message: bytes) -> None:
        before, self._before = self._before, b""
        self.child.channel.send_packed_frames(
            before + pack_frame(message), min(SEND_SECONDS, self.clock.seconds_until_wall_limit())
        )

    def _answer_to(self, number: int) -> bytes:
        answers = b'[%d,"answers",' % number
        while True:
            arrived = self.child.channel.receive_frame()
            if arrived is None:
                self._check()
                continue
            self._messages += 1
            if self._messages % 128 == 0 or self._messages > self._limits.messages or len(arrived) > LARGE:
                self._check()
            if arrived.startswith(answers):
                return arrived
            message = parse_frame(arrived)
            if message[1] == "call":
                self._serve_call(message)
            elif message[1] == "noted" and message[0] == 0:
                self._held.run_call_notes(message[2] if len(message) == 3 else None)
                self._check()
            elif message[1] == "at" and message[0] == 0:
                self._note_place(message)
            elif message[1] == "line" and message[0] == 0:
                self.whereabouts.read_reported_location(message, self.clock)
            else:
                raise MalformedMessage("an answer to nothing")

    def _check(self) -> None:
        """Check what is not checked after each message: output, written files, messages, time."""
        self.child.channel.discard_printed_output()
        if self.child.channel.printed > self._limits.output_kb * 1024:
            raise StudentStopped("flood", f"it printed more than {self._limits.output_kb} kB")
        if self.child.scratch.is_overfull:
            raise StudentStopped("flood", f"it wrote more than {SCRATCH_FILES} files or {SCRATCH_MB} MB")
        if self._messages > self._limits.messages:
            raise StudentTimeout("messages", f"it exchanged more than {self._limits.messages} messages")
        self.clock.raise_if_exceeded()
        self.whereabouts.ask_location_if_due(self.clock)

    def _serve_call(self, message: list[Any]) -> None:
        """Call a function of the test's for the student's code, and send back what it gives."""
        if len(message) != 4 or type(message[2]) is not int or type(message[3]) is not list:
            raise MalformedMessage("a broken call")
        number = message[0]
        arguments = [self._held.decode_value(argument) for argument in message[3]]
        self._nested += 1
        if self._nested > MOST_NESTED:
            raise MalformedMessage("calls within calls without an end")
        try:
            if self._failure is not None:
                raise self._failure  # the student's code caught the end of the test and went on
            value = self._held.get_test_function(message[2])(*arguments)
            self._send(pack_message([number, "return", encode(value, self._held)]))
        except (StudentStopped, ChannelClosed, MalformedMessage):
            raise
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # pytest's own ways to end a test are not Exceptions
            self._failure = error
            self._send(pack_message([number, "unwind"]))
        finally:
            self._nested -= 1

    def _note_place(self, message: list[Any]) -> None:
        match message[2:]:
            case [int(unit), int(statement), int(line)]:
                self.at = (unit, statement, line)
            case _:
                raise MalformedMessage("a place that is none")


def _message(number: int, requests: bytes) -> bytes:
    return b'[%d,"ask",[%b]]' % (number, requests)


def _forget(*, reversed_sets: bool, anew: bool) -> bytes:
    return pack_frame(pack_message([0, "forget", [reversed_sets, anew]]))


def make_malformed_message_stop() -> StudentStopped:
    """Return the exception for a message that does not keep to the format; it quotes nothing of that message."""
    return StudentStopped("protocol", "its process sent something that is no answer")
