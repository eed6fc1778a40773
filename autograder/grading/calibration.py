"""What the reference solution shows before anybody is graded: which tests do not work here, and what they ask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.course import Assignment
from autograder.course.styles import load_styles, source_in
from autograder.faults import CourseFault
from autograder.grading.hall import Hall
from autograder.submissions import Submission, Unreadable, read_submission

MOST_FAULTY = 0.5
"""Share of the tests that the reference may fail before nothing is graded at all."""


def calibrate(hall: Hall) -> frozenset[str]:
    """Put the reference solution to the tests, and learn what they ask.

    Returns:
        The ids of the tests that it does not pass here, whoever is graded.

    Raises:
        CourseFault: it cannot be graded, or fails too many of them.
        KitFault: no process can be started.
    """
    reference = reference_of(hall.assignment)
    faulty = _failing(hall, reference)
    if faulty:
        faulty &= _failing(hall, reference)  # once may be chance: a test is faulty when it fails every time
    if len(faulty) > len(hall.suite.specs) * MOST_FAULTY:
        raise CourseFault(
            f"fails {len(faulty)} of {len(hall.suite.specs)} hidden tests, such as {sorted(faulty)[0]}",
            where=str(hall.assignment.solution),
            advice="mend the solution or the suite: `autograder check` says what is wrong",
        )
    return faulty


def reference_of(assignment: Assignment) -> Submission:
    """Read the reference solution.

    Raises:
        CourseFault: it is not there, or cannot be read.
    """
    solution = assignment.solution
    if not solution.is_file():
        raise CourseFault("has no reference solution", where=str(solution), advice="write it; grading needs it")
    try:
        return read_submission(solution, assignment)
    except Unreadable as why:
        raise _ungradable(assignment, why) from why


def _failing(hall: Hall, reference: Submission) -> frozenset[str]:
    """The ids of the tests that the reference does not pass."""
    with hall.admit(reference, learns=True) as sitting:
        if sitting.problem:
            raise _ungradable(hall.assignment, sitting.problem)
        results = sitting.results()
    return frozenset(result.spec.id for result in results if result.outcome != "passed")


def learn_other_ways(hall: Hall) -> None:
    """Learn what tests ask of engines that are written otherwise, or in which earlier tests found other things.

    Takes as long as some submissions, and pays where there are many: results are the same without.
    """
    reference = reference_of(hall.assignment)
    (unit, *others) = reference.units
    sources = [source_in(style, unit.source, ()) for style in load_styles(hall.assignment)]
    for source in filter(None, sources):
        found: dict[str, Any] | None = {}
        while found is not None:
            written = replace(reference, units=(replace(unit, source=source), *others))
            found = _found(hall, written, found)


def _found(hall: Hall, program: Submission, found: dict[str, Any]) -> dict[str, Any] | None:
    """Learn what tests ask of a program when earlier ones found this out.

    Returns:
        What they might have found out instead; None when they find nothing out that is true or false, or when these
        answers were the others already.
    """
    with hall.admit(program, learns=True) as sitting:
        if sitting.problem:
            return None
        sitting.target.student.remembered.content.update(found)
        sitting.results()
        after = sitting.target.student.remembered.content
    others = {name: not value for name, value in after.items() if isinstance(value, bool)}
    return others if others and not found else None


def _ungradable(assignment: Assignment, why: Unreadable) -> CourseFault:
    return CourseFault(
        f"cannot be graded itself: {why.message}",
        where=str(assignment.solution),
        advice="does it define what grading.yml says under `defines`?",
    )
