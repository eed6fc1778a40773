"""Read the courses of a server, with their names in URLs and the locations of their results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.batch import BatchLocation
from autograder.cli.options.shared_options import load_course_and_set_output_permissions
from autograder.course import Course
from autograder.faults import CallerFault

PLACEHOLDER = "{course}"


def load_served_names_and_courses(course_arguments: Sequence[str]) -> list[tuple[str, Course]]:
    """Open the courses of a server, each with its name; the name is empty where it is the only one and has none.

    Args:
        course_arguments: folders, or ``NAME=FOLDER``; the nearest course when empty.

    Raises:
        CallerFault: there is no such course, it does not hold together, or two have the same name.
    """
    named_courses: list[tuple[str, Course]] = []
    for argument in course_arguments or [""]:
        name, separator, folder = argument.rpartition("=")
        if Path(argument).exists():  # a folder's name may contain ``=``
            name, separator, folder = "", "", argument
        course = load_course_and_set_output_permissions(Path(folder) if folder else None)
        if not separator and len(course_arguments) > 1:
            name = course.folder.resolve().name
        named_courses.append((name, course))
    names = [name for name, _ in named_courses]
    repeated_name = next((name for name in names if names.count(name) > 1), None)
    if repeated_name is not None:
        raise CallerFault(
            f"two courses have the name '{repeated_name}'", advice="write --course NAME=FOLDER, with a name for each"
        )
    return named_courses


def make_results_location_of_course(output_folder: Path, store_url_pattern: str, course_name: str) -> BatchLocation:
    """Return where the results of one course are; each course has a store of its own.

    Args:
        output_folder: the folder for results.
        store_url_pattern: the URL of the store, with ``{course}`` for the name; a file in the course's folder when
            empty.
        course_name: the course; empty where the server has one.

    Raises:
        CallerFault: several courses would share a store.
    """
    if not course_name:
        return BatchLocation(output_folder, store_url_pattern)
    if store_url_pattern and PLACEHOLDER not in store_url_pattern:
        raise CallerFault(
            "several courses would share this store",
            where="--store",
            advice="write {course} in it, such as postgresql:///autograder_{course}",
        )
    return BatchLocation(output_folder / course_name, store_url_pattern.replace(PLACEHOLDER, course_name))
