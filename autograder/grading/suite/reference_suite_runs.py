"""Run the tests on the reference solution before grading, to learn which do not work here, and their requests."""

from __future__ import annotations

from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.grading.suite.suite_runner import SuiteRunner
from autograder.list_and_count_wording import format_count
from autograder.submissions import Submission, UngradableSubmission, read_submission

MAX_FAULTY_SHARE = 0.5
"""Share of the tests that the reference may fail before nothing is graded at all."""


def find_faulty_test_ids(runner: SuiteRunner) -> frozenset[str]:
    """Run the tests on the reference solution, and learn their requests.

    Returns:
        The ids of the tests that the reference does not pass here. They do not work for any submission.

    Raises:
        CourseFault: the reference cannot be graded, or fails too many of the tests.
        KitFault: no process can be started.
    """
    reference = read_reference_submission(runner.assignment)
    faulty = _list_failing_tests(runner, reference)
    if faulty:
        # one failure may be chance, so a test is faulty only if it fails both times
        faulty &= _list_failing_tests(runner, reference)
    if len(faulty) > len(runner.suite.test_specs) * MAX_FAULTY_SHARE:
        raise CourseFault(
            f"the reference solution fails {len(faulty)} of "
            f"{format_count(len(runner.suite.test_specs), 'hidden test')}, "
            f"such as {sorted(faulty)[0]}",
            where=str(runner.assignment.solution_file),
            advice="run `autograder check` to see why, and mend the solution or the suite",
        )
    return faulty


def read_reference_submission(assignment: Assignment) -> Submission:
    """Read the reference solution.

    Raises:
        CourseFault: the solution is missing, or cannot be read.
    """
    solution = assignment.solution_file
    if not solution.is_file():
        raise CourseFault("the reference solution is missing", str(solution), advice="write it; grading needs it")
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


def _make_ungradable_fault(assignment: Assignment, why: UngradableSubmission) -> CourseFault:
    return CourseFault(
        f"cannot grade the reference solution: {why.message.rstrip('.')}",
        where=str(assignment.solution_file),
        advice="see whether it defines what grading.yml lists under `defines`",
    )
