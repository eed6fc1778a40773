"""Define what an assignment's diagnosis module provides; everything else about a diagnosis is the kit's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from autograder.course import Assignment
from autograder.diagnosis.experiment_log import ExperimentLog
from autograder.diagnosis.program_family import DiagnosisProgramFamily
from autograder.diagnosis.program_trace import ProgramTrace


class ReferenceSolutionOracle(Protocol):
    """What the reference solution does, run in a process of its own; asked again, it is remembered."""

    @property
    def implemented_names(self) -> frozenset[str]:
        """Return the names that the reference solution has, methods and functions."""

    def trace_program(self, program_family: DiagnosisProgramFamily, program: Any) -> ProgramTrace:
        """Return the trace of a program.

        Args:
            program_family: the family that it belongs to, which says how it is run.
            program: the program.

        Raises:
            KitFault: no process can be started.
        """


@dataclass(frozen=True, slots=True)
class DiagnosisContext:
    """What programs and parts are made from for one submission."""

    assignment: Assignment
    implemented_names: frozenset[str]
    """What the submission has, and programs may use: functions, classes and their methods, stubs left out."""
    reference: ReferenceSolutionOracle


@dataclass(frozen=True, slots=True)
class DiagnosedPart:
    """One part of what students are to write, and the experiments that look at it alone.

    It holds no result.
    """

    name: str
    shown_name: str
    """How a student calls it."""
    tested_names: tuple[str, ...]
    """Names by which hidden tests say that they are about it (``@pytest.mark.about``)."""
    probe: Callable[[ExperimentLog, Any], None]
    """Experiments: given a log to write into, and the submission as the ``student`` fixture gives it."""
    prerequisite_parts: tuple[str, ...] = ()
    """Parts that must be right before it is looked at."""
    is_required: bool = True
    """Whether the contract asks for it; other parts are looked at only where all of the core is right."""
    probes_everything: bool = False
    """Whether it looks at everything together, once all parts are right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentDiagnosis:
    """What a diagnosis module defines as ``diagnosis``; ``diagnose_calls`` makes one for a simple class."""

    make_programs: Callable[[DiagnosisContext], DiagnosisProgramFamily]
    """Programs of what a submission has: a counterexample is searched among them, and they confirm names."""
    list_parts: Callable[[DiagnosisContext], Sequence[DiagnosedPart]]
    """The parts of a submission; those that others depend on come first."""
    style_dependent_parts: frozenset[str] | None = None
    """Parts in which one mistake may look different in another of the styles of ``styles.yml``; all when None."""
    harmless_findings: frozenset[str] = frozenset()
    """Findings on a part that spoil no experiment on the parts after it."""
    leaking_findings: frozenset[str] = frozenset()
    """Findings on programs that grow from run to run: each of their programs gets a process of its own."""
    optional_names: frozenset[str] = frozenset()
    """Names that submissions need not have, and may write in many ways: no programs use them to compare submissions,
    unless one of them is wrong."""
    disputed_wheats: frozenset[str] = frozenset()
    """Right alternatives (files in ``wheats/``, without ``.py``) that it takes for wrong on some programs: known
    weaknesses, which cost no mark. `autograder check` says which ones are missing here, and which need not be."""
    merged_findings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Findings that are one with others where both are there; before ``does-not-come-back`` stands its part."""
