"""Write a new course, or a new assignment into a course, from the course that comes with the kit."""

from __future__ import annotations

import builtins
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
from autograder.faults import CallerFault, KitFault, translate_file_errors
from autograder.files import (
    list_files_without_tool_caches,
    make_unfinished_path,
    resolve_output_file,
    write_file_atomically,
)
from autograder.template import synchronize_template_folder

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


def _make_course_file_text_with_assignments(course: Course, assignment_names: frozenset[str]) -> str:
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


GUIDE_PAGES = (
    "docs/new-assignment.md",
    "docs/writing-tests.md",
    "docs/teaching-assistants.md",
    "docs/administrators.md",
    "docs/lateness.md",
    "docs/scaling.md",
)
"""Their paths, in a course as in the repository; ``setup.py`` packs them."""
LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\[\]:#]+)(#[^()\[\]]*)?\)")
"""A link to another page; not one within the page, or to the web."""

CUT_LINKS_NOTE = "Names of pages in *italics* stand for pages in the documentation of the kit's repository.\n"


def _read_guide_pages(kit_course_folder: Path) -> dict[str, str]:
    """Return the pages' texts by path, without links to pages that only the repository has.

    Args:
        kit_course_folder: the folder of the course that comes with the kit.
    """
    paths = {name: kit_course_folder / name for name in GUIDE_PAGES}
    return {name: _cut_links_out_of_course(path.read_text(encoding="utf-8")) for name, path in paths.items()}


def _write_missing_guide_pages(course_folder: Path, kit_course_folder: Path) -> None:
    """Write the pages that a course does not have, each whole: half a page would be taken for the author's own.

    Raises:
        CallerFault: a page cannot be written.
        KitFault: the disk is full or fails.
    """
    for name, text in _read_guide_pages(kit_course_folder).items():
        path = course_folder / name
        if not path.exists():
            write_file_atomically(path, text.encode())


def _cut_links_out_of_course(page: str) -> str:
    page_names = {Path(name).name for name in GUIDE_PAGES}
    cut_page = LINK.sub(lambda link: link[0] if link[2] in page_names else f"*{link[1]}*", page)
    return cut_page if cut_page == page else f"{cut_page}\n{CUT_LINKS_NOTE}"


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
    config = _make_course_file_text_with_assignments(source, frozenset(assignment.name for assignment in assignments))
    contents = {COURSE_FILE_NAME: re.sub(r"(?m)^course: .*$", lambda _: f"course: {title}", config, count=1).encode()}
    for assignment in assignments:
        for path in iterate_assignment_files(assignment):
            contents[path.relative_to(source.folder).as_posix()] = path.read_bytes()
    contents |= {name: page.encode() for name, page in _read_guide_pages(source.folder).items()}
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


ASSIGNMENT_FILES = STARTER_FOLDER / "assignment_files"
FOLDERS = ("assignments", "solutions")
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
STARTER_CLASS = "Vector"
CLASS_NAME = re.compile(r"[A-Z][A-Za-z0-9_]*")
COURSE_FILE_ENTRY = """\
  $name:
    title: $quoted_title
    defines: [$class_name]
    concepts:
      construction: 20
      addition: 40
      dot product: 40
"""


def write_and_load_starter_assignment(
    course: Course, assignment_name: str, assignment_title: str = "", class_name: str = STARTER_CLASS
) -> Assignment:
    """Write an assignment about a class of vectors into a course, and list it in ``grading.yml``.

    Args:
        course: the course.
        assignment_name: of the assignment: lower-case letters, digits and hyphens, such as ``neural-network``.
        assignment_title: of the assignment; made from its name when empty.
        class_name: what the class is called.

    Returns:
        The assignment, with the folder that students get. The course also gets the guide pages that it lacks.

    Raises:
        CallerFault: the name cannot be used or is taken, or the course cannot be written; then it is as it was.
        KitFault: the kit was installed without a course, or the disk fails under a guide page.
    """
    words = {
        "name": assignment_name,
        "title": assignment_title or assignment_name.replace("-", " ").capitalize(),
        "class_name": class_name,
    }
    if not CLASS_NAME.fullmatch(class_name) or class_name in {*vars(builtins), "Operation"}:
        raise CallerFault(f"{class_name!r} cannot be the class's name", advice="write it like Matrix")
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
        _write_missing_guide_pages(course.folder, load_kit_course().folder)
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
        path.relative_to(source).as_posix(): Template(
            re.sub(rf"\b{STARTER_CLASS}\b", words["class_name"], path.read_text(encoding="utf-8"))
        ).substitute(words)
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
