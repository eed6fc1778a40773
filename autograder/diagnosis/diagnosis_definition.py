"""Define what an assignment's diagnosis module provides; the kit provides everything else of a diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from autograder.course import Assignment
from autograder.diagnosis.part_experiment_log import PartExperimentLog
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
    """The means from which a diagnosis module makes programs and parts for one submission."""

    assignment: Assignment
    implemented_names: frozenset[str]
    """Functions, classes and methods that the submission has and programs may use; stubs are left out."""
    reference: ReferenceSolutionOracle


@dataclass(frozen=True, slots=True)
class DiagnosablePart:
    """One part of what students have to write, and the experiments that test this part alone; it holds no results."""

    name: str
    shown_name: str
    """The part's name in texts for students."""
    tested_names: tuple[str, ...]
    """Names that hidden tests about this part give in their marker ``@pytest.mark.subject``."""
    probe: Callable[[PartExperimentLog, Any], None]
    """Runs the experiments, given a log to write into and the submission as the ``student`` fixture gives it."""
    prerequisite_parts: tuple[str, ...] = ()
    """Parts that must be right for this part to be examined."""
    is_required: bool = True
    """Whether the contract requires the part. Other parts are examined only if all required ones are right."""
    probes_everything: bool = False
    """Whether the experiments test everything together; such a part is examined only if no earlier part is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentDiagnosis:
    """The ``diagnosis`` of a diagnosis module. For a simple class, ``make_call_diagnosis`` makes one."""

    make_programs: Callable[[DiagnosisContext], DiagnosisProgramFamily]
    """Makes the programs that use only what a submission has. They serve to find a counterexample, and to confirm
    names of mistakes."""
    list_parts: Callable[[DiagnosisContext], Sequence[DiagnosablePart]]
    """Lists the parts of a submission; a part comes after those that it depends on."""
    style_dependent_parts: frozenset[str] | None = None
    """Parts in which a mistake may look different in different styles of ``styles.yml``; all parts when None."""
    harmless_findings: frozenset[str] = frozenset()
    """Findings on a part that do not affect experiments on the parts that depend on it."""
    leaking_findings: frozenset[str] = frozenset()
    """Findings that mean that state grows from one program to the next: each program then gets its own process."""
    optional_names: frozenset[str] = frozenset()
    """Names that submissions need not have and may implement in many ways. Programs that compare submissions do not
    use them, unless an optional part is wrong."""
    disputed_wheats: frozenset[str] = frozenset()
    """Right alternatives (files in ``wheats/``, without ``.py``) that the diagnosis takes for wrong on some programs:
    known weaknesses, which cost no marks. `autograder check` reports missing and superfluous entries."""
    merged_findings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For a finding's id, the ids of findings that it is merged into if they are there too. As
    a key, ``does-not-come-back`` is preceded by its part and a space."""
