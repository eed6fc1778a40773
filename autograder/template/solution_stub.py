"""Make the students' stub from the reference solution."""

from __future__ import annotations

import ast
import re

from autograder.course.given_code import BEGIN_GIVEN, parse_given_code
from autograder.course.python_parsing import get_syntax_error_line_and_message, parse_python
from autograder.faults import CourseFault

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
BEGIN_ONLY, END_ONLY = "# BEGIN SOLUTION ONLY", "# END SOLUTION ONLY"
GIVEN_NOTE = "# BEGIN GIVEN: yours to use as it is. The grader brings its own copy, so changes here have no effect."
DEFINITION = re.compile(r"\s*def (\w+)")


def make_stub_from_solution(marked_solution: str, source_name: str) -> str:
    """Return the stub that students get, made from a solution.

    The code between ``# BEGIN SOLUTION`` and ``# END SOLUTION`` becomes a ``raise NotImplementedError``. The code
    between ``# BEGIN SOLUTION ONLY`` and ``# END SOLUTION ONLY`` is removed without a trace. Given code stays; the
    line above it becomes a note to students on what that means.

    Raises:
        CourseFault: a marker has no partner, there is no marker at all, or the solution or the stub is not Python.
    """
    stub_lines: list[str] = []
    line_numbers: list[int] = []
    parse_python(marked_solution, source_name)
    parse_given_code(marked_solution, source_name)
    open_marker, open_line = "", 0
    function = "this"
    regions = 0
    for number, line in enumerate(marked_solution.splitlines(), start=1):
        text = line.strip()
        if definition := DEFINITION.match(line):
            function = definition[1]
        if text in (BEGIN, BEGIN_ONLY):
            if open_marker:
                raise CourseFault(
                    f"{text} stands inside {open_marker}",
                    where=f"{source_name}:{number}",
                    advice="close the first one",
                )
            open_marker, open_line = text, number
            regions += 1
            if text == BEGIN:
                indent = line[: len(line) - len(line.lstrip())]
                line_numbers.append(number)
                stub_lines.append(indent + format_placeholder_statement(function))
        elif text in (END, END_ONLY):
            if open_marker != text.replace("END", "BEGIN"):
                raise CourseFault(f"{text} closes nothing", where=f"{source_name}:{number}", advice="open it before")
            open_marker = ""
        elif not open_marker:
            line_numbers.append(number)
            stub_lines.append(GIVEN_NOTE if text == BEGIN_GIVEN else line)
    if open_marker:
        raise CourseFault(
            f"{open_marker} is never closed", where=f"{source_name}:{open_line}", advice="add the line that ends it"
        )
    try:
        ast.parse("\n".join(stub_lines))
    except (SyntaxError, ValueError) as error:
        row, message = get_syntax_error_line_and_message(error)
        place = f"{source_name}:{line_numbers[min(row, len(line_numbers)) - 1]}" if line_numbers else source_name
        raise CourseFault(f"the students' version is not Python: {message}", place, "move the markers") from error
    if not regions:
        raise CourseFault(
            f"the solution has no {BEGIN}", where=source_name, advice="mark what students write, or it is given away"
        )
    return "\n".join(stub_lines) + "\n"


def format_placeholder_statement(function_name: str) -> str:
    """Return the statement that marks where students write a function's code.

    >>> format_placeholder_statement("backward")
    'raise NotImplementedError("backward is not written yet")'
    """
    return f'raise NotImplementedError("{function_name} is not written yet")'
