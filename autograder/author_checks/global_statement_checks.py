"""Check that no function of a hidden suite has a ``global`` statement, which binds a name of its module."""

from __future__ import annotations

from autograder.course import Assignment
from autograder.course.python_parsing import parse_python_file
from autograder.faults import CourseFault, raise_course_faults_if_any
from autograder.grading.suite.suite_rebindings import iterate_global_statements


def require_no_global_statements_in_suite(assignment: Assignment) -> None:
    """Raise if a function of a hidden suite has a ``global`` statement; leave out files that cannot be parsed.

    What it binds stays for the next submission that the same process grades, and is missing for the first one.

    Raises:
        CourseFault: there is such a statement; all of them are reported together.
    """
    faults = []
    for path in sorted(assignment.hidden_suite_folder.rglob("*.py")):
        try:
            tree = parse_python_file(path)
        except CourseFault:
            continue  # another check reports it
        faults += [
            CourseFault(
                f"a function of the hidden suite binds {', '.join(map(repr, statement.names))} as `global`, so one "
                "submission's test may see what another's left",
                where=f"{path}:{statement.lineno}",
                advice="use a local name, or return the value",
            )
            for statement in iterate_global_statements(tree)
        ]
    raise_course_faults_if_any(faults)
