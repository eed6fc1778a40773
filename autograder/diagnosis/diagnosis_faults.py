"""Tell the mistakes of an assignment's diagnosis module from the kit's own."""

from __future__ import annotations

import traceback

from autograder.course import Assignment
from autograder.course.assignment_module_loading import find_innermost_line
from autograder.diagnosis.diagnosis_module_loading import list_diagnosis_module_files
from autograder.faults import CourseFault


def make_course_fault_or_none(error: BaseException, assignment: Assignment) -> CourseFault | None:
    """Return the course's fault behind an exception that ended a diagnosis; None if the exception is the kit's.

    Args:
        error: the exception, with its traceback.
        assignment: the assignment.
    """
    if isinstance(error, CourseFault):
        return error
    where = find_innermost_line(error, list_diagnosis_module_files(assignment))
    if where and isinstance(error, SystemExit):
        return CourseFault("this line ends the program", where=where, advice="take sys.exit() out")
    last_step = traceback.extract_tb(error.__traceback__)[-1:]
    if where in [f"{step.filename}:{step.lineno}" for step in last_step]:
        return CourseFault(f"this line raises {type(error).__name__}: {error}", where=where, advice="fix the line")
    return None
