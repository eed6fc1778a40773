"""What the reference solution shows before anybody is graded: which tests do not work here, and which must wait."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.grading.hall import Hall
from autograder.grading.results import TestResult
from autograder.grading.sitting import Sitting
from autograder.grading.suite import Again
from autograder.submissions import Submission, Unreadable, read_submission

MOST_FAULTY = 0.5
"""Share of the tests that the reference may fail before nothing is graded at all."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What holds for everybody who is graded on this machine."""

    faulty: frozenset[str]
    """Ids of tests that the reference solution does not pass here."""
    waits: frozenset[str]
    """pytest's names of tests that must wait for every answer; see ``Bridge``."""


def calibrate(hall: Hall) -> Calibration:
    """Put the reference solution to the tests.

    Raises:
        CourseFault: it cannot be graded, or fails too many of them.
        KitFault: no process can be started.
    """
    reference = _reference(hall.assignment)
    waits: set[str] = set()
    faulty = _failing(hall, reference, waits)
    if faulty:
        faulty &= _failing(hall, reference, waits)  # once may be chance: a test is faulty when it fails every time
    if len(faulty) > len(hall.suite.specs) * MOST_FAULTY:
        raise CourseFault(
            f"fails {len(faulty)} of {len(hall.suite.specs)} hidden tests, such as {sorted(faulty)[0]}",
            where=str(hall.assignment.solution),
            advice="mend the solution or the suite: `autograder check` says what is wrong",
        )
    return Calibration(faulty, frozenset(waits))


def _reference(assignment: Assignment) -> Submission:
    solution = assignment.solution
    if not solution.is_file():
        raise CourseFault("has no reference solution", where=str(solution), advice="write it; grading needs it")
    try:
        return read_submission(solution, assignment)
    except Unreadable as why:
        raise _ungradable(assignment, why) from why


def _failing(hall: Hall, reference: Submission, waits: set[str]) -> frozenset[str]:
    """The ids of the tests that the reference does not pass; what has to wait is added to ``waits``."""
    with hall.admit(reference, waits=waits) as sitting:
        if sitting.problem:
            raise _ungradable(hall.assignment, sitting.problem)
        results = sitting.results(_learning(sitting, waits))
    return frozenset(result.spec.id for result in results if result.outcome != "passed")


def _learning(sitting: Sitting, waits: set[str]) -> Again:
    """What must be seen twice, while it is learnt which tests must wait.

    They look at what a request gives in a way that cannot be foretold, for example whether it is None.
    """

    def again(result: TestResult) -> bool:
        if not sitting.bridge.misjudged:
            return sitting.judge.again(result)
        waits.add(sitting.target.test)
        sitting.bridge.step_by_step()
        return True

    return again


def _ungradable(assignment: Assignment, why: Unreadable) -> CourseFault:
    return CourseFault(
        f"cannot be graded itself: {why.message}",
        where=str(assignment.solution),
        advice="does it define what grading.yml says under `defines`?",
    )
