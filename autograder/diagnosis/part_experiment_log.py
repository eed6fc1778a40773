"""Record the results of experiments on a submission, in plain comparable words."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from autograder.bridge import StandIn, StudentStopped
from autograder.diagnosis.counterexample_model import format_number
from autograder.diagnosis.program_readings import (
    STOP_KINDS,
    STOPPED,
    RunFailure,
    convert_to_reading,
    make_comparable_failure,
)
from autograder.faults import KitFault

ENDLESS = "does-not-come-back"
STOP_FINDINGS = {
    "": ENDLESS, "ended": "ends-its-process", "flooded": "prints-too-much",
    "out of memory": "takes-too-much-memory",
}  # fmt: skip
"""The finding for each kind of stop; the kinds are the keys of ``STOP_PHRASES``."""
CLOCKS = ("wall", "submission")
"""Causes of a stop that say nothing about the examined part: a busy machine, or time used up by earlier parts."""

DIGITS = 9
"""Decimals that are compared: fewer than any rounding error reaches."""


@dataclass(frozen=True, slots=True)
class ExperimentFinding:
    """One thing that an experiment saw to be wrong."""

    finding_id: str
    """The id of a general mistake, as in ``general.yml``."""
    quoted_values: dict[str, str] = field(default_factory=dict)
    """What the texts of that mistake quote: the operation, the numbers that were seen and the right ones."""


@dataclass(frozen=True, slots=True)
class PartExperimentResult:
    """The results of the experiments on one part."""

    part_name: str
    canonical_lines: tuple[str, ...]
    """Canonical lines: two programs with the same mistake give the same, whatever legal choices they make."""
    findings: tuple[ExperimentFinding, ...] = ()
    """Empty where the part is right."""

    @property
    def was_stopped(self) -> bool:
        """Return whether the experiments on the part stopped the process."""
        return any(finding.finding_id in STOP_FINDINGS.values() for finding in self.findings)

    @property
    def digest(self) -> str:
        """Return a short name for all that was seen."""
        return hashlib.sha256("\n".join(self.canonical_lines).encode()).hexdigest()[:12]


class ExperimentStopped(Exception):
    """The submission's process was stopped; no further experiment on this part.

    Attributes:
        cause: as in ``StudentStopped``; ``program`` where that is not told.
        kind: a key of ``STOP_FINDINGS``.
    """

    def __init__(self, cause: str = "program", kind: str = "") -> None:
        super().__init__(cause, kind)
        self.cause, self.kind = cause, kind


class StoppedInOtherPart(ExperimentStopped):
    """The process was stopped in something that another part examines: the fault is that part's, not this one's."""


@dataclass(slots=True)
class PartExperimentLog:
    """Notes of the experiments on one part.

    Attributes:
        last_failure: what the last experiment raised; None when it raised nothing.
        current_experiment: what the last experiment is about, in words.
        running_call: what of the part runs now, as a student writes it; empty for the part itself.
    """

    part_name: str
    lines: list[str] = field(default_factory=list)
    findings: list[ExperimentFinding] = field(default_factory=list)
    last_failure: RunFailure | None = None
    current_experiment: str = ""
    running_call: str = ""

    def record_readings(self, label: str, *values: Any) -> None:
        """Write down readings."""
        self.lines.append(f"{label}: {', '.join(map(format_reading_canonically, values))}")

    def add_finding(self, finding_id: str, **quotes: Any) -> None:
        """Say that something is wrong; the first time counts."""
        if not self.has_any_finding(finding_id):
            numbers = [value for value in quotes.values() if is_finite_number(value)]
            quoted = {key: _format_reading_for_student(value, numbers) for key, value in quotes.items()}
            self.findings.append(ExperimentFinding(finding_id, quoted))

    def has_any_finding(self, *finding_ids: str) -> bool:
        """Return whether one of these was found."""
        return any(one.finding_id in finding_ids for one in self.findings)

    @contextmanager
    def catch_failure(self, label: str, description: str = "") -> Iterator[None]:
        """Note what the block raises instead of raising it.

        Args:
            label: a name for it.
            description: the same in words.

        Raises:
            ExperimentStopped: the process was stopped.
            KitFault: the kit or the machine failed.
        """
        self.last_failure, self.current_experiment, self.running_call = None, description, ""
        try:
            yield
        except (KitFault, ExperimentStopped):
            raise
        except Exception as error:
            self.last_failure = make_comparable_failure(error, label)
            self.lines.append(f"{label}: {self.last_failure.exception_name} {self.last_failure.message}".rstrip())
            if self.last_failure.exception_name == STOPPED:
                cause = getattr(error, "cause", "program")
                raise ExperimentStopped(cause, self.last_failure.message) from None

    @contextmanager
    def mark_running_call(self, call: str) -> Iterator[None]:
        """Mark one call of the part as running: if the process is stopped in the block, the finding names that call.

        Args:
            call: the call as a student writes it.
        """
        self.running_call = call
        yield
        self.running_call = ""

    @contextmanager
    def mark_running_other_part(self) -> Iterator[None]:
        """Mark what runs as examined by another part: a stop in the block ends the experiments without a finding.

        Raises:
            StoppedInOtherPart: the process was stopped, but not by a clock.
        """
        try:
            yield
        except StudentStopped as stopped:
            if stopped.cause in CLOCKS:
                raise
            raise StoppedInOtherPart(stopped.cause, STOP_KINDS.get(stopped.cause, "")) from None

    def make_part_result(self) -> PartExperimentResult:
        """Return all that was noted of the part: its lines and its findings."""
        return PartExperimentResult(self.part_name, tuple(self.lines), tuple(self.findings))


def is_student_object(value: Any) -> bool:
    """Return whether it is something of the student's, and not plain data."""
    return isinstance(value, StandIn) or type(value).__module__ != "builtins"


def is_finite_number(value: Any) -> bool:
    """Return whether it is a finite number."""
    return type(value) in (int, float) and math.isfinite(value)


def is_close(got: Any, right: float) -> bool:
    """Return whether a reading is this number, but for rounding errors."""
    return is_finite_number(got) and math.isclose(got, right, rel_tol=1e-9, abs_tol=1e-10)


def format_reading_canonically(value: Any) -> str:
    """Write a reading as text, the same for numbers that differ by rounding errors.

    >>> format_reading_canonically(0.1 + 0.2), format_reading_canonically(-0.0), format_reading_canonically([1])
    ('0.3', '0', 'a list')
    """
    if is_finite_number(value):
        rounded = round(float(value), DIGITS)
        return f"{rounded if rounded else 0.0:.9g}"
    return value if type(value) is str else str(convert_to_reading(value))


def _format_reading_for_student(value: Any, others: Sequence[float]) -> str:
    """Write a reading as a student reads it; see ``format_number``."""
    if is_finite_number(value):
        return format_number(float(value), *others).removesuffix(".0")
    return value if type(value) is str else str(convert_to_reading(value))
