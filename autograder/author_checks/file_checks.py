"""Find all mistakes in the files of an assignment at once, before anything is graded."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from typing import TypeVar

from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.equivalent_mutants import load_equivalent_mutant_reasons
from autograder.author_checks.global_statement_checks import require_no_global_statements_in_suite
from autograder.author_checks.handout_checks import (
    require_handout_points_match,
    require_no_mention_of_missing_notebook,
    require_notebook_public_test_files,
)
from autograder.author_checks.hidden_test_marker_checks import (
    read_concepts_named_by_suite,
    require_valid_hidden_test_markers,
)
from autograder.author_checks.misconception_file_checks import require_valid_misconception_files
from autograder.author_checks.solution_names import require_defines_in_solution
from autograder.author_checks.typical_submissions import (
    load_typical_submissions_file,
    make_source_of_typical_submission,
)
from autograder.author_checks.uncollected_test_checks import require_all_tests_collected
from autograder.course import Assignment
from autograder.course.given_code import load_solution_given_code
from autograder.course.misconceptions import list_alternative_solutions
from autograder.course.python_parsing import parse_python_file
from autograder.course.solution_styles import load_solution_styles
from autograder.diagnosis.diagnosis_module_loading import load_diagnosis_or_none
from autograder.faults import CourseFault, list_course_faults, raise_course_faults_if_any
from autograder.template import render_student_template_files

Item = TypeVar("Item")
Reader = Callable[[Assignment], object]


def check_assignment_files(assignment: Assignment) -> CheckResult:
    """Read every file of an assignment, and return all problems found."""
    problems: dict[str, None] = {}
    for read_file in READERS:
        try:
            read_file(assignment)
        except CourseFault as fault:
            problems |= dict.fromkeys(map(_format_fault, list_course_faults(fault)))
    return CheckResult("the files of the assignment can be used", tuple(problems))


def _format_fault(fault: CourseFault) -> str:
    return f"{fault}\n{textwrap.indent(fault.details.rstrip(), '  ')}" if fault.details else str(fault)


def _check_solution(assignment: Assignment) -> None:
    parse_python_file(assignment.solution_file)


def _check_misconceptions(assignment: Assignment) -> None:
    if assignment.solution_file.is_file():
        require_valid_misconception_files(assignment, read_concepts_named_by_suite(assignment))


def _check_typical_submissions(assignment: Assignment) -> None:
    submissions = load_typical_submissions_file(assignment).submissions
    _check_each(submissions, lambda submission: make_source_of_typical_submission(submission, assignment))


def _check_wheats(assignment: Assignment) -> None:
    _check_each(list_alternative_solutions(assignment), parse_python_file)


def _check_each(items: Iterable[Item], check: Callable[[Item], object]) -> None:
    """Check every item, and raise the faults of all of them together."""
    faults = []
    for item in items:
        try:
            check(item)
        except CourseFault as fault:
            faults.append(fault)
    raise_course_faults_if_any(faults)


READERS: tuple[Reader, ...] = (
    _check_solution,
    load_solution_given_code,
    render_student_template_files,
    require_notebook_public_test_files,
    require_no_mention_of_missing_notebook,
    require_handout_points_match,
    require_defines_in_solution,
    require_valid_hidden_test_markers,
    require_all_tests_collected,
    require_no_global_statements_in_suite,
    _check_wheats,
    _check_misconceptions,
    _check_typical_submissions,
    load_equivalent_mutant_reasons,
    load_solution_styles,
    load_diagnosis_or_none,
)
