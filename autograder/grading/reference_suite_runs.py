"""Run the reference solution before grading, to learn which tests do not work here, and what tests ask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.course import Assignment
from autograder.course.engine_styles import load_engine_styles_with_plain, try_make_solution_in_style_with_mistakes
from autograder.faults import CourseFault
from autograder.grading.suite_runner import SuiteRunner
from autograder.submissions import Submission, UngradableSubmission, read_submission

MAX_FAULTY_SHARE = 0.5
"""Share of the tests that the reference may fail before nothing is graded at all."""


def run_reference_and_get_faulty_test_ids(runner: SuiteRunner) -> frozenset[str]:
    """Run the tests on the reference solution, and learn what they ask.

    Returns:
        The ids of the tests that the reference does not pass here. They do not work for any submission.

    Raises:
        CourseFault: the reference cannot be graded, or fails too many of the tests.
        KitFault: no process can be started.
    """
    reference = read_reference_submission(runner.assignment)
    faulty = _list_failing_tests(runner, reference)
    if faulty:
        # once may be chance: a test is faulty when it fails every time
        faulty &= _list_failing_tests(runner, reference)
    if len(faulty) > len(runner.suite.test_specs) * MAX_FAULTY_SHARE:
        raise CourseFault(
            f"fails {len(faulty)} of {len(runner.suite.test_specs)} hidden tests, such as {sorted(faulty)[0]}",
            where=str(runner.assignment.solution_file),
            advice="mend the solution or the suite: `autograder check` says what is wrong",
        )
    return faulty


def read_reference_submission(assignment: Assignment) -> Submission:
    """Read the reference solution.

    Raises:
        CourseFault: the solution is missing, or cannot be read.
    """
    solution = assignment.solution_file
    if not solution.is_file():
        raise CourseFault("has no reference solution", where=str(solution), advice="write it; grading needs it")
    try:
        return read_submission(solution, assignment)
    except UngradableSubmission as why:
        raise _make_ungradable_fault(assignment, why) from why


def _list_failing_tests(runner: SuiteRunner, reference: Submission) -> frozenset[str]:
    """Run all tests on the reference, and return the ids of those that it does not pass."""
    with runner.open_submission_run(reference, learns_request_paths=True) as run:
        if run.ungradable_reason:
            raise _make_ungradable_fault(runner.assignment, run.ungradable_reason)
        results = run.run_all_tests()
    return frozenset(result.spec.id for result in results if result.outcome != "passed")


def learn_request_paths_of_other_styles(runner: SuiteRunner) -> None:
    """Learn what tests ask of engines that are written otherwise, or in which earlier tests found other things.

    This takes as long as grading some submissions, and pays where there are many. Results are the same without it.
    """
    reference = read_reference_submission(runner.assignment)
    (unit, *others) = reference.units
    sources = [
        try_make_solution_in_style_with_mistakes(style, unit.source, ())
        for style in load_engine_styles_with_plain(runner.assignment)
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


def _make_ungradable_fault(assignment: Assignment, why: UngradableSubmission) -> CourseFault:
    return CourseFault(
        f"cannot be graded itself: {why.message}",
        where=str(assignment.solution_file),
        advice="does it define what grading.yml says under `defines`?",
    )
