"""Change files of an assignment, and read what ``autograder check`` finds in them."""

from __future__ import annotations

from pathlib import Path

from autograder.author_checks.file_checks import check_assignment_files
from autograder.course import Assignment, load_course


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def problems(assignment: Assignment) -> tuple[str, ...]:
    return check_assignment_files(load_course(assignment.course_folder).assignments[1]).problems


def lines_told(assignment: Assignment, path: Path) -> dict[str, str]:
    """What is told of one file: the rest of each message by its line."""
    told = [one.removeprefix(f"{path}:") for one in problems(assignment) if one.startswith(f"{path}:")]
    return {line: rest for line, _, rest in (one.partition(": ") for one in told)}


def find_line(path: Path, piece: str) -> str:
    return str(next(i for i, line in enumerate(path.read_text().splitlines(), 1) if piece in line))


def misconceptions(assignment: Assignment) -> Path:
    return assignment.solution_file.with_name("misconceptions.yml")
