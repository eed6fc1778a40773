"""Describe the idea behind a wrong submission as plain data."""

from __future__ import annotations

from typing import Literal, Self

from msgspec import Struct
from msgspec.structs import replace

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


class Cause(Struct, frozen=True, kw_only=True):
    """An explanation of some of the failed tests: one misconception, or several that nothing tells apart."""

    misconceptions: tuple[NamedMistake, ...]
    """More than one where nothing that was seen tells them apart."""
    concepts: tuple[str, ...]
    """Where it loses marks."""
    tests: tuple[str, ...]
    """The failed tests that it explains."""


class EvidenceCounts(Struct, frozen=True, kw_only=True):
    """How much supports a cause: the submission does exactly what it does."""

    tests: int
    """Failed tests that the cause explains."""
    programs: int
    """Fresh random programs, each with the same result."""
    failing_programs: int = 0
    """Those of them in which the result was wrong."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The idea behind a wrong submission, if its own numbers prove one."""

    verdict: Verdict
    """``none`` where nothing is wrong that the contract asks for."""
    reason: str = ""
    """Why it is unknown; empty otherwise."""
    compared_with: str = ""
    """The state of the misconceptions that it was compared with: 16 hexadecimal digits; empty for none."""
    causes: tuple[Cause, ...] = ()
    """One at most."""
    evidence: EvidenceCounts | None = None
    counterexample: Counterexample | None = None
    """The smallest program found on which it is wrong; None when none was found."""
    replay: Replay | None = None
    """What ``backward()`` does on it, call by call; None where it is not called."""
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
