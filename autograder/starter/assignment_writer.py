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

from autograder.atomic_file_writing import make_unfinished_path, resolve_output_file
from autograder.course import Assignment, Course, load_course
from autograder.course.course_loading import COURSE_FILE_NAME
from autograder.faults import CallerFault, translate_file_errors
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
        KitFault: the kit was installed without a course, or the disk fails under a guide page.
    """
    words = {"name": assignment_name, "title": assignment_title or assignment_name.replace("-", " ").capitalize()}
    if not NAME.fullmatch(assignment_name):
        raise CallerFault(
            f"{assignment_name!r} cannot be an assignment's name", advice="write it like neural-network"
        )
    text_by_file = {
        course.folder / folder / assignment_name / name: text
        for folder in FOLDERS
        for name, text in _render_files(ASSIGNMENT_FILES / folder, words).items()
    }
    folders = [course.folder / folder / assignment_name for folder in (*FOLDERS, "student_template")]
    for taken_folder in filter(Path.exists, folders):
        raise CallerFault("the folder exists already", str(taken_folder), "choose another name")
    if course.find_assignment(assignment_name):
        raise CallerFault("the assignment is listed already", COURSE_FILE_NAME, "choose another name")
    with (
        translate_file_errors(course.folder, action="write to"),
        _restore_after_an_error(course.folder / COURSE_FILE_NAME, folders) as config,
    ):
        for path, text in text_by_file.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        entry = Template(COURSE_FILE_ENTRY).substitute(words, quoted_title=_quote_if_needed(words["title"]))
        _replace_file(config, _add_entry(config.read_text(encoding="utf-8"), entry).encode())
        assignment = load_course(course.folder).find_assignment(assignment_name)
        assert assignment is not None
        synchronize_template_folder(assignment)
        write_missing_guide_pages(course.folder, load_kit_course().folder)
    return assignment


def _quote_if_needed(title: str) -> str:
    """Return a title as a YAML scalar in one line: ``Vectors``, or ``"Stacks: LIFO"``."""
    try:
        is_plain = yaml.safe_load(f"title: {title}") == {"title": title}
    except yaml.YAMLError:
        is_plain = False
    return title if is_plain else json.dumps(title, ensure_ascii=False)


def _render_files(source: Path, words: dict[str, str]) -> dict[str, str]:
    """Return the texts of a folder's files for an assignment, by their paths in it."""
    return {
        path.relative_to(source).as_posix(): Template(path.read_text(encoding="utf-8")).substitute(words)
        for path in sorted(source.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }


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
        if config.read_bytes() != original_text:
            _replace_file(config, original_text)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _replace_file(path: Path, content: bytes) -> None:
    """Write a file of the course so that a kill leaves the old one or the new one; its mode stays."""
    target = resolve_output_file(path)
    draft = make_unfinished_path(target.parent)
    try:
        draft.write_bytes(content)
        shutil.copymode(target, draft)
        draft.replace(target)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
