"""Carry the tests' requests to one student's process, and read its answers."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import chain, pairwise
from typing import Any

from autograder.bridge.clocks import TimeLimitClock
from autograder.bridge.hangs import StuckCodeLocator
from autograder.bridge.messages import (
    FindingLookupAnswer,
    MalformedMessage,
    NextTestSetup,
    RequestTranscript,
    TranscriptMismatch,
    UnparsedAnswer,
    encode_message,
    is_exception_answer,
    make_finding_lookup_request,
    make_marshalled_request_message,
    parse_json_message,
    split_answers_message,
)
from autograder.bridge.objects import HandleTable, RequestSender, StandIn, StandInMethod
from autograder.bridge.request_sequences import are_leading_results_well_formed
from autograder.bridge.student_exceptions import (
    TEXT_LENGTH,
    ReportedException,
    StudentError,
    StudentStopped,
    StudentTimeout,
    get_builtin_exception_name_or_default,
    make_malformed_message_stop,
    make_student_error,
)
from autograder.bridge.values import encode_value
from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import ChannelClosed, FrameTooLarge, StudentProcess
from autograder.sandbox.frame_channel import pack_frame
from autograder.sandbox.sandbox_config import SCRATCH_FILES, SCRATCH_MB

ANSWER_TYPE_BY_REQUEST: dict[str, type] = {
    **dict.fromkeys(("items", "positions", "nodes", "make", "relays", "shares", "getattrs", "run", "scripts"), list),
    **dict.fromkeys(("bool", "isinstance"), bool),
    **dict.fromkeys(("repr", "type name", "called"), str),
    "len": int,
}
"""The type of the answer, for requests that have only one. Whatever the student's objects are, Python or the kit's
own code in the process gives no other type."""
COUNT_ARGUMENT_OF = {"nodes": 0, "make": 1, "relays": 0, "shares": 0, "getattrs": 0, "run": 1}
"""Requests that are answered with one item for each item of an argument, and the index of that argument."""


def _has_expected_type_and_length(request_name: str, arguments: tuple[Any, ...], answer: Any) -> bool:
    """Return whether an answer has the type and the number of items that the request requires."""
    kind = ANSWER_TYPE_BY_REQUEST.get(request_name)
    if kind is not None and type(answer) is not kind:
        return False
    if request_name == "scripts":
        return are_leading_results_well_formed(answer, arguments[1])
    counted = COUNT_ARGUMENT_OF.get(request_name)
    return counted is None or len(answer) == len(arguments[counted])


def parse_reported_exception(exception_data: Any) -> ReportedException:
    """Return the exception that an answer reports, with every field checked and texts truncated.

    Raises:
        MalformedMessage: the data is not a well-formed exception.
    """
    if type(exception_data) is not dict:
        raise MalformedMessage("the exception is malformed")
    values: dict[str, Any] = {}
    for field in fields(ReportedException):
        value = exception_data.get(field.name)
        if field.name == "line":
            if type(value) is not int:
                raise MalformedMessage("the exception has no line")
            values["line"] = value
        else:
            if type(value) is not str:
                raise MalformedMessage(f"the exception has no {field.name}")
            values[field.name] = value[:TEXT_LENGTH]
    values["builtin"] = get_builtin_exception_name_or_default(values["builtin"])
    return ReportedException(**values)


COMMON_EXIT_CODES = ("0", "1")
LONGEST_END_SECONDS, END_LOOK_SECONDS = 60.0, 0.02
MOST_LOOKS_ASLEEP = 15
"""A process that ends does not sleep; one that is seen asleep so often has only closed its channel."""
MOST_CPU_SECONDS = 0.3
"""CPU seconds after which a process that closed its channel is taken to go on."""
CRASH_SIGNALS = ("SIGSEGV", "SIGBUS", "SIGABRT")


def _make_process_end_stop(process: StudentProcess, is_word_in_source: Callable[[str], bool]) -> StudentStopped:
    """Return the exception for a process that closed its channel.

    Args:
        process: the process.
        is_word_in_source: returns whether a number or a name stands in the submission's source.

    Raises:
        KitFault: it was ended from outside.
    """
    status = _wait_for_exit_status_or_none(process)
    if process.was_killed_from_outside:
        raise KitFault(
            "the init process of a submission was killed", advice="see whether the machine is short of memory"
        ) from None
    return _make_stop_from_exit_status(status, is_word_in_source)


def _wait_for_exit_status_or_none(process: StudentProcess) -> int | None:
    """Wait for the end of a process that closed its channel; return None if it lives on.

    On a busy machine its end takes long. So it is given up only when it was seen asleep, or went on computing.
    """
    deadline, asleep_count = time.monotonic() + LONGEST_END_SECONDS, 0
    cpu_seconds_before, _ = process.read_cpu_seconds_and_state()
    while time.monotonic() < deadline:
        status = process.wait_for_exit_status_or_none(END_LOOK_SECONDS)
        if status is not None:
            return status
        cpu_seconds, state = process.read_cpu_seconds_and_state()
        asleep_count += state == "S"
        if asleep_count > MOST_LOOKS_ASLEEP or (cpu_seconds or 0.0) - (cpu_seconds_before or 0.0) > MOST_CPU_SECONDS:
            break
    return process.wait_for_exit_status_or_none(0)


def _make_stop_from_exit_status(exit_status: int | None, is_word_in_source: Callable[[str], bool]) -> StudentStopped:
    """Return the exception for a process that ended, or that lives and has closed its channel.

    A program chooses its exit code, and may compute it from values of a hidden test. So a code is shown only if it is
    0, 1, or a number that stands in the source. The name of a signal is shown only if a crash, the kernel or the
    source itself explains it.

    Args:
        exit_status: the exit status, negative for a signal; None if the process lives and has closed its channel.
        is_word_in_source: returns whether a number or a name stands in the submission's source.
    """
    if exit_status is None:
        return StudentStopped("protocol", "its process closed the channel to the tests")
    if exit_status == -signal.SIGXCPU:
        return StudentStopped("cpu", "its process used up all its CPU time")
    if exit_status < 0:
        return _make_stop_from_signal(-exit_status, is_word_in_source)
    code = str(exit_status)
    is_told = code in COMMON_EXIT_CODES or is_word_in_source(code)
    with_code = f"(exit code {code})" if is_told else "(with another exit code than 0 or 1)"
    return StudentStopped("exit", f"it ended its process {with_code} instead of returning")


def _make_stop_from_signal(number: int, is_in_source: Callable[[str], bool]) -> StudentStopped:
    try:
        name = signal.Signals(number).name
    except ValueError:  # a real-time signal has a number alone
        name = ""
    if name in CRASH_SIGNALS:
        return StudentStopped("signal", f"its process ended with {name}: the interpreter itself crashed")
    with_name = f"with {name}" if name == "SIGKILL" or (name and is_in_source(name)) else "with a signal"
    return StudentStopped("signal", f"its process ended {with_name}: it was killed")


LARGE_MESSAGE_BYTES = 1 << 16
"""Size of a message, in bytes, above which reading it takes so long that the clock is checked."""
NO_ANSWER = 1 << 30
"""Size in bytes. A frame that claims more is not a large answer, but bytes of something else."""
MAX_UNREAD_BYTES = 2_000_000
"""Maximum bytes of answers that are kept for tests that have not begun; honest ones are some thousands a test."""
MAX_NESTED_CALLS = 40
"""Maximum depth of calls of the tests' functions within each other; real ones are two or three deep."""


class ProcessConnection:
    """One process as the tests see it: its objects, and the messages to and from it.

    Attributes:
        process: the process.
        clock: the clock of the running test or of loading; set from outside.
        transcript: the test's requests so far.
        locator: finds out where the submission's code is while a test waits for it.
        at: (unit, statement, line) that the process announced last, if it announces each statement that it loads.
    """

    clock: TimeLimitClock

    def __init__(
        self,
        process: StudentProcess,
        limits: Limits,
        request_sender: RequestSender,
        locator: StuckCodeLocator,
        names: Container[str],
        named_count: int,
    ) -> None:
        """Take over a process and wait until it is locked.

        Args:
            process: the process.
            limits: the assignment's.
            request_sender: carries the messages of this process's stand-ins.
            locator: finds out where its code is.
            names: the names of classes that may be shown.
            named_count: how many names the assignment asks for or gives.

        Raises:
            KitFault: it did not start as its tier promises.
        """
        self.at: tuple[int, int, int] | None = None
        self.process, self.locator = process, locator
        self._limits, self._request_sender = limits, request_sender
        self._handle_table = HandleTable(request_sender, names, named_count, self._look_up_method)
        self._methods: set[tuple[str, str]] = set()
        self._number = self._messages = self._nested = 0
        self._failure: BaseException | None = None
        process.wait_for_lockdown()
        self.begin_next_test(RequestTranscript(), NextTestSetup())

    def begin_next_test(self, transcript: RequestTranscript, setup: NextTestSetup) -> None:
        """Drop all objects of the previous test on both sides, except those with a name.

        Args:
            transcript: records the requests of the next test.
            setup: how the process prepares for the test.
        """
        self._handle_table.clear_test_handles()
        self._methods.clear()
        self.transcript = transcript
        self._held_frames = setup.pack_message()

    def send_request(self, request_name: str, *arguments: Any) -> Any:
        """Send a request and return its answer.

        Raises:
            StudentError: the student's code raised.
            StudentStopped: the process ended, broke a limit or the protocol; this client can no longer be used.
            TranscriptMismatch: another request was prefetched.
        """
        if request_name == "get":
            return self._get_named(arguments[0])
        if request_name == "getattr" and (arguments[0]._class_name, arguments[1]) in self._methods:
            return StandInMethod(self._request_sender, *arguments)
        answer = self._send_and_decode(request_name, arguments)
        if request_name == "type name" or (request_name == "called" and answer != arguments[0]):
            return self._handle_table.mask_unknown_class_name(answer)
        if request_name == "getattr" and type(answer) is StandIn and answer._class_name == "method":
            self._methods.add((arguments[0]._class_name, arguments[1]))
        return answer

    def _get_named(self, name: str) -> Any:
        """Return what the submission defines under a name; its stand-in outlives the test."""
        last_met_place = self._handle_table.last_met_place
        value = self._send_and_decode("get", (name,))
        self._handle_table.last_met_place = last_met_place
        if type(value) is StandIn:
            self._handle_table.named_stand_ins[value._number] = value
        return value

    def _send_and_decode(self, request: str, arguments: tuple[Any, ...]) -> Any:
        packed = encode_message([request, *[encode_value(argument, self._handle_table) for argument in arguments]])
        self.transcript.is_repeatable &= self._handle_table.answers_tell_all
        answer = self.transcript.take_prefetched_answer_or_none(packed)
        if not isinstance(answer, UnparsedAnswer):
            self._catch_up_with_test()
            answer = self.exchange(packed)
            self.transcript.is_repeatable &= self._handle_table.answers_tell_all
        self.transcript.record_exchange(packed, answer)
        return self._decode_answer(answer, request, arguments)

    def _catch_up_with_test(self) -> None:
        """Send the requests again that a test was answered from elsewhere, in one message up to each that raises.

        Raises:
            TranscriptMismatch: the process gives other answers than those that the test has seen.
            StudentStopped: it was stopped meanwhile. The test does not count then, either.
        """
        past, self.transcript.past = self.transcript.past, ()
        if not past:
            return
        ends = [place for place, (_, answer) in enumerate(past, 1) if is_exception_answer(answer)]
        parts = [past[start:end] for start, end in pairwise((0, *ends, len(past))) if start < end]
        setups = [self._held_frames, *[b""] * (len(parts) - 1)]
        self._held_frames = b""
        requests = [b",".join(request for request, _ in part) for part in parts]
        self.transcript.left_known_path = True
        with self._translate_stops():
            packed_answers = [*self.iterate_answers_by_message([*zip(requests, setups, strict=True)])]
            answers = [*chain.from_iterable(map(split_answers_message, packed_answers, map(len, parts)))]
        if [answer.key for answer in answers] != [answer.key for _, answer in past]:
            raise TranscriptMismatch
        self.transcript.left_known_path = False

    def record_remembered_lookup(self, finding_name: str, finding_repr: str) -> None:
        """Record that the test looks up a finding of another test. Raises as ``send_request`` does."""
        packed = make_finding_lookup_request(finding_name)
        self.transcript.take_prefetched_answer_or_none(packed)
        self.transcript.record_exchange(packed, FindingLookupAnswer(finding_repr.encode()))

    def _decode_answer(self, answer: UnparsedAnswer, request: str, arguments: tuple[Any, ...]) -> Any:
        """Return the value that an answer holds; raise the exception that it reports."""
        try:
            if answer.kind == "void":
                raise MalformedMessage("the answer has no value")
            self._handle_table.call_callbacks_by_number(answer.unchecked_called_callback_numbers)
            if answer.kind == "raised":
                raise self._make_error(answer)
            value = self._handle_table.decode_value(answer.unchecked_value_or_exception)
        except MalformedMessage:
            raise make_malformed_message_stop() from None
        if not _has_expected_type_and_length(request, arguments, value):
            raise StudentStopped("protocol", f"its process gave an impossible answer to {request!r}")
        return value

    def _make_error(self, answer: UnparsedAnswer) -> Exception:
        error = _parse_student_error(answer)
        if error.raised.builtin == "MemoryError":
            return self.locator.build_memory_error_stop(error.raised, self._limits.memory_mb)
        return error

    def _look_up_method(self, method: StandInMethod) -> StandIn:
        """Return the object behind a method that a test passes on."""
        standin = self._send_and_decode("getattr", method.parts)
        if type(standin) is not StandIn:
            raise LookupError("the method no longer exists")
        return standin

    def exchange(self, packed_request: bytes) -> UnparsedAnswer:
        """Send a request, its name first, and wait for its answer.

        Raises:
            StudentStopped: the process ended, broke a limit or the protocol; it can no longer be used.
        """
        self._number += 1
        self.locator.remember_current_request(self._number, packed_request, nested=self._nested > 0)
        self.clock.restart_location_query_timer()
        message = b'[%d,"ask",[%b]]' % (self._number, packed_request)
        with self._translate_stops():
            frames, self._held_frames = self._held_frames + pack_frame(message), b""
            self.process.channel.send_packed_frames(frames, self.clock.raise_if_exceeded)
            (answer,) = split_answers_message(self._wait_for_answers(self._number, test_has_asked=True), 1)
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return answer

    def iterate_answers_by_message(self, messages: Sequence[tuple[bytes, bytes]]) -> Iterator[bytes]:
        """Send several messages at once, when the first answer is asked for; yield the answers.

        Args:
            messages: for each message, its packed requests joined by commas, and the frames before it; see
                ``NextTestSetup.pack_message``.

        Yields:
            The unparsed message with the answers to the requests of one message. Its number is 0, so that equal
            answers make equal messages.
        """
        first_number = self._number + 1
        self._number += len(messages)
        self.locator.remember_current_request(self._number, b"", nested=False)
        with self._translate_stops():
            frames = [
                frames_before + pack_frame(make_marshalled_request_message(number, requests))
                for number, (requests, frames_before) in enumerate(messages, first_number)
            ]
            self.process.channel.send_packed_frames(b"".join(frames), self.clock.raise_if_exceeded)
            bytes_left = MAX_UNREAD_BYTES
            for number in range(first_number, first_number + len(messages)):
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
            raise _make_process_end_stop(self.process, self.locator.submission_source.contains_word) from None
        except FrameTooLarge as error:
            if error.size > NO_ANSWER:
                raise make_malformed_message_stop() from None
            raise StudentStopped("flood", "it answered with more than can be read") from None
        except MalformedMessage:
            raise make_malformed_message_stop() from None

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
            reply = [number, "return", encode_value(value, self._handle_table)]
            self.process.channel.send_packed_frames(pack_frame(encode_message(reply)), self.clock.raise_if_exceeded)
        except (StudentStopped, ChannelClosed, MalformedMessage):
            raise
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # pytest's own ways to end a test are not Exceptions
            self._failure = error
            unwinding = pack_frame(encode_message([number, "unwind"]))
            self.process.channel.send_packed_frames(unwinding, self.clock.raise_if_exceeded)
        finally:
            self._nested -= 1

    def _read_location(self, message: list[Any]) -> None:
        match message[2:]:
            case [int(unit), int(statement), int(line)]:
                self.at = (unit, statement, line)
            case _:
                raise MalformedMessage("the location is malformed")


def _parse_student_error(answer: UnparsedAnswer) -> StudentError:
    """Return the exception that an answer reports.

    Raises:
        MalformedMessage: it reports no well-formed exception.
    """
    content, place = answer.unchecked_value_or_exception, answer.unchecked_exception_location
    if type(content) is not dict or type(place) is not dict:
        raise MalformedMessage("the exception is malformed")
    return make_student_error(parse_reported_exception({**content, **place}))
