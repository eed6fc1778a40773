"""Describe the idea behind a wrong submission as plain data."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from msgspec import Meta, Struct
from msgspec.structs import force_setattr, replace

from autograder.diagnosis.blamed_code_excerpt import CodeExcerpt
from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.replay.backward_replay_records import Replay
from autograder.repair.repair_model import Repair

Verdict = Literal["none", "named", "unknown"]


class NamedMistake(Struct, frozen=True, kw_only=True):
    """One misconception."""

    id: str
    title: str
    explanation: str
    hints: tuple[str, ...]
    """From a question to what to change."""
    kind: Literal["specific", "general"] = "specific"
    """Whether it is a misconception of the catalogue, or says what was seen, however that is written."""


class Cause(Struct, frozen=True, kw_only=True):
    """An explanation of some of the failed tests: one misconception, or several that nothing tells apart."""

    misconceptions: tuple[NamedMistake, ...]
    """More than one where nothing that was seen tells them apart."""
    concepts: tuple[str, ...]
    """Where it loses marks."""
    tests: tuple[str, ...]
    """The failed tests that it explains."""


class LegacyFailedTestObservation(Struct, frozen=True, kw_only=True):
    """What one failed test saw, in reports up to version 1.2."""

    test: str
    observed: str


class EvidenceCounts(Struct, frozen=True, kw_only=True):
    """How much was seen that supports the causes: tests, programs and readings.

    It was seen, and seen again, or the submission does exactly what the causes do.
    """

    tests: int
    """Failed tests that the causes explain."""
    programs: int
    """Fresh random programs, each with the same result; none for what was seen and needs no comparison."""
    failing_programs: int
    """Those of them in which the result was wrong."""
    observed: tuple[LegacyFailedTestObservation, ...] = ()
    """A few of the tests' observations in reports up to version 1.2, which compared those; empty since."""
    readings: int = 0
    """Readings of the experiments in which the causes were seen, each again in a fresh process; 0 up to 1.2."""
    telling: Annotated[int, Meta(extra_json_schema={"deprecated": True})] = 0
    """The same as ``failing_programs``, by its name up to 1.4; it stays until version 2 of the report."""

    def __post_init__(self) -> None:
        """Give the former key its value."""
        force_setattr(self, "telling", self.failing_programs)


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The idea behind a wrong submission, if its own numbers prove one."""

    verdict: Verdict
    """``none`` where nothing is wrong that the contract asks for."""
    reason: str = ""
    """Why it is unknown; empty otherwise."""
    compared_with: str = ""
    """The state of the misconceptions that it was compared with: 16 hexadecimal digits; empty for none."""
    causes: tuple[Cause, ...] = ()
    """One, or one for each of several mistakes at once."""
    evidence: EvidenceCounts | None = None
    counterexample: Counterexample | None = None
    """The smallest program found on which it is wrong; None when none was found."""
    shows_another: bool = False
    """Whether the program goes wrong in something that no cause names."""
    replay: Replay | None = None
    """What ``backward()`` does on it, call by call; None where it is not called, and in reports up to 1.3."""
    code: CodeExcerpt | None = None
    """The lines of the submission that it points to; None where the evidence does not say."""
    repair: Repair | None = None
    """The smallest change that makes it right, without edits where none was found; None where nobody looked."""
    repair_pending: bool = False
    """Whether somebody is going to look: marks come first."""

    @property
    def is_unexplained(self) -> bool:
        """Return whether something is wrong, and nobody has looked for its repair."""
        return self.verdict != "none" and self.repair is None

    def await_repair(self) -> Self:
        """Return the diagnosis with the remark that somebody is going to look, if anything is wrong."""
        return replace(self, repair=None, repair_pending=self.verdict != "none")


NONE = Diagnosis(verdict="none")
NO_DIAGNOSIS = "There is no diagnosis for this assignment."
"""The reason if an assignment has no diagnosis module; a report then says nothing else about mistakes."""
