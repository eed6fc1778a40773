"""Define and load what an assignment's diagnosis module provides; the kit provides everything else."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from autograder.bridge import StudentProxy
from autograder.bridge.request_sequences import PackedRequests, RequestSequenceResult
from autograder.course import Assignment
from autograder.course.assignment_code import (
    find_innermost_line,
    list_assignment_module_files,
    load_assignment_module_if_present,
)
from autograder.diagnosis.model import Counterexample
from autograder.diagnosis.readings import ProgramReadings
from autograder.faults import CourseFault

LETTERS = "abcdefghijkmnopqrstuvwxyz"
"""Names for what a program makes, without l, which looks like 1."""
COMPARED = 28
"""Random programs on which two submissions are compared."""


class DiagnosisProgram(Hashable, Protocol):
    """A few lines of code that use what a student wrote; immutable, and equal to a program with the same steps."""

    def format_lines(self) -> tuple[str, ...]:
        """Return the program's lines, which a student can paste into an interpreter."""


class DiagnosisProgramFamily(Protocol):
    """The programs of one assignment that use nothing but what a submission has.

    Its programs are ``DiagnosisProgram`` objects of one class. They are all deterministic: the same for every
    submission that has the same names.
    """

    def enumerate_small_programs(self) -> Iterator[Any]:
        """Yield the small programs, the simplest first."""

    def enumerate_state_leak_programs(self) -> Iterator[Any]:
        """Yield a few programs that show state that one program leaves behind for the next."""

    def enumerate_simpler_programs(self, program: Any) -> Iterator[Any]:
        """Yield simpler programs to prefer to this one if they fail too, the best first.

        Simplifying again and again must come to an end.
        """

    def draw_random_programs(self, count: int = COMPARED) -> tuple[Any, ...]:
        """Return so many larger programs, drawn from one seed, so that they are the same for every submission."""

    def make_programs_of_same_shape(self, program: Any) -> tuple[Any, ...]:
        """Return this program, and others of the same shape."""

    def includes_program(self, program: Any) -> bool:
        """Return whether a program belongs to this family: it uses only names that the submission has."""

    def run_program(self, student: StudentProxy, program: Any) -> ProgramReadings:
        """Run a program on what the student wrote, step by step; raise no exception of the student's code."""

    def is_trace_correct(self, program: Any, trace: ProgramReadings) -> bool:
        """Return whether a right submission may show this trace."""

    def make_counterexample(self, program: Any, trace: ProgramReadings) -> Counterexample:
        """Return the counterexample that a program with a wrong trace makes."""


@runtime_checkable
class BatchableProgramFamily(DiagnosisProgramFamily, Protocol):
    """A family whose programs can also be sent as request sequences, many in one message, which is far faster."""

    def make_request_sequence(self, program: Any) -> PackedRequests:
        """Return the whole program as a request sequence."""

    def parse_trace(self, program: Any, result: RequestSequenceResult) -> ProgramReadings:
        """Return the trace of a program from the result of its request sequence."""


class ReferenceSolutionOracle(Protocol):
    """Runs programs on the reference solution, in a process of its own, and remembers their traces."""

    @property
    def implemented_names(self) -> frozenset[str]:
        """Return the names of methods, functions and classes that the reference solution implements."""

    def trace_program(self, program_family: DiagnosisProgramFamily, program: Any) -> ProgramReadings:
        """Return the trace of a program.

        Args:
            program_family: the program's family, which decides how it is run.
            program: the program.

        Raises:
            KitFault: no process can be started.
        """


@dataclass(frozen=True, slots=True)
class DiagnosisContext:
    """The means from which a diagnosis module makes programs for one submission."""

    assignment: Assignment
    implemented_names: frozenset[str]
    """Functions, classes and methods that the submission has and programs may use; stubs are left out."""
    reference: ReferenceSolutionOracle


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentDiagnosis:
    """The ``diagnosis`` of a diagnosis module. For a simple class, ``make_call_diagnosis`` makes one."""

    make_programs: Callable[[DiagnosisContext], DiagnosisProgramFamily]
    """Makes the programs that use only what a submission has. They serve to find a counterexample, and to confirm
    names of mistakes."""
    optional_names: frozenset[str] = frozenset()
    """Names that submissions need not have and may implement in many ways. Programs that compare submissions do not
    use them, unless a test of a bonus failed."""
    disputed_wheats: frozenset[str] = frozenset()
    """Right alternatives (files in ``wheats/``, without ``.py``) that the diagnosis takes for wrong on some programs:
    known weaknesses, which cost no marks. `autograder check` reports missing and superfluous entries."""


NAME = "diagnosis"
"""The name of the module, and of the variable that it must define."""


def list_diagnosis_module_files(assignment: Assignment) -> list[Path]:
    """Return the files of an assignment's diagnosis module, its main file first; empty if it has no such module."""
    return list_assignment_module_files(assignment, NAME)


def load_diagnosis_or_none(assignment: Assignment) -> AssignmentDiagnosis | None:
    """Return the ``diagnosis`` that an assignment's diagnosis module defines; None if there is no such module.

    Raises:
        CourseFault: the module cannot be used.
    """
    module = load_assignment_module_if_present(assignment, NAME)
    if module is None:
        return None
    found = getattr(module, NAME, None)
    if not isinstance(found, AssignmentDiagnosis):
        raise CourseFault(
            f"the diagnosis module does not define `{NAME}`, an AssignmentDiagnosis",
            where=str(module.__file__),
            advice="see docs/new-assignment.md",
        )
    return found


def make_course_fault_or_none(error: BaseException, assignment: Assignment) -> CourseFault | None:
    """Return the course's fault behind an exception that ended a diagnosis; None if the exception is the kit's.

    Args:
        error: the exception, with its traceback.
        assignment: the assignment.
    """
    if isinstance(error, CourseFault):
        return error
    where = find_innermost_line(error, list_diagnosis_module_files(assignment))
    if where and isinstance(error, SystemExit):
        return CourseFault("this line ends the program", where=where, advice="take sys.exit() out")
    last_step = traceback.extract_tb(error.__traceback__)[-1:]
    if where in [f"{step.filename}:{step.lineno}" for step in last_step]:
        return CourseFault(f"this line raises {type(error).__name__}: {error}", where=where, advice="fix the line")
    return None
