"""Define the result of a check, and choose the sample of programs that it is about."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One claim about an assignment, with the problems that contradict it."""

    claim: str
    problems: tuple[str, ...]
    """The problems that contradict the claim, a sentence each; empty if the claim holds."""
    to_paste: str = ""
    """Lines that the author can paste into a file, printed unchanged."""

    @property
    def claim_holds(self) -> bool:
        """Return whether the claim is true."""
        return not self.problems


ALL = 100


@dataclass(frozen=True, slots=True)
class ProgramSampler:
    """Decides which share of the programs is tried.

    A program's rank depends only on its name and the seed, so a new program displaces at most one other.
    """

    percent: int = ALL
    seed: int = 0

    @property
    def includes_everything(self) -> bool:
        """Return whether every program is tried."""
        return self.percent >= ALL

    def sample_programs(self, program_names: Iterable[str]) -> list[str]:
        """Return the names of the programs to try, in their given order; at least one if there is any."""
        names = list(program_names)
        chosen_names = {*sorted(names, key=self._compute_rank)[: math.ceil(len(names) * self.percent / ALL)]}
        return [name for name in names if name in chosen_names]

    def _compute_rank(self, name: str) -> bytes:
        return hashlib.sha256(f"{self.seed}:{name}".encode()).digest()


WHOLE = ProgramSampler()
