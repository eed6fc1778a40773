"""Find the course that comes with the kit, and read the files that a new course takes from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from autograder.course import Assignment, Course, load_course
from autograder.course.course_loading import COURSE_FILE_NAME
from autograder.faults import KitFault
from autograder.files_without_tool_caches import list_files_without_tool_caches

STARTER_FOLDER = Path(__file__).parent
PACKAGED_COURSE = STARTER_FOLDER / "course"
"""Where a wheel holds it; ``setup.py`` puts it there."""
CHECKOUT_FOLDER = STARTER_FOLDER.parents[1]
"""Where it lies when the kit is installed in editable mode."""


def load_kit_course() -> Course:
    """Return the course that comes with the kit.

    Raises:
        KitFault: it was installed without one.
    """
    for folder in (PACKAGED_COURSE, CHECKOUT_FOLDER):
        if (folder / COURSE_FILE_NAME).is_file() and (folder / "solutions").is_dir():
            return load_course(folder)
    raise KitFault("the kit is installed without its course", str(PACKAGED_COURSE), "install it again, from a wheel")


def iterate_assignment_files(assignment: Assignment) -> Iterator[Path]:
    """Yield all files of an assignment: its suites, its solutions, its template."""
    for folder in (assignment.folder, assignment.solution_file.parent, assignment.template_folder):
        yield from list_files_without_tool_caches(folder)


def make_course_file_text_with_assignments(course: Course, assignment_names: frozenset[str]) -> str:
    """Return the course's ``grading.yml`` with these assignments alone, and its comments."""
    text = (course.folder / COURSE_FILE_NAME).read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    assignments = next(value for key, value in root.value if key.value == "assignments")
    starts = [key.start_mark.line for key, _ in assignments.value]
    ends = [*starts[1:], assignments.end_mark.line]
    kept_lines = lines[: starts[0]]
    for (key, _), start, end in zip(assignments.value, starts, ends, strict=True):
        kept_lines += lines[start:end] if key.value in assignment_names else []
    return "".join([*kept_lines, *lines[ends[-1] :]]).rstrip() + "\n"
