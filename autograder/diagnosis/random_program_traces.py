"""Run random programs on a submission, to compare its traces with those of known mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import Bridge
from autograder.diagnosis.program_family import DiagnosisProgramFamily
from autograder.diagnosis.program_readings import ProgramReadings, are_traces_alike, was_stopped
from autograder.diagnosis.program_runner import ProgramRunner, trace_until_second_stop


@dataclass(frozen=True, slots=True)
class RandomProgramTraces:
    """A submission's traces on random programs, and on variants of the smallest program that fails."""

    program_family: DiagnosisProgramFamily
    programs: tuple[Any, ...]
    traces: tuple[ProgramReadings, ...]
    """The trace of each program."""
    common_program_count: int
    """How many programs, at the beginning, are the same for all submissions with the same family of programs."""

    @property
    def failing_count(self) -> int:
        """Return how many programs ran to their end, or raised an exception, and have a wrong trace."""
        return sum(
            not was_stopped(trace) and not self.program_family.is_trace_correct(p, trace)
            for p, trace in zip(self.programs, self.traces, strict=True)
        )

    @property
    def conclusive_count(self) -> int:
        """Return how many programs were not stopped; a stop says nothing about the others."""
        return sum(not was_stopped(trace) for trace in self.traces)

    def agrees_with_traces(self, other_traces: Sequence[ProgramReadings]) -> bool:
        """Return whether other traces show the same: each is equal, or both are correct where several results are.

        A program that was stopped on either side is left out.

        Args:
            other_traces: traces on the first of these programs, or on all of them.
        """
        return all(
            was_stopped(one)
            or was_stopped(other)
            or are_traces_alike(one, other)
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
) -> RandomProgramTraces:
    """Run random programs on a submission, and variants of the smallest program that fails.

    The run ends when the submission's process was stopped for the second time.

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
        *(program_family.make_programs_of_same_shape(failing_program) if failing_program is not None else ()),
    )
    bridge.reset_before_next_test()
    traces = trace_until_second_stop(
        ProgramRunner(program_family, bridge, fresh_process_per_program=fresh_process_per_program), programs
    )
    return RandomProgramTraces(program_family, programs[: len(traces)], tuple(traces), len(fresh))
