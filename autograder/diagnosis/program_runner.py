"""Run programs in a student's process, one after the other, and find the step at which one stops."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from autograder.bridge import Bridge, StudentError, StudentProxy, StudentStopped
from autograder.bridge.request_sequences import PackedRequests, RequestSequenceResult
from autograder.diagnosis.definition import BatchableProgramFamily, DiagnosisProgramFamily
from autograder.diagnosis.readings import ProgramReadings, make_comparable_failure, was_stopped
from autograder.faults import KitFault

RunProgram = Callable[[Any], ProgramReadings]
"""Runs a program, and returns its trace."""
FEW, MANY = 8, 64
"""How many programs are sent in one message: at first, because few may be enough, and at most."""


class ProgramRunner:
    """Runs a family's programs behind a bridge; each is a test of its own, with a test's limits.

    If programs can be sent as request sequences, announced programs are sent together, and their traces are kept here
    until they are asked for. Once the process was stopped, each program is sent alone and reports its steps, which
    shows which program does not end, and where. Nothing else should use the bridge meanwhile, because it counts the
    runner's stops and time.
    """

    def __init__(
        self, program_family: DiagnosisProgramFamily, bridge: Bridge, *, fresh_process_per_program: bool = False
    ) -> None:
        """Run nothing yet.

        Args:
            program_family: makes and checks the programs.
            bridge: the connection to the submission.
            fresh_process_per_program: whether each program is sent alone from the start, because some are known not
                to end.
        """
        self._family, self._bridge = program_family, bridge
        self._batchable = program_family if isinstance(program_family, BatchableProgramFamily) else None
        self._careful = fresh_process_per_program or self._batchable is None
        self._student = StudentProxy(bridge)
        self._coming: Iterator[Any] = iter(())
        self._ready: deque[tuple[Any, ProgramReadings]] = deque()
        self._together = FEW

    def announce_programs(self, programs: Iterable[Any], first_batch_size: int = FEW) -> None:
        """Announce the programs that will be run next, in this order; the runner may run them ahead of time.

        Args:
            programs: the programs; iterated only as far as needed.
            first_batch_size: how many of them are sent in the first message.
        """
        self._coming, self._together = iter(programs), first_batch_size
        self._ready.clear()

    def __call__(self, program: Any) -> ProgramReadings:
        """Run a program in the current process, in which earlier programs may have left state behind.

        Raises:
            KitFault: no process can be started.
        """
        self._skip_to(program)
        if not self._ready:
            if next(self._coming, None) != program:
                self._coming = iter(())  # not as announced: the next ones will not be, either
            self._run([program, *([] if self._careful else itertools.islice(self._coming, self._together - 1))])
            self._together = min(2 * self._together, MANY)
        return self._ready.popleft()[1]

    def run_in_fresh_process(self, program: Any) -> ProgramReadings:
        """Run a program in a process that has run nothing else, unless that makes no difference.

        Raises:
            KitFault: no process can be started.
        """
        if self._bridge.state.runs_code_anew:
            return self(program)
        self._bridge.reset_before_next_test()
        self._skip_to(program)
        self._coming = itertools.chain([waiting for waiting, _ in self._ready], self._coming)
        self._ready.clear()
        return self(program)

    def _skip_to(self, program: Any) -> None:
        """Drop the kept traces of announced programs before this one, which are not needed any more."""
        while self._ready and self._ready[0][0] != program:
            self._ready.popleft()

    def _run(self, programs: Sequence[Any]) -> None:
        """Run the first of these programs, or more of them, and keep the traces; expect the others next."""
        try:
            self._bridge.begin_test()
        except StudentStopped as stopped:
            traces = [ProgramReadings(failure=make_comparable_failure(stopped, "leaves"))]
        else:
            try:
                traces = self._traces(programs)
            finally:
                self._bridge.end_test_and_charge_time()
        if not traces:
            self._careful = True
            self._run(programs[:1])
        self._ready.extend(zip(programs, traces, strict=False))
        self._coming = itertools.chain(programs[max(1, len(traces)) :], self._coming)

    def _traces(self, programs: Sequence[Any]) -> list[ProgramReadings]:
        """Return the traces of the first of these programs, or of more; none if one of several caused a stop."""
        if self._careful or self._batchable is None:
            return [self._family.run_program(self._student, programs[0])]
        sequences = [self._batchable.make_request_sequence(program) for program in programs]
        try:
            endings = self._student.run_request_sequences_until_timeout(sequences)
        except (StudentError, StudentStopped):
            return []
        return [self._batchable.parse_trace(program, one) for program, one in zip(programs, endings, strict=False)]


MOST_STOPS = 2


def trace_until_second_stop(runner: ProgramRunner, programs: Sequence[Any]) -> list[ProgramReadings]:
    """Return the traces of these programs, in order, up to the second program that stopped the process."""
    traces: list[ProgramReadings] = []
    stops = 0
    runner.announce_programs(programs, MANY)
    for program in programs:
        traces.append(runner(program))
        stops += was_stopped(traces[-1])
        if stops == MOST_STOPS:
            break
    return traces


def trace_request_sequence(
    student: StudentProxy,
    request_sequence: PackedRequests,
    parse_trace: Callable[[RequestSequenceResult], ProgramReadings],
) -> ProgramReadings:
    """Run a program's request sequence, and follow every step; raise no exception of the student's code.

    Args:
        student: what the student wrote.
        request_sequence: the program's request sequence.
        parse_trace: makes the trace from the sequence's result.

    Raises:
        KitFault: the kit or the machine failed.
    """
    at = 0

    def note_step(step: int) -> None:
        nonlocal at
        at = step

    try:
        return parse_trace(student.run_request_sequences_until_timeout([request_sequence], note_step)[0])
    except KitFault:
        raise
    except Exception as error:
        return ProgramReadings(failure=make_comparable_failure(error, *request_sequence.step_labels[at]))
