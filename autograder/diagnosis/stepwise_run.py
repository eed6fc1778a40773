"""Run one program step by step, to know at which step its process was stopped."""

from __future__ import annotations

from collections.abc import Callable

from autograder.bridge import StudentProxy
from autograder.bridge.request_sequence_results import RequestSequenceResult
from autograder.bridge.request_sequences import PackedRequests
from autograder.diagnosis.program_readings import ProgramReadings, make_comparable_failure
from autograder.faults import KitFault


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
