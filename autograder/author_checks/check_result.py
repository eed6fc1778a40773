"""Define the result of a check."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One claim about an assignment, and what speaks against it."""

    claim: str
    problems: tuple[str, ...]
    """What speaks against the claim, a sentence each; empty when it holds."""
    to_paste: str = ""
    """Lines of a file, printed as they are to be pasted there."""

    @property
    def claim_holds(self) -> bool:
        """Return whether the claim is true."""
        return not self.problems
