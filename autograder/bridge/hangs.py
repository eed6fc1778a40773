"""Locate the student's code that a test is waiting for, and interrupt it."""

from __future__ import annotations

import ast
import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from autograder.bridge.clocks import TimeLimitClock, TimeLimits
from autograder.bridge.messages import MalformedMessage, parse_json_message
from autograder.bridge.student_exceptions import (
    ReportedException,
    StudentStopped,
    StudentTimeout,
    copy_stop_as_repeated,
    make_memory_limit_stop,
)
from autograder.sandbox import ChannelClosed, FrameTooLarge, StudentProcess
from autograder.syntax_trees import SyntaxTree, may_parse_together, parse_bounded_source

MOST_FRAMES = 12
MOST_LINES = 8
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LOOPS = (ast.While, ast.For, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A line of a submission."""

    unit: str
    """The file or cell."""
    line: int
    function: str
    """The function around it; empty at the top of a file."""


@dataclass(frozen=True, slots=True)
class CommonStackFrame:
    """A function that was on the stack in every sample: its file or cell, and the lines that it was in."""

    unit: str
    lines: tuple[int, ...]
    """The lines that it was in, in order."""


class SubmissionSource:
    """The source text of a submission, in which locations are found. It is never run."""

    def __init__(self, units: Mapping[str, str]) -> None:
        self._units = units

    def contains_word(self, word: str) -> bool:
        """Return whether a name or an integer occurs in the text as a whole word."""
        pattern = re.compile(rf"(?<!\w)(?<!\d\.){re.escape(word)}(?!\w|\.\d)", re.ASCII)
        return any(pattern.search(source) for source in self._units.values())

    def parse_stack(self, reported_stack: Any) -> list[CommonStackFrame]:
        """Return the stack that a process reported, innermost function first; leave out functions with unknown lines.

        Raises:
            MalformedMessage: the stack is not well formed.
        """
        if type(reported_stack) is not list or len(reported_stack) > MOST_FRAMES:
            raise MalformedMessage("the stack is malformed")
        frames = []
        for entry in reported_stack:
            match entry:
                case [str(unit), [*lines]] if 0 < len(lines) <= MOST_LINES and {*map(type, lines)} == {int}:
                    length = self._units.get(unit, "").count("\n") + 1
                    if unit in self._units and all(0 < line <= length for line in lines):
                        frames.append(CommonStackFrame(unit, tuple(sorted(lines))))
                case _:
                    raise MalformedMessage("the stack is malformed")
        return frames

    def find_endless_loop_or_function_start(self, frames: Sequence[CommonStackFrame]) -> SourceLocation | None:
        """Return where the outermost loop of the innermost function that is in a loop begins.

        If no function is in a loop, return where the innermost function begins; without frames, return None.

        The process is asked at a random moment, and the answer must not depend on that moment. So of nested loops,
        the outermost `while` counts, or the outermost `for` if there is no `while`.
        """
        places = [self._find_outermost_loop(frame) for frame in frames]
        return next((place for place, loops in places if loops), places[0][0] if places else None)

    def find_wait_location(self, frames: Sequence[CommonStackFrame]) -> SourceLocation | None:
        """Return where a waiting process stands still: the innermost function's last line; None without frames."""
        if not frames:
            return None
        unit, line = frames[0].unit, frames[0].lines[-1]
        inside = [
            node for node in self._list_enclosing_nodes(unit, (line, line)) if isinstance(node, ast.FunctionDef)
        ]
        return SourceLocation(unit, line, inside[-1].name if inside else "")

    def _find_outermost_loop(self, frame: CommonStackFrame) -> tuple[SourceLocation, bool]:
        """Return where the outermost loop around the lines begins, or else its function; and whether it is a loop."""
        loops: list[ast.AST] = []
        name, first_line = "", frame.lines[0]
        for node in self._list_enclosing_nodes(frame.unit, (frame.lines[0], frame.lines[-1])):
            if isinstance(node, FUNCTIONS):
                loops, first_line = [], node.lineno
                name = getattr(node, "name", name)
            elif isinstance(node, LOOPS):
                loops.append(node)
        whiles = [node for node in loops if isinstance(node, ast.While)]
        loop: Any = next(iter(whiles or loops), None)
        return SourceLocation(frame.unit, loop.lineno if loop else first_line, name), loop is not None

    def _list_enclosing_nodes(self, unit: str, lines: tuple[int, int]) -> list[ast.AST]:
        """Return the functions and loops around some lines, the outermost first."""
        nodes = [
            node for first, last, node in self._nodes_by_unit.get(unit, ()) if first <= lines[0] and lines[1] <= last
        ]
        return sorted(nodes, key=lambda node: (node.lineno, -(node.end_lineno or 0)))  # type: ignore[attr-defined]

    @cached_property
    def _nodes_by_unit(self) -> dict[str, list[tuple[int, int, ast.AST]]]:
        """Return the functions and loops of each file, with their first and last lines."""
        nodes_by_unit: dict[str, list[tuple[int, int, ast.AST]]] = {}
        if not may_parse_together([*self._units.values()]):
            return nodes_by_unit
        for unit, source in self._units.items():
            parsed = parse_bounded_source(source)
            if not isinstance(parsed, SyntaxTree):
                continue
            nodes = [node for node in ast.walk(parsed.tree) if isinstance(node, (*FUNCTIONS, *LOOPS))]
            nodes_by_unit[unit] = [(node.lineno, node.end_lineno or node.lineno, node) for node in nodes]
        return nodes_by_unit


ANSWER_TIMES = TimeLimits(
    cpu_seconds=0.03, idle_seconds=0.1, total_seconds_left=2.0, grader_seconds_left=2.0, single_sleep_seconds=0.1
)
"""Limits for reporting a location. A running process answers at once; one that cannot be interrupted never does."""
QUICK_CPU, QUICK_IDLE = 0.015, 0.05
"""CPU seconds, and seconds of sleep, to answer whether the code is where an earlier test was stopped."""
GIVE_UP_TIMES = TimeLimits(
    cpu_seconds=0.05, idle_seconds=0.05, total_seconds_left=0.5, grader_seconds_left=2.0, single_sleep_seconds=0.05
)
"""Limits for leaving the student's code. A process does so at once; one that catches every exception does not."""
LINE = b'[0,"line",'


class StuckCodeLocator:
    """Finds out where the code of one process is, and interrupts it where an earlier test was stopped.

    Attributes:
        submission_source: finds locations in the submission's source.
    """

    def __init__(
        self,
        child: StudentProcess,
        submission_source: SubmissionSource,
        find_stop_of_earlier_test: Callable[[SourceLocation], StudentStopped | None],
    ) -> None:
        """Prepare without asking anything.

        Args:
            child: the process.
            submission_source: finds locations in the submission's source.
            find_stop_of_earlier_test: returns how an earlier test was stopped at a location, or None.
        """
        self.submission_source, self._find_stop_of_earlier_test = submission_source, find_stop_of_earlier_test
        self._child = child
        self._request = b""
        self._number = self._asked_in = self._unanswered_count = 0
        self._asked_at: tuple[float, float] | None = None
        self._is_nested = False

    def remember_current_request(self, message_number: int, packed_request: bytes, *, nested: bool) -> None:
        """Record the request that the process works on from now on.

        Args:
            message_number: the message's number.
            packed_request: the message's only request, packed. It is empty if the message has several; the process
                is not asked for its location then.
            nested: whether the message is sent while the process works on an earlier one. The earlier request stays
                recorded then.
        """
        self._number, self._is_nested = message_number, nested
        if not nested:
            self._request = packed_request

    def ask_location_if_due(self, clock: TimeLimitClock) -> None:
        """Ask where the code is once the clock says so, unless the current request has been asked already."""
        if self._query_time is None and self._request and clock.try_claim_location_query():
            self._asked_at, self._asked_in = clock.cpu_and_sleep_seconds, self._number
            self._unanswered_count += 1
            self._child.send_signal(signal.SIGWINCH)

    def raise_if_location_overdue(self, clock: TimeLimitClock) -> None:
        """Check whether the answer about the current request's location takes too long.

        Raises:
            StudentStopped: the process does not answer, and an earlier test was stopped in the same request.
        """
        if self._query_time is None:
            return
        cpu_seconds, sleep_seconds = clock.compute_cpu_and_sleep_since(self._query_time)
        limit_seconds = QUICK_CPU if cpu_seconds > QUICK_CPU else QUICK_IDLE if sleep_seconds > QUICK_IDLE else 0.0
        if limit_seconds and self._find_stop_of_earlier_test(self._request_place) is not None:
            clock.seconds_at_last_limit += limit_seconds
            self._raise_if_stopped_there_before(self._request_place)

    def check_reported_location(self, location_message: list[Any], clock: TimeLimitClock) -> None:
        """Read the location that the process reports, as it was asked to.

        Raises:
            StudentStopped: an earlier test was stopped there.
            MalformedMessage: the process was not asked, or its answer is malformed.
        """
        if not self._unanswered_count or len(location_message) != 3:
            raise MalformedMessage("the location was not queried")
        self._unanswered_count -= 1
        if self._query_time is None:
            return  # the query was made during an earlier request, and the current one may have only begun
        self._asked_at = None
        place = self._parse_location(location_message[2], waits=clock.was_asleep)
        if place is not None:
            self._raise_if_stopped_there_before(place)

    def locate_stop(self, stop: StudentStopped) -> None:
        """Set the stop's ``key`` to the location where the submission was stopped; skip a repeated stop."""
        if not self._request or stop.again:
            return
        is_known = self._find_stop_of_earlier_test(self._request_place) is not None
        timeout = stop if isinstance(stop, StudentTimeout) else None
        place = None if is_known else self._ask_where_it_stopped(waits=timeout is not None and timeout.waits)
        stop.key = place or self._request_place
        if timeout is not None:
            timeout.place = place

    def interrupt_if_repeated(self, stop: StudentStopped) -> StudentStopped:
        """Interrupt the student's code if an earlier test was stopped at the same location.

        Args:
            stop: the stop, with its location.

        Returns:
            A copy of the earlier test's stop, ``alive`` if the process left the code and can go on; ``stop``
            itself if no earlier test was stopped there.
        """
        earlier_stop = self._find_stop_of_earlier_test(stop.key) if self._request and stop.key else None
        if earlier_stop is None:
            return stop
        repeated_stop = copy_stop_as_repeated(earlier_stop)
        if earlier_stop.gives_up and earlier_stop.key != self._request_place and not self._is_nested:
            repeated_stop.alive = earlier_stop.gives_up = self._interrupt_student_code()
        return repeated_stop

    def build_memory_error_stop(self, reported_exception: ReportedException, memory_mb: int) -> StudentStopped:
        """Return the stop for a ``MemoryError``. The exception frees memory, so the process can go on."""
        place = (
            self._parse_location([[reported_exception.unit, [reported_exception.line]]], waits=False)
            if reported_exception.line
            else None
        )
        earlier_stop = self._find_stop_of_earlier_test(place) if place else None
        if earlier_stop is not None:
            stop = copy_stop_as_repeated(earlier_stop)
            stop.alive = not self._is_nested
            return stop
        stop = make_memory_limit_stop(memory_mb)
        stop.key = place
        return stop

    @property
    def _query_time(self) -> tuple[float, float] | None:
        """Return when the location was asked for, if the answer about the current request has not arrived yet."""
        return self._asked_at if self._asked_in == self._number else None

    @property
    def _request_place(self) -> SourceLocation:
        """Return a location that identifies the current request: its name, and texts in its first two arguments."""
        name, *arguments = msgspec.json.decode(self._request)
        return SourceLocation(
            "", 0, " ".join((name, *(argument for argument in arguments[:2] if type(argument) is str)))
        )

    def _raise_if_stopped_there_before(self, place: SourceLocation) -> None:
        earlier_stop = self._find_stop_of_earlier_test(place)
        if earlier_stop is not None:
            raise copy_stop_as_repeated(earlier_stop)

    def _ask_where_it_stopped(self, *, waits: bool) -> SourceLocation | None:
        """Ask a process that took too long where its code is; return None if it does not answer."""
        self._child.send_signal()
        for frame in self._receive_until(ANSWER_TIMES):
            if frame.startswith(LINE):
                try:
                    return self._parse_location(parse_json_message(frame)[-1], waits=waits)
                except MalformedMessage:
                    return None
        return None

    def _interrupt_student_code(self) -> bool:
        """Tell the process to leave the student's code; return whether it confirms this."""
        self._child.send_signal(signal.SIGUSR2)
        for frame in self._receive_until(GIVE_UP_TIMES):
            try:
                message = parse_json_message(frame)
            except MalformedMessage:
                return False
            if message[1] != "called":
                self._child.channel.drain_output()
                self._child.channel.printed_bytes = 0
                return bool(message[0] == self._number and message[1] == "answers")
        return False

    def _receive_until(self, times: TimeLimits) -> Iterator[bytes]:
        """Yield what arrives from a process that was stopped, until its time ends."""
        clock = TimeLimitClock(times, self._child)
        try:
            while True:
                frame = self._child.channel.receive_frame_or_none()
                if frame is not None:
                    yield frame
                clock.raise_if_exceeded()
        except (ChannelClosed, FrameTooLarge, StudentTimeout):
            return

    def _parse_location(self, reported_stack: Any, *, waits: bool) -> SourceLocation | None:
        source = self.submission_source
        frames = source.parse_stack(reported_stack)
        return source.find_wait_location(frames) if waits else source.find_endless_loop_or_function_start(frames)
