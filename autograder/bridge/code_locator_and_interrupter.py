"""Locate the code of a process that a test waits for, and interrupt it.

A signal asks, and the process answers itself.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from autograder.bridge.hang_location_in_source import SourceLocation, SubmissionSource
from autograder.bridge.process_messages import MalformedMessage, parse_json_message
from autograder.bridge.student_errors_and_stops import (
    ReportedException,
    StudentStopped,
    StudentTimeout,
    copy_stop_marked_as_repeated,
    make_student_stop_for_memory_limit,
)
from autograder.bridge.time_limit_clock import TimeAllowance, TimeLimitClock
from autograder.sandbox import ChannelClosed, FrameTooLarge, StudentProcess

ANSWER_TIMES = TimeAllowance(
    cpu_seconds=0.03, idle_seconds=0.1, total_seconds_left=2.0, single_sleep_seconds=0.1, wall_seconds=2.0
)
"""A process that runs says at once where it is; one that cannot be interrupted does not."""
QUICK_CPU, QUICK_IDLE = 0.015, 0.05
"""Seconds of the same where it is asked whether it is in a place that is known."""
GIVE_UP_TIMES = TimeAllowance(
    cpu_seconds=0.05, idle_seconds=0.05, total_seconds_left=0.5, single_sleep_seconds=0.05, wall_seconds=1.0
)
"""A process gives up at once what it is told to give up; one that catches everything does not."""
LINE = b'[0,"line",'


class ProcessCodeLocator:
    """Finds out where the code of one process is, and interrupts code that an earlier test was stopped in.

    Attributes:
        submission_source: finds places in the submission's source; set by whoever runs tests.
        find_stop_of_earlier_test: how an earlier test ended in a place, if one did; set likewise.
    """

    submission_source: SubmissionSource
    find_stop_of_earlier_test: Callable[[SourceLocation], StudentStopped | None]

    def __init__(self, child: StudentProcess) -> None:
        """Ask nothing yet.

        Args:
            child: the process.
        """
        self._child = child
        self._request = b""
        self._number = self._asked_in = self._unanswered = 0
        self._asked_at: tuple[float, float] | None = None
        self._nested = False

    def remember_current_request(self, message_number: int, packed_request: bytes, *, nested: bool) -> None:
        """Note what is asked of the process now.

        Args:
            message_number: the message's number.
            packed_request: the one that it holds, packed; empty for several, during which it is not asked where it
                is.
            nested: whether the message is sent while an earlier one is at work; that one counts then.
        """
        self._number, self._nested = message_number, nested
        if not nested:
            self._request = packed_request

    def ask_location_if_due_or_raise_earlier_stop(self, clock: TimeLimitClock) -> None:
        """Ask where the code is, once the clock says so, and look whether the process is too slow to say it.

        Raises:
            StudentStopped: it cannot say where it is, as an earlier test could not.
        """
        if self._asked_at is not None and self._asked_in == self._number:
            used, slept = clock.compute_cpu_and_sleep_since(self._asked_at)
            waited = QUICK_CPU if used > QUICK_CPU else QUICK_IDLE if slept > QUICK_IDLE else 0.0
            if waited and self.find_stop_of_earlier_test(self._request_place) is not None:
                clock.seconds_at_last_limit += waited
                self._raise_if_stopped_there_before(self._request_place)
        elif self._request and clock.claim_location_question_if_due():
            self._asked_at, self._asked_in = clock.cpu_and_sleep_seconds, self._number
            self._unanswered += 1
            self._child.send_signal_if_possible(signal.SIGWINCH)

    def raise_if_reported_at_earlier_stop(self, location_message: list[Any], clock: TimeLimitClock) -> None:
        """Read where the process says it is, as it was asked to.

        Raises:
            StudentStopped: it is where an earlier test ended.
            MalformedMessage: it was not asked, or its answer is malformed.
        """
        if not self._unanswered or len(location_message) != 3:
            raise MalformedMessage("an answer to nothing")
        self._unanswered -= 1
        if self._asked_at is None or self._asked_in != self._number:
            return  # it was asked during an earlier request, and what is asked now may have only begun
        self._asked_at = None
        place = self._parse_location(location_message[2], waits=clock.was_asleep)
        if place is not None:
            self._raise_if_stopped_there_before(place)

    def locate_stop_and_interrupt_if_repeated(self, stopped: StudentStopped) -> StudentStopped:
        """Find out where the submission was stopped; if an earlier test ended there, return the same stop."""
        if not self._request:
            return stopped
        if not stopped.again:
            known = self.find_stop_of_earlier_test(self._request_place) is not None
            timeout = stopped if isinstance(stopped, StudentTimeout) else None
            place = None if known else self._ask_where_it_stopped(waits=timeout is not None and timeout.waits)
            stopped.key = place or self._request_place
            if timeout is not None:
                timeout.place = place
        earlier = self.find_stop_of_earlier_test(stopped.key) if stopped.key else None
        if earlier is None:
            return stopped
        again = copy_stop_marked_as_repeated(earlier)
        if earlier.gives_up and earlier.key != self._request_place and not self._nested:
            again.alive = earlier.gives_up = self._interrupt_student_code()
        return again

    def make_student_stop_for_memory_error(
        self, reported_exception: ReportedException, memory_mb: int
    ) -> StudentStopped:
        """Return what to raise for a ``MemoryError``; it frees what its code filled, so the process can go on."""
        place = (
            self._parse_location([[reported_exception.unit, [reported_exception.line]]], waits=False)
            if reported_exception.line
            else None
        )
        earlier = self.find_stop_of_earlier_test(place) if place else None
        if earlier is not None:
            stopped = copy_stop_marked_as_repeated(earlier)
            stopped.alive = not self._nested
            return stopped
        stopped = make_student_stop_for_memory_limit(memory_mb)
        stopped.key = place
        return stopped

    @property
    def _request_place(self) -> SourceLocation:
        """Return the place by which later tests know a request: the name that is called, or the operator."""
        name, *arguments = msgspec.json.decode(self._request)
        return SourceLocation("", 0, " ".join((name, *(one for one in arguments[:2] if type(one) is str))))

    def _raise_if_stopped_there_before(self, place: SourceLocation) -> None:
        earlier = self.find_stop_of_earlier_test(place)
        if earlier is not None:
            raise copy_stop_marked_as_repeated(earlier)

    def _ask_where_it_stopped(self, *, waits: bool) -> SourceLocation | None:
        """Ask where a submission is that took too long; return None if its process does not say."""
        self._child.send_signal_if_possible()
        for arrived in self._receive_until(ANSWER_TIMES):
            if arrived.startswith(LINE):
                try:
                    return self._parse_location(parse_json_message(arrived)[-1], waits=waits)
                except MalformedMessage:
                    return None
        return None

    def _interrupt_student_code(self) -> bool:
        """Tell the process to leave the student's code; return whether it says that it did."""
        self._child.send_signal_if_possible(signal.SIGUSR2)
        for arrived in self._receive_until(GIVE_UP_TIMES):
            try:
                message = parse_json_message(arrived)
            except MalformedMessage:
                return False
            if message[1] != "noted":
                self._child.channel.discard_output_and_update_count()
                self._child.channel.printed_bytes = 0
                return bool(message[0] == self._number and message[1] == "answers")
        return False

    def _receive_until(self, times: TimeAllowance) -> Iterator[bytes]:
        """Yield what arrives from a process that was stopped, until its time ends."""
        clock = TimeLimitClock(times, self._child)
        try:
            while True:
                arrived = self._child.channel.receive_frame_or_none_on_timeout()
                if arrived is not None:
                    yield arrived
                clock.update_and_raise_if_exceeded()
        except (ChannelClosed, FrameTooLarge, StudentTimeout):
            return

    def _parse_location(self, told: Any, *, waits: bool) -> SourceLocation | None:
        source = self.submission_source
        frames = source.parse_stack(told)
        return source.find_wait_location(frames) if waits else source.find_endless_loop_or_function_start(frames)
