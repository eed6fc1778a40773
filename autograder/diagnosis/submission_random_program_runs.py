"""Run fresh programs on a submission, to compare what it does with what known mistakes do on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import Bridge
from autograder.diagnosis.program_family import DiagnosisProgramFamily
from autograder.diagnosis.program_runner import ProgramRunner, trace_programs_until_second_stop
from autograder.diagnosis.program_trace import ProgramTrace, are_traces_alike


@dataclass(frozen=True, slots=True)
class SubmissionRandomProgramTraces:
    """What a submission did on random programs, and on variants of the smallest program that fails."""

    program_family: DiagnosisProgramFamily
    programs: tuple[Any, ...]
    traces: tuple[ProgramTrace, ...]
    """Of each program; they end where its process was stopped too often."""
    common_program_count: int
    """How many of the programs, the first ones, every submission with the same family of programs is tried on."""

    @property
    def failing_count(self) -> int:
        """Return how many programs gave something wrong."""
        return sum(
            not self.program_family.is_trace_correct(p, trace)
            for p, trace in zip(self.programs, self.traces, strict=True)
        )

    def are_traces_same_or_also_correct(self, other_traces: Sequence[ProgramTrace]) -> bool:
        """Tell whether another program did the same: gave equal results, or is right too where several results are.

        Args:
            other_traces: the other program's, on the first of these programs or on all of them.
        """
        return all(
            are_traces_alike(one, other)
            or (
                self.program_family.is_trace_correct(program, one)
                and self.program_family.is_trace_correct(program, other)
            )
            for program, one, other in zip(self.programs, self.traces, other_traces, strict=False)
        )


def trace_random_and_failing_programs(
    program_family: DiagnosisProgramFamily,
    bridge: Bridge,
    failing_program: Any = None,
    *,
    fresh_process_per_program: bool = False,
) -> SubmissionRandomProgramTraces:
    """Run fresh programs on a submission, and programs near the smallest one that fails.

    Args:
        program_family: makes the programs.
        bridge: the connection to the submission; nothing else may run there.
        failing_program: a program that fails; None for none.
        fresh_process_per_program: see ``ProgramRunner``.

    Raises:
        KitFault: no process can be started.
    """
    fresh = program_family.draw_random_programs()
    programs = (
        *fresh,
        *(program_family.make_program_and_variants(failing_program) if failing_program is not None else ()),
    )
    bridge.make_next_test_start_fresh()
    traces = trace_programs_until_second_stop(
        ProgramRunner(program_family, bridge, fresh_process_per_program=fresh_process_per_program), programs
    )
    return SubmissionRandomProgramTraces(program_family, programs[: len(traces)], tuple(traces), len(fresh))
