"""Exchange messages with one student's process: send a request, and wait for its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograder.bridge.handle_table import HandleTable
from autograder.bridge.next_test_setup import NextTestSetup
from autograder.bridge.process_end_stops import make_process_end_stop
from autograder.bridge.process_messages import (
    MalformedMessage,
    UnparsedAnswer,
    encode_message,
    make_marshalled_request_message,
    parse_json_message,
    split_answers_message,
)
from autograder.bridge.request_value_encoding import encode_value
from autograder.bridge.stuck_code_locator import StuckCodeLocator
from autograder.bridge.student_exceptions import StudentStopped, StudentTimeout, make_malformed_message_stop
from autograder.bridge.time_limit_clock import TimeLimitClock
from autograder.course import Limits
from autograder.sandbox import ChannelClosed, FrameTooLarge, StudentProcess
from autograder.sandbox.bounded_scratch_folder import SCRATCH_FILES, SCRATCH_MB
from autograder.sandbox.frame_channel import pack_frame

LARGE_MESSAGE_BYTES = 1 << 16
"""Size of a message, in bytes, above which reading it takes so long that the clock is checked."""
NO_ANSWER = 1 << 30
"""Size in bytes. A frame that claims more is not a large answer, but bytes of something else."""
MAX_UNREAD_BYTES = 2_000_000
"""Maximum bytes of answers that are kept for tests that have not begun; honest ones are some thousands a test."""
MAX_NESTED_CALLS = 40
"""Maximum depth of calls of the tests' functions within each other; real ones are two or three deep."""


class ProcessConnection:
    """One process, from its first message to its last.

    Attributes:
        process: the process.
        clock: the clock of the running test or of loading; set from outside.
        locator: finds out where the submission's code is while a test waits for it.
        at: (unit, statement, line) that the process announced last, if it announces each statement that it loads.
    """

    clock: TimeLimitClock

    def __init__(self, process: StudentProcess, limits: Limits, handle_table: HandleTable) -> None:
        """Take over a process and wait until it is locked.

        Args:
            process: the process.
            limits: the assignment's.
            handle_table: the objects that the tests and the process hold of each other.

        Raises:
            KitFault: it did not start as its tier promises.
        """
        self.at: tuple[int, int, int] | None = None
        self._limits, self._handle_table = limits, handle_table
        self._number = self._messages = self._nested = 0
        self._held_frames = b""
        self._failure: BaseException | None = None
        process.wait_for_lockdown()
        self.process = process
        self.locator = StuckCodeLocator(process)

    def queue_test_begin(self, setup: NextTestSetup) -> None:
        """Have the process drop what the last test held, and prepare for the next one, before the next request."""
        self._held_frames = setup.pack_message()

    def exchange(self, packed_request: bytes) -> UnparsedAnswer:
        """Send a request, its name first, and wait for its answer.

        Raises:
            StudentStopped: the process ended, broke a limit or the protocol; it can no longer be used.
        """
        self._number += 1
        self.locator.remember_current_request(self._number, packed_request, nested=self._nested > 0)
        self.clock.restart_location_query_timer()
        with self._translate_stops():
            self._send(b'[%d,"ask",[%b]]' % (self._number, packed_request))
            (answer,) = split_answers_message(self._wait_for_answers(self._number, test_has_asked=True), 1)
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return answer

    def iterate_answers_by_test(self, packed_tests: Sequence[tuple[bytes, NextTestSetup]]) -> Iterator[bytes]:
        """Send the requests of several tests at once, when the first answer is asked for; yield the answers.

        Args:
            packed_tests: for each test, its packed requests joined by commas, and how it begins.

        Yields:
            The unparsed message with the answers to the requests of one test. Its number is 0, so that equal answers
            make equal messages.
        """
        first_number = self._number + 1
        self._number += len(packed_tests)
        self.locator.remember_current_request(self._number, b"", nested=False)
        with self._translate_stops():
            frames = [
                setup.pack_message() + pack_frame(make_marshalled_request_message(number, requests))
                for number, (requests, setup) in enumerate(packed_tests, first_number)
            ]
            self.process.channel.send_packed_frames(b"".join(frames), self.clock.raise_if_exceeded)
            bytes_left = MAX_UNREAD_BYTES
            for number in range(first_number, first_number + len(packed_tests)):
                answer = self._wait_for_answers(number, test_has_asked=False)
                bytes_left -= len(answer)
                if bytes_left < 0:
                    raise StudentStopped("flood", "it answered with more than can wait to be read")
                yield b"[0" + answer.removeprefix(b"[%d" % number)

    @contextmanager
    def _translate_stops(self) -> Iterator[None]:
        """Raise whatever ended the process or broke the protocol as ``StudentStopped``."""
        try:
            yield
        except StudentStopped as stopped:
            lives = stopped.again or isinstance(stopped, StudentTimeout) or stopped.cause == "flood"
            if lives:
                self.locator.locate_stop(stopped)
                stopped = self.locator.interrupt_if_repeated(stopped)
            raise stopped from None
        except ChannelClosed:
            raise make_process_end_stop(self.process, self.locator.submission_source.contains_word) from None
        except FrameTooLarge as error:
            if error.size > NO_ANSWER:
                raise make_malformed_message_stop() from None
            raise StudentStopped("flood", "it answered with more than can be read") from None
        except MalformedMessage:
            raise make_malformed_message_stop() from None

    def _send(self, message: bytes) -> None:
        held_frames, self._held_frames = self._held_frames, b""
        self.process.channel.send_packed_frames(held_frames + pack_frame(message), self.clock.raise_if_exceeded)

    def _wait_for_answers(self, number: int, *, test_has_asked: bool) -> bytes:
        prefix = b'[%d,"answers",' % number
        while True:
            frame = self.process.channel.receive_frame_or_none()
            if frame is None:
                self._check_limits()
                continue
            self._messages += 1
            is_large = len(frame) > LARGE_MESSAGE_BYTES
            if is_large or self._messages % 128 == 0 or self._messages > self._limits.messages:
                self._check_limits()
            if frame.startswith(prefix):
                return frame
            message = parse_json_message(frame)
            if message[1] == "call":
                self._serve_test_function_call(message)
            elif message[1] == "called" and message[0] == 0:
                if not test_has_asked:  # these calls would be missing from the answers, from which the test is judged
                    raise MalformedMessage("a callback was reported outside the answers to requests sent ahead")
                self._handle_table.answers_tell_all = False
                self._handle_table.call_callbacks_by_number(message[2] if len(message) == 3 else None)
                self._check_limits()
            elif message[1] == "at" and message[0] == 0:
                self._read_location(message)
            elif message[1] == "line" and message[0] == 0:
                self.locator.check_reported_location(message, self.clock)
            else:
                raise MalformedMessage("the answer belongs to no request")

    def _check_limits(self) -> None:
        """Check what is not checked after each message: output, written files, messages, time."""
        self.process.channel.drain_output()
        if self.process.channel.printed_bytes > self._limits.output_kb * 1024:
            raise StudentStopped("flood", f"it printed more than {self._limits.output_kb} kB")
        if self.process.scratch.exceeds_limits:
            raise StudentStopped("flood", f"it wrote more than {SCRATCH_FILES} files or {SCRATCH_MB} MB")
        if self._messages > self._limits.messages:
            raise StudentTimeout("messages", f"it exchanged more than {self._limits.messages} messages")
        self.clock.raise_if_exceeded()
        self.locator.raise_if_location_overdue(self.clock)
        self.locator.ask_location_if_due(self.clock)

    def _serve_test_function_call(self, message: list[Any]) -> None:
        """Call a function of the test for the student's code, and send back its result."""
        if len(message) != 4 or type(message[2]) is not int or type(message[3]) is not list:
            raise MalformedMessage("the call is malformed")
        number = message[0]
        arguments = [self._handle_table.decode_value(argument) for argument in message[3]]
        self._nested += 1
        if self._nested > MAX_NESTED_CALLS:
            raise MalformedMessage("the calls are nested too deeply")
        try:
            if self._failure is not None:
                raise self._failure  # the student's code caught the end of the test and went on
            value = self._handle_table.get_test_function(message[2])(*arguments)
            self._send(encode_message([number, "return", encode_value(value, self._handle_table)]))
        except (StudentStopped, ChannelClosed, MalformedMessage):
            raise
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # pytest's own ways to end a test are not Exceptions
            self._failure = error
            self._send(encode_message([number, "unwind"]))
        finally:
            self._nested -= 1

    def _read_location(self, message: list[Any]) -> None:
        match message[2:]:
            case [int(unit), int(statement), int(line)]:
                self.at = (unit, statement, line)
            case _:
                raise MalformedMessage("the location is malformed")
