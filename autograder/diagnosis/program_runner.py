"""Run programs in a student's process, one after the other, and find the step at which one stops."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from autograder.bridge import Bridge, StudentError, StudentProxy, StudentStopped
from autograder.bridge.request_sequences import PackedRequests, RequestSequenceResult
from autograder.diagnosis.definition import BatchableProgramFamily, DiagnosisProgramFamily
from autograder.diagnosis.readings import ProgramReadings, make_comparable_failure, was_stopped
from autograder.faults import KitFault

FEW, MANY = 8, 64
"""How many programs are sent in one message: at first, because few may be enough, and at most."""
MOST_TOGETHER = 250
"""How many programs share a process; a limit, because the state that an engine keeps may grow with each program."""


class ProgramRunner:
    """Runs a family's programs behind a bridge; each is a test of its own, with a test's limits.

    If programs can be sent as request sequences, many are sent together. Once the process was stopped, each program
    is sent alone and reports its steps, which shows which program does not end, and where. Nothing else should use
    the bridge meanwhile, because it counts the runner's stops and time.
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
        self._run_count = 0

    def trace_programs(
        self, programs: Iterable[Any], first_batch_size: int = FEW
    ) -> Iterator[tuple[Any, ProgramReadings]]:
        """Yield each program with its trace; earlier programs may have left state behind in the process.

        Args:
            programs: the programs, which are run as they are needed, and some ahead of that.
            first_batch_size: how many of them are sent in the first message.

        Raises:
            KitFault: no process can be started.
        """
        coming, batch_size = iter(programs), first_batch_size
        while batch := [*itertools.islice(coming, 1 if self._careful else batch_size)]:
            traces = self._run(batch)
            yield from zip(batch, traces, strict=False)
            coming = itertools.chain(batch[len(traces) :], coming)
            batch_size = min(2 * batch_size, MANY)

    def __call__(self, program: Any) -> ProgramReadings:
        """Return the trace of one program; see ``trace_programs``."""
        return self._run([program])[0]

    def run_in_fresh_process(self, program: Any) -> ProgramReadings:
        """Run a program in a process that has run nothing else, unless that makes no difference.

        Raises:
            KitFault: no process can be started.
        """
        if not self._bridge.state.runs_code_anew:
            self._bridge.reset_before_next_test()
        return self(program)

    def _run(self, programs: Sequence[Any]) -> list[ProgramReadings]:
        """Run the first of these programs, or more of them, and return the traces."""
        self._run_count += len(programs)
        if self._run_count > MOST_TOGETHER:
            self._bridge.reset_before_next_test()
            self._run_count = len(programs)
        try:
            self._bridge.begin_test()
        except StudentStopped as stopped:
            return [ProgramReadings(failure=make_comparable_failure(stopped, "leaves"))]
        try:
            traces = self._traces(programs)
        finally:
            self._bridge.end_test_and_charge_time()
        if traces:
            return traces
        self._careful = True
        return self._run(programs[:1])

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
    for _, trace in runner.trace_programs(programs, MANY):
        traces.append(trace)
        if sum(map(was_stopped, traces)) == MOST_STOPS:
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
