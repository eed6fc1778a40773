"""Write a new assignment into a course: small, whole, and green, to be changed piece by piece."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template

import yaml

from autograder.course import Assignment, Course, load_course
from autograder.course.course_loading import COURSE_FILE_NAME
from autograder.faults import CallerFault, make_file_fault
from autograder.starter.guide_pages import write_missing_guide_pages
from autograder.starter.kit_course import STARTER_FOLDER, load_kit_course
from autograder.template import synchronize_template_folder

ASSIGNMENT_FILES = STARTER_FOLDER / "assignment_files"
FOLDERS = ("assignments", "solutions")
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
COURSE_FILE_ENTRY = """\
  $name:
    title: $quoted_title
    defines: [Vector]
    concepts:
      construction: 20
      addition: 40
      dot product: 40
"""


def write_and_load_starter_assignment(course: Course, assignment_name: str, assignment_title: str = "") -> Assignment:
    """Write an assignment about a class ``Vector`` into a course, and list it in ``grading.yml``.

    Args:
        course: the course.
        assignment_name: of the assignment: lower-case letters, digits and hyphens, such as ``neural-network``.
        assignment_title: of the assignment; made from its name when empty.

    Returns:
        The assignment, with the folder that students get. The course also gets the guide pages that it lacks.

    Raises:
        CallerFault: the name cannot be used or is taken, or the course cannot be written; then it is as it was.
        KitFault: the kit was installed without a course.
    """
    words = {"name": assignment_name, "title": assignment_title or assignment_name.replace("-", " ").capitalize()}
    if not NAME.fullmatch(assignment_name):
        raise CallerFault(
            f"{assignment_name!r} cannot be an assignment's name", advice="write it like neural-network"
        )
    new_folders = [course.folder / folder / assignment_name for folder in (*FOLDERS, "student_template")]
    for path in new_folders:
        if path.exists():
            raise CallerFault("the folder exists already", str(path), "choose another name")
    try:
        with _restore_after_an_error(course.folder / COURSE_FILE_NAME, new_folders) as config:
            for folder in FOLDERS:
                _copy_folder(ASSIGNMENT_FILES / folder, course.folder / folder / assignment_name, words)
            text = config.read_text(encoding="utf-8")
            entry = Template(COURSE_FILE_ENTRY).substitute(words, quoted_title=_quote_if_needed(words["title"]))
            config.write_text(_add_entry(text, entry), encoding="utf-8")
            (assignment,) = (
                assignment
                for assignment in load_course(course.folder).assignments
                if assignment.name == assignment_name
            )
            synchronize_template_folder(assignment)
            write_missing_guide_pages(course.folder, load_kit_course().folder)
    except OSError as error:
        raise make_file_fault(error, course.folder, action="write to") from error
    return assignment


def _quote_if_needed(title: str) -> str:
    """Return a title as a YAML scalar in one line: ``Vectors``, or ``"Stacks: LIFO"``."""
    try:
        is_plain = yaml.safe_load(f"title: {title}") == {"title": title}
    except yaml.YAMLError:
        is_plain = False
    return title if is_plain else json.dumps(title, ensure_ascii=False)


def _copy_folder(source: Path, target: Path, words: dict[str, str]) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            target_file = target / path.relative_to(source)
            target_file.parent.mkdir(parents=True, exist_ok=True)
            target_file.write_text(Template(path.read_text(encoding="utf-8")).substitute(words), encoding="utf-8")


def _add_entry(text: str, entry: str) -> str:
    """Return the text of ``grading.yml`` with an entry below the last assignment; its comments stay."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    assignments = next(value for key, value in root.value if key.value == "assignments")
    indent = " " * assignments.value[0][0].start_mark.column
    entry = "".join(indent + line.removeprefix("  ") for line in entry.splitlines(keepends=True))
    lines = text.splitlines(keepends=True)
    end = assignments.end_mark.line + (assignments.end_mark.column > 0)
    while end > 0 and not lines[end - 1].strip():
        end -= 1
    head = "".join(lines[:end])
    return f"{head}{'' if head.endswith(chr(10)) else chr(10)}\n{entry}{''.join(lines[end:])}"


@contextmanager
def _restore_after_an_error(config: Path, folders: list[Path]) -> Iterator[Path]:
    """Give the path of ``grading.yml``; after an error, put its text back and remove the folders."""
    original_text = config.read_bytes()
    try:
        yield config
    except BaseException:
        config.write_bytes(original_text)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        raise
