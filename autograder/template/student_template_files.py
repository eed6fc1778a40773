"""Make all files of the template that students get, and check whether the template on disk is up to date."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from autograder.course import Assignment
from autograder.faults import CourseFault, make_file_fault, raise_course_faults_if_any, translate_file_errors
from autograder.files_without_tool_caches import list_files_without_tool_caches
from autograder.grading.failure_messages.error_message_hints import MESSAGE_HINTS
from autograder.template.notebook_builder import render_student_notebook
from autograder.template.solution_stub import make_stub_from_solution

HANDED_OUT_FILES = {
    "conftest.py": "tests/conftest.py",
    "exception_messages.py": "tests/exception_messages.py",
    "graph_picture.py": "tests/graph_picture.py",
    "load_error_messages.py": "tests/load_error_messages.py",
    "set_orders.py": "tests/set_orders.py",
    "pytest.ini": "pytest.ini",
    "notebook_check.py": "notebook_check.py",
}
"""The kit's own files in a template: their paths in the template by their names."""
SLIPS = "tests/slips.py"
"""The path in the template of ``submissions/common_slips.py``, which gives the same messages about
slips as reports do."""
HINTS = "tests/hints.json"
"""The path in the template of what to try after messages of the interpreter, which reports say too."""
LEFT_OUT = ("conftest.py", "__init__.py")
"""Files beside the public tests that students do not get."""


def render_student_template_files(assignment: Assignment) -> dict[str, str]:
    """Return the template's files: their text by path.

    A README and a notebook are included if the assignment has them, and so are helpers of the public tests.

    Raises:
        CourseFault: a part of the assignment is missing or unusable.
    """
    stub = make_stub_from_solution(read_assignment_file_text(assignment.solution_file), str(assignment.solution_file))
    script, readme = assignment.notebook_script_path, assignment.folder / "template" / "README.md"
    contents = {"handout.md": read_assignment_file_text(assignment.folder / "handout.md"), "value.py": stub}
    if readme.exists():
        contents["README.md"] = read_assignment_file_text(readme)
    if script.exists():
        contents["value.ipynb"] = render_student_notebook(read_assignment_file_text(script), stub, str(script))
    tests = sorted(assignment.public_suite_folder.glob("test_*.py"))
    if not tests:
        raise CourseFault(
            "the public suite holds no test_*.py",
            where=str(assignment.public_suite_folder),
            advice="write the public suite",
        )
    tests += list_public_test_helper_modules(assignment)
    contents |= {f"tests/{path.name}": read_assignment_file_text(path) for path in tests}
    contents[SLIPS] = (files("autograder.submissions") / "common_slips.py").read_text(encoding="utf-8")
    contents[HINTS] = _render_hints(assignment)
    contents |= {place: read_handed_out_file(name) for name, place in HANDED_OUT_FILES.items()}
    if not script.exists():
        del contents["notebook_check.py"]
    return contents


def _render_hints(assignment: Assignment) -> str:
    """Return pairs of a pattern that matches whole messages of the interpreter, and what to try, as JSON."""
    own_hints = [(f".*{re.escape(part)}.*", hint) for part, hint in assignment.own_hints]
    return json.dumps([*own_hints, *MESSAGE_HINTS], indent=1) + "\n"


def list_public_test_helper_modules(assignment: Assignment) -> list[Path]:
    """Return the modules beside the public tests that these import, also through each other.

    Other files there are the author's, and no student gets them: ``conftest.py``, or a solution to try the tests on.

    Raises:
        CourseFault: a helper has the name of another module that the tests can import.
    """
    path_by_module = {path.stem: path for path in sorted(assignment.public_suite_folder.glob("*.py"))}
    tests = [path for name, path in path_by_module.items() if name.startswith("test_")]
    helpers: list[Path] = []
    queue = [*tests]
    while queue:
        for name in _iterate_imported_names(queue.pop()):
            path = path_by_module.get(name)
            if path is not None and path not in (*tests, *helpers) and path.name not in LEFT_OUT:
                helpers.append(path)
                queue.append(path)
    raise_course_faults_if_any([*filter(None, map(_find_name_clash_or_none, sorted(helpers)))])
    return sorted(helpers)


def _iterate_imported_names(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(read_assignment_file_text(path))
    except SyntaxError:
        return  # `autograder check` runs the public suite, and says so
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def _find_name_clash_or_none(helper: Path) -> CourseFault | None:
    taken_names = {Path(path).name for path in (*HANDED_OUT_FILES.values(), SLIPS)} | {"value.py"}
    if helper.name in taken_names:
        problem = "this file has the name of one that students get anyway"
    elif helper.stem in sys.stdlib_module_names:
        problem = "this file has the name of a module of Python's own, and hides it"
    else:
        return None
    return CourseFault(problem, where=str(helper), advice="give it another name")


def read_handed_out_file(file_name: str) -> str:
    """Return the text of one of the kit's own files for students."""
    return (files("autograder.template") / "handed_out" / file_name).read_text(encoding="utf-8")


def describe_template_differences(assignment: Assignment) -> list[str]:
    """Return how the template on disk differs from what it should be, a sentence each; empty if it is up to date."""
    text_by_name = render_student_template_files(assignment)
    existing_names = {
        path.relative_to(assignment.template_folder).as_posix()
        for path in list_files_without_tool_caches(assignment.template_folder)
    }
    missing_lines = [f"{name} is missing" for name in sorted(text_by_name.keys() - existing_names)]
    stray_lines = [f"{name} does not belong there" for name in sorted(existing_names - text_by_name.keys())]
    outdated_lines = [
        f"{name} is out of date"
        for name in sorted(text_by_name.keys() & existing_names)
        if (assignment.template_folder / name).read_bytes() != text_by_name[name].encode()
    ]
    return missing_lines + stray_lines + outdated_lines


def synchronize_template_folder(assignment: Assignment) -> list[str]:
    """Bring the template on disk up to date.

    Returns:
        The paths that were written or removed.

    Raises:
        CallerFault: the folder cannot be written.
        CourseFault: a part of the assignment is missing or unusable.
    """
    text_by_name = render_student_template_files(assignment)
    changed_names = []
    with translate_file_errors(assignment.template_folder, action="write to"):
        for path in list_files_without_tool_caches(assignment.template_folder):
            name = path.relative_to(assignment.template_folder).as_posix()
            if name not in text_by_name:
                path.unlink()
                changed_names.append(name)
        for name, text in text_by_name.items():
            path = assignment.template_folder / name
            if not path.is_file() or path.read_bytes() != text.encode():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
                changed_names.append(name)
    return changed_names


def read_assignment_file_text(path: Path) -> str:
    """Return the text of one of an assignment's files.

    Raises:
        CourseFault: the file is missing or cannot be read, or is not UTF-8 text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise make_file_fault(error, path, fault_class=CourseFault, advice="write it") from error
    except UnicodeDecodeError as error:
        raise CourseFault("the file is not UTF-8 text", where=str(path), advice="save it as UTF-8") from error
