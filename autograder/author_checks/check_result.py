"""Define the result of a check."""

from __future__ import annotations

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
