"""Offer options for the isolation of submissions, and choose the sandbox that they ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import click

from autograder.cli.options.shared_options import gather_options
from autograder.cli.output.console import print_line
from autograder.course import Assignment
from autograder.course.model import TierName
from autograder.sandbox import SandboxConfig, choose_strongest_sandbox
from autograder.sandbox.sandbox_selection import ADVICE, REQUIRED_BY_COURSE, TIERS


@dataclass(frozen=True, slots=True)
class IsolationTierOptions:
    """The options about isolation."""

    only_tier: TierName | None = None
    """The only accepted tier; any when None."""
    required_tier: TierName | None = None
    """The weakest accepted tier, if stronger than that of ``grading.yml``; no further requirement when None."""
    allow_unsafe: bool = False
    """Whether every tier is accepted, regardless of ``grading.yml``."""

    def choose_weakest_accepted_tier(self, weakest_in_course: TierName) -> TierName:
        """Return the weakest tier that is accepted.

        Args:
            weakest_in_course: the weakest that grading.yml accepts.
        """
        accepted: TierName = "process" if self.allow_unsafe else weakest_in_course
        return min(accepted, self.required_tier or accepted, key=TIERS.index)

    def describe_source_of_requirement(self, weakest_in_course: TierName) -> str:
        """Return the option or the key of grading.yml that sets the weakest accepted tier."""
        is_from_course = not self.allow_unsafe and self.choose_weakest_accepted_tier(weakest_in_course) == (
            weakest_in_course
        )
        return REQUIRED_BY_COURSE if is_from_course else "--require-tier"


_TIER = click.Choice(get_args(TierName))
add_isolation_tier_options = gather_options(
    "tiers",
    IsolationTierOptions,
    click.option("--tier", "only_tier", type=_TIER, help="Use this isolation tier and no other."),
    click.option(
        "--require-tier", "required_tier", type=_TIER, help="Insist on this isolation tier or a stronger one."
    ),
    click.option(
        "--allow-unsafe",
        is_flag=True,
        help="Accept any tier, even one that only stops accidents; for code you trust.",
    ),
)
"""Add the three options on isolation, handed on as ``tiers``."""


def choose_sandbox_and_warn_if_weak(assignment: Assignment, tiers: IsolationTierOptions) -> SandboxConfig:
    """Choose the strongest sandbox of this machine; warn on standard error if it is not of the strongest tier.

    Args:
        assignment: gives the weakest accepted tier, and the packages that submissions may import.
        tiers: the options of the command line.

    Raises:
        CallerFault: this machine offers no sandbox that is accepted.
    """
    sandbox = choose_strongest_sandbox(
        tiers.choose_weakest_accepted_tier(assignment.weakest_tier),
        tiers.only_tier,
        assignment.packages,
        required_by=tiers.describe_source_of_requirement(assignment.weakest_tier),
    )
    if sandbox.tier != TIERS[0]:
        stronger = TIERS[0]
        print_line(
            f"isolation: tier {sandbox.tier}, weaker than {stronger}; for {stronger}, {ADVICE[stronger]}",
            style="yellow",
            to_stderr=True,
        )
    return sandbox
