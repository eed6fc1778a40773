"""Carry the tests' requests to one student's process, and answer those that need not be sent."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from autograder.bridge.handle_table import HandleTable
from autograder.bridge.next_test_setup import NextTestSetup
from autograder.bridge.process_answer_checks import has_expected_type_and_length, parse_reported_exception
from autograder.bridge.process_connection import ProcessConnection
from autograder.bridge.process_messages import MalformedMessage, UnparsedAnswer, encode_message
from autograder.bridge.request_transcript import FindingLookupAnswer, RequestTranscript, make_finding_lookup_request
from autograder.bridge.request_value_encoding import encode_value
from autograder.bridge.student_exceptions import (
    StudentError,
    StudentStopped,
    make_malformed_message_stop,
    make_student_error,
)
from autograder.bridge.student_object_stand_ins import RequestSender, StandIn, StandInMethod
from autograder.course import Limits
from autograder.sandbox import StudentProcess


class ProcessRpcClient:
    """One process as the tests see it: its objects, and the requests to them.

    Attributes:
        process: the process.
        connection: the messages to and from it.
        transcript: the test's requests so far.
    """

    def __init__(
        self,
        process: StudentProcess,
        limits: Limits,
        request_sender: RequestSender,
        names: Container[str],
        named_count: int,
    ) -> None:
        """Take over a process and wait until it is locked.

        Args:
            process: the process.
            limits: the assignment's.
            request_sender: carries the messages of this client's stand-ins.
            names: the names of classes that may be shown.
            named_count: how many names the assignment asks for or gives.

        Raises:
            KitFault: it did not start as its tier promises.
        """
        self._request_sender, self._limits = request_sender, limits
        self._handle_table = HandleTable(request_sender, names, named_count, self._look_up_method)
        self._methods: set[tuple[str, str]] = set()
        self.connection = ProcessConnection(process, limits, self._handle_table)
        self.process = process
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
        self.connection.queue_test_begin(setup)

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
            answer = self.connection.exchange(packed)
            self.transcript.is_repeatable &= self._handle_table.answers_tell_all
        self.transcript.record_exchange(packed, answer)
        return self._decode_answer(answer, request, arguments)

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
        if not has_expected_type_and_length(request, arguments, value):
            raise StudentStopped("protocol", f"its process gave an impossible answer to {request!r}")
        return value

    def _make_error(self, answer: UnparsedAnswer) -> Exception:
        error = _parse_student_error(answer)
        if error.raised.builtin == "MemoryError":
            return self.connection.locator.build_memory_error_stop(error.raised, self._limits.memory_mb)
        return error

    def _look_up_method(self, method: StandInMethod) -> StandIn:
        """Return the object behind a method that a test passes on."""
        standin = self._send_and_decode("getattr", method.parts)
        if type(standin) is not StandIn:
            raise LookupError("the method no longer exists")
        return standin


def _parse_student_error(answer: UnparsedAnswer) -> StudentError:
    """Return the exception that an answer reports.

    Raises:
        MalformedMessage: it reports no well-formed exception.
    """
    content, place = answer.unchecked_value_or_exception, answer.unchecked_exception_location
    if type(content) is not dict or type(place) is not dict:
        raise MalformedMessage("the exception is malformed")
    return make_student_error(parse_reported_exception({**content, **place}))
