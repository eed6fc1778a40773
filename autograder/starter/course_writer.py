"""Write a new course into an empty folder: the whole course, or nothing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template

from autograder.course import Course, load_course
from autograder.course.course_loading import COURSE_FILE_NAME
from autograder.faults import CallerFault, translate_file_errors
from autograder.starter.guide_pages import read_guide_pages
from autograder.starter.kit_course import (
    STARTER_FOLDER,
    iterate_assignment_files,
    load_kit_course,
    make_course_file_text_with_assignments,
)

MINIMAL_ASSIGNMENT = "topological-sort"
"""The one assignment of a minimal course."""
STARTER_FILES = {"README.md": "README.md", "gitignore": ".gitignore"}
"""Files that a course has besides its assignments, and what they are called there."""


def write_and_load_starter_course(folder: Path, *, minimal: bool = False) -> Course:
    """Write a course that can be graded with as it is, and changed.

    Args:
        folder: where to; it is made if it does not exist.
        minimal: whether the course has the assignment ``MINIMAL_ASSIGNMENT`` alone.

    Returns:
        The new course.

    Raises:
        CallerFault: the folder is not empty, or cannot be written; then nothing is left in it.
        KitFault: the kit was installed without a course.
    """
    source = load_kit_course()
    assignments = [
        assignment for assignment in source.assignments if assignment.name == MINIMAL_ASSIGNMENT or not minimal
    ]
    title = assignments[0].title if minimal else source.title
    config = make_course_file_text_with_assignments(source, frozenset(assignment.name for assignment in assignments))
    contents = {COURSE_FILE_NAME: re.sub(r"(?m)^course: .*$", lambda _: f"course: {title}", config, count=1).encode()}
    for assignment in assignments:
        for path in iterate_assignment_files(assignment):
            contents[path.relative_to(source.folder).as_posix()] = path.read_bytes()
    contents |= {name: page.encode() for name, page in read_guide_pages(source.folder).items()}
    for name, path_name in STARTER_FILES.items():
        text = Template((STARTER_FOLDER / "files" / name).read_text(encoding="utf-8"))
        contents[path_name] = text.substitute(assignment=assignments[0].name, title=title).encode()
    with translate_file_errors(folder, action="write to", advice="name another folder"), _fill_folder(folder):
        for name, content in sorted(contents.items(), key=lambda pair: pair[0] == COURSE_FILE_NAME):
            path = folder / name  # grading.yml comes last: without it, no folder is a course
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return load_course(folder)


@contextmanager
def _fill_folder(folder: Path) -> Iterator[None]:
    """Make a folder, unless it exists and is empty, and run the block; after an error, leave nothing."""
    if folder.exists() and not folder.is_dir():
        raise CallerFault("the path is a file", str(folder), "name a folder that is empty or does not exist")
    if folder.is_dir() and any(folder.iterdir()):
        raise CallerFault("the folder is not empty", str(folder), "name a folder that is empty or does not exist")
    new_folders = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for new_folder in new_folders:
            new_folder.rmdir()
        raise
