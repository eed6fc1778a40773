"""Learn the requests of tests from right programs that are written otherwise than the reference solution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.course.alternative_solution_styles import (
    load_solution_styles_with_plain,
    try_make_solution_in_style_with_mistakes,
)
from autograder.grading.reference_suite_runs import read_reference_submission
from autograder.grading.suite_runner import SuiteRunner
from autograder.submissions import Submission


def learn_request_paths_of_other_styles(runner: SuiteRunner) -> None:
    """Learn what tests ask of engines that are written otherwise, or in which earlier tests found other things.

    This takes as long as grading some submissions, and pays where there are many. Results are the same without it.
    """
    reference = read_reference_submission(runner.assignment)
    (unit, *others) = reference.units
    sources = [
        try_make_solution_in_style_with_mistakes(style, unit.source, ())
        for style in load_solution_styles_with_plain(runner.assignment)
    ]
    for source in filter(None, sources):
        found: dict[str, Any] | None = {}
        while found is not None:
            written = replace(reference, units=(replace(unit, source=source), *others))
            found = _learn_with_findings(runner, written, found)


def _learn_with_findings(runner: SuiteRunner, program: Submission, found: dict[str, Any]) -> dict[str, Any] | None:
    """Learn what tests ask of a program when earlier tests found out what ``found`` says.

    Returns:
        What earlier tests might have found out instead. None when they find out nothing that is true or false, when
        ``found`` was such an alternative already, or when the program cannot be graded.
    """
    with runner.open_submission_run(program, learns_request_paths=True) as run:
        if run.ungradable_reason:
            return None
        run.target.student.remembered.content.update(found)
        run.run_all_tests()
        after = run.target.student.remembered.content
    others = {name: not value for name, value in after.items() if isinstance(value, bool)}
    return others if others and not found else None
