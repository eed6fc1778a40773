"""The kit with one check taken out, to show what that check is for.

Each is a context: while it lasts, graders of this process lack the check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

import pytest

from autograder.bridge import StudentError, StudentStopped, connection, student_exceptions
from autograder.bridge.connection import ProcessConnection
from autograder.bridge.messages import MalformedMessage, parse_json_message
from autograder.bridge.objects import HandleTable
from autograder.faults import KitFault
from autograder.grading.explanations import RequiredNameNotUsable
from autograder.grading.hidden_test_result_builder import HiddenTestResultBuilder
from autograder.grading.results import HiddenTestResult, HiddenTestSpec
from autograder.sandbox import FrameTooLarge

EXCUSES = ("Skipped", "KitFault", "NotImplementedError", "MissingPackageUsed", "SystemExit")
A_BRIDGE = "a bridge that believes "


def contexts() -> dict[str, Callable[[], AbstractContextManager[None]]]:
    """What ``falls for it`` may name after "a bridge that believes"."""
    return {
        "any number on an answer": _any_number,
        "answers to later questions": _answers_to_later_questions,
        "an excuse": _an_excuse,
        "what was stopped to be right": _what_was_stopped,
        "a test that fails in its own way to be broken": _a_tests_own_failure,
        "the end of a loop": _the_end_of_a_loop,
        "functions of earlier tests to be wanted": _functions_of_earlier_tests,
        "that junk is its own fault": _junk_is_its_own_fault,
    }


@contextmanager
def _patched(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for where, name, new in changes:
            patch.setattr(where, name, new)
        yield


def _received(self: ProcessConnection) -> tuple[list[Any], bytes]:
    """The next message that is no call, and the same as it came."""
    while True:
        arrived = self.process.channel.receive_frame_or_none()
        if arrived is None:
            self._check_limits()
            continue
        message = parse_json_message(arrived)
        if message[1] != "call":
            return message, arrived
        self._serve_test_function_call(message)


def _any_number() -> AbstractContextManager[None]:
    """Ids of answers are not compared."""
    return _patched(
        (ProcessConnection, "_wait_for_answers", lambda self, _, **__: _received(self)[1]),
        (connection, "has_expected_type_and_length", lambda *_: True),
    )


def _answers_to_later_questions() -> AbstractContextManager[None]:
    """Answers are kept until their question is asked."""
    kept: dict[tuple[int, int], bytes] = {}

    def answer_to(self: ProcessConnection, number: int, **_: bool) -> bytes:
        while (id(self), number) not in kept:
            message, arrived = _received(self)
            kept.setdefault((id(self), message[0]), arrived)
        return kept.pop((id(self), number))

    return _patched((ProcessConnection, "_wait_for_answers", answer_to))


def _counting_as_passed(
    is_believed: Callable[[BaseException | None], bool],
) -> AbstractContextManager[None]:
    """A test counts as passed if what it raised is believed."""
    real = HiddenTestResultBuilder.build_result

    def result(
        self: HiddenTestResultBuilder, spec: HiddenTestSpec, raised: BaseException | None, seconds: float
    ) -> HiddenTestResult:
        found = real(self, spec, raised, seconds)
        return replace(found, outcome="passed") if is_believed(raised) else found

    return _patched((HiddenTestResultBuilder, "build_result", result))


def _an_excuse() -> AbstractContextManager[None]:
    """An exception that calls itself skipped, or the kit's fault, costs no marks."""
    return _counting_as_passed(lambda raised: isinstance(raised, StudentError) and raised.raised.kind in EXCUSES)


def _what_was_stopped() -> AbstractContextManager[None]:
    """A test whose process ended, or took too long, counts as passed: nothing was found."""
    return _counting_as_passed(lambda raised: isinstance(raised, StudentStopped))


def _a_tests_own_failure() -> AbstractContextManager[None]:
    """What a test raises that is no assertion is taken for its author's mistake, which costs no marks."""
    known = (type(None), AssertionError, StudentError, StudentStopped, RequiredNameNotUsable)
    return _counting_as_passed(lambda raised: not isinstance(raised, known))


def _the_end_of_a_loop() -> AbstractContextManager[None]:
    """A student's ``StopIteration`` is one here."""
    student_exceptions._make_error_class.cache_clear()

    @contextmanager
    def context() -> Iterator[None]:
        with _patched((student_exceptions, "LOOP_ENDS", ())):
            yield
        student_exceptions._make_error_class.cache_clear()

    return context()


def _functions_of_earlier_tests() -> AbstractContextManager[None]:
    """A function of a test is called as long as its process lives."""

    def forget(self: HandleTable) -> None:
        self._objects = dict(self.named_stand_ins)

    return _patched((HandleTable, "clear_test_handles", forget))


def _junk_is_its_own_fault() -> AbstractContextManager[None]:
    """What cannot be read is taken for a fault of the kit's, which costs no marks."""
    real = ProcessConnection._wait_for_answers

    def answer_to(self: ProcessConnection, number: int, **how: bool) -> Any:
        try:
            return real(self, number, **how)
        except (MalformedMessage, FrameTooLarge) as error:
            raise KitFault(str(error)) from None

    return _patched((ProcessConnection, "_wait_for_answers", answer_to))
