"""The author's gate: one command that proves an assignment, as its author must."""

from __future__ import annotations

from autograder.course import Assignment
from autograder.gate.basics import check_basics
from autograder.gate.finding import Finding
from autograder.gate.population import Progress, check_population
from autograder.sandbox import Sandbox

__all__ = ["Finding", "check"]


def check(assignment: Assignment, sandbox: Sandbox, population: Progress | None = None) -> list[Finding]:
    """Look at what an assignment promises.

    Args:
        assignment: which.
        sandbox: where code is run.
        population: if given, wheats and misconceptions are graded too, which takes minutes; told how many of how
            many programs were graded.

    Raises:
        CourseFault: the suite, the solution or the misconceptions cannot be used at all.
        KitFault: no process can be started.
    """
    findings = check_basics(assignment, sandbox)
    if population is not None:
        findings += check_population(assignment, sandbox, population)
    return findings
