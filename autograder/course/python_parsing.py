"""Parse the course's own Python files; errors name the file and the line."""

from __future__ import annotations

import ast
from pathlib import Path

from autograder.faults import CourseFault


def parse_python(source: str, source_name: str) -> ast.Module:
    """Parse a file of the course.

    Args:
        source: the file's text.
        source_name: the file's path, for errors.

    Raises:
        CourseFault: the text is not valid Python.
    """
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line, message = get_syntax_error_line_and_message(error)
        raise CourseFault(
            f"this line is not valid Python: {message}", where=f"{source_name}:{line}", advice="fix the line"
        ) from error


def parse_python_file(path: Path) -> ast.Module:
    """Read and parse a file of the course.

    Raises:
        CourseFault: it is missing, is not UTF-8 text, or is not Python.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise CourseFault(f"{path.name} is missing", where=str(path), advice="write it; grading needs it") from error
    except (OSError, UnicodeDecodeError) as error:
        raise CourseFault(f"cannot read {path.name}: {error}", where=str(path), advice="save it as UTF-8") from error
    return parse_python(source, str(path))


def get_syntax_error_line_and_message(error: SyntaxError | ValueError) -> tuple[int, str]:
    """Return the line and the message of an error that the parser raised; line 1 if the error names none."""
    if isinstance(error, SyntaxError):
        return error.lineno or 1, error.msg
    return 1, str(error)
