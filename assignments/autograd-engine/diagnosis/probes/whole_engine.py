"""Small programs on the whole engine, for what shows only when its parts meet."""

from __future__ import annotations

from autograder.bridge import StudentProxy
from autograder.course.model import SecondBackward
from autograder.diagnosis.part_experiment_log import ExperimentStopped, PartExperimentLog, format_reading_canonically
from autograder.diagnosis.program_readings import STOPPED

from ..engine_programs import ExpressionProgramFamily

CONVENTIONS: tuple[SecondBackward, ...] = ("interior kept", "leaves accumulate")
UNNAMED = "parts-do-not-fit"
"""What goes wrong only together has no general name."""


def probe_whole_engine(log: PartExperimentLog, student: StudentProxy, *, defined_names: frozenset[str]) -> None:
    """Run random programs of the contract's operations.

    Args:
        log: notes.
        student: the submission.
        defined_names: what programs may use.
    """
    family = ExpressionProgramFamily(defined_names, CONVENTIONS)
    for number, program in enumerate((*family.enumerate_state_leak_programs(), *family.draw_random_programs())):
        trace = family.run_program(student, program)
        right = family.is_trace_correct(program, trace)
        said = trace.failure and f"{trace.failure.exception_name} in {trace.failure.phase} {trace.failure.step}"
        numbers = (*trace.data, *trace.grad)
        log.lines.append(
            f"{number}: {'right' if right else said or ' '.join(map(format_reading_canonically, numbers))}"
        )
        if not right:
            log.add_finding(UNNAMED)
        if trace.failure and trace.failure.exception_name == STOPPED:
            raise ExperimentStopped(kind=trace.failure.message)
