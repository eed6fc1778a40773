"""Choose a share of programs by the dozen, by a seed: enough to see that another Python says the same."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass

ALL = 100


@dataclass(frozen=True, slots=True)
class ProgramSampling:
    """How many programs are tried, and which.

    A program's place depends on its name and the seed alone, so one that is new pushes out at most one other.
    """

    percent: int = ALL
    seed: int = 0

    @property
    def includes_everything(self) -> bool:
        """Return whether every program is tried."""
        return self.percent >= ALL

    def choose_programs(self, program_names: Iterable[str]) -> list[str]:
        """Return the names of the programs to try, in their order: at least one, if there is any."""
        known = list(program_names)
        drawn = {*sorted(known, key=self._compute_rank)[: math.ceil(len(known) * self.percent / ALL)]}
        return [name for name in known if name in drawn]

    def _compute_rank(self, name: str) -> bytes:
        return hashlib.sha256(f"{self.seed}:{name}".encode()).digest()


WHOLE = ProgramSampling()
