"""Define what an assignment's diagnosis module provides; the kit provides everything else of a diagnosis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from autograder.course import Assignment
from autograder.diagnosis.program_family import DiagnosisProgramFamily
from autograder.diagnosis.program_readings import ProgramReadings


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
