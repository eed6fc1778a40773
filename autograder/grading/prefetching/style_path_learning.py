"""Learn the requests of tests from right programs that are written differently from the reference solution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.course.solution_styles import load_solution_styles, try_apply_style_and_mistakes
from autograder.grading.suite.reference_suite_runs import read_reference_submission
from autograder.grading.suite.suite_runner import SuiteRunner
from autograder.submissions import Submission


def learn_request_paths_of_other_styles(runner: SuiteRunner) -> None:
    """Learn the requests of tests to engines that are written differently, or for which tests have other findings.

    This takes as long as grading some submissions, and pays off if there are many. Results are the same without it.
    """
    reference = read_reference_submission(runner.assignment)
    (unit, *other_units) = reference.units
    sources = [
        try_apply_style_and_mistakes(style, unit.source, ()) for style in load_solution_styles(runner.assignment)
    ]
    for source in filter(None, sources):
        findings: dict[str, Any] | None = {}
        while findings is not None:
            program = replace(reference, units=(replace(unit, source=source), *other_units))
            findings = _learn_with_findings(runner, program, findings)


def _learn_with_findings(runner: SuiteRunner, program: Submission, findings: dict[str, Any]) -> dict[str, Any] | None:
    """Learn the requests of tests to a program, given ``findings`` as the findings of earlier tests.

    Returns:
        Findings that earlier tests might have had instead: the opposite of each boolean one. None if there is no
        boolean finding, if ``findings`` was already such an alternative, or if the program cannot be graded.
    """
    with runner.open_run_session(program, learns_request_paths=True) as run:
        if run.ungradable_reason:
            return None
        run.target.student.remembered.content.update(findings)
        run.run_all_tests()
        new_findings = run.target.student.remembered.content
    opposite_findings = {name: not value for name, value in new_findings.items() if isinstance(value, bool)}
    return opposite_findings if opposite_findings and not findings else None
