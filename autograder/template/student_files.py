"""Make all files that students get: stub, notebook, public tests; and check whether those on disk are up to date."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from autograder.course import Assignment
from autograder.course.assignment_code import (
    BEGIN_GIVEN,
    get_syntax_error_line_and_message,
    parse_given_code,
    parse_python,
)
from autograder.faults import CourseFault, make_file_fault, raise_course_faults_if_any, translate_file_errors
from autograder.files import list_files_without_tool_caches
from autograder.grading.interpreter_messages import MESSAGE_HINTS
from autograder.template.hand_in_jobs import JOB_FILES, render_hand_in_jobs

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
        CourseFault: a marker has no partner or stands outside of a function, there is none at all, or the solution or
            the stub is not Python.
    """
    stub_lines: list[str] = []
    line_numbers: list[int] = []
    placeholder_rows: list[int] = []
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
                placeholder_rows.append(len(stub_lines))
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
    _check_stub(stub_lines, line_numbers, placeholder_rows, source_name)
    if not regions:
        raise CourseFault(
            f"the solution has no {BEGIN}", where=source_name, advice="mark what students write, or it is given away"
        )
    return "\n".join(stub_lines) + "\n"


def _check_stub(
    stub_lines: Sequence[str], line_numbers: Sequence[int], placeholder_rows: Sequence[int], source_name: str
) -> None:
    """Check that the students' version is Python, and can be loaded before anything is written."""
    try:
        tree = ast.parse("\n".join(stub_lines))
    except (SyntaxError, ValueError) as error:
        row, message = get_syntax_error_line_and_message(error)
        place = f"{source_name}:{line_numbers[min(row, len(line_numbers)) - 1]}" if line_numbers else source_name
        raise CourseFault(f"the students' version is not Python: {message}", place, "move the markers") from error
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for row in placeholder_rows:
        if not any(node.lineno < row <= (node.end_lineno or 0) for node in functions):
            raise CourseFault(
                f"{BEGIN} stands outside of a function",
                where=f"{source_name}:{line_numbers[row - 1]}",
                advice=f"put it below a `def` line, or use {BEGIN_ONLY} for what students do not get at all",
            )


def format_placeholder_statement(function_name: str) -> str:
    """Return the statement that marks where students write a function's code.

    >>> format_placeholder_statement("backward")
    'raise NotImplementedError("backward is not written yet")'
    """
    return f'raise NotImplementedError("{function_name} is not written yet")'


ANSWER_PLACEHOLDER = "# <value.py>"
CELL = re.compile(r"^# %%(?P<markdown> \[markdown\])?\s*$", re.M)


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One cell of a notebook."""

    kind: Literal["code", "markdown", "raw"]
    text: str

    @property
    def is_answer_placeholder(self) -> bool:
        """Return whether the cell is to be replaced by the code that students complete."""
        return self.kind == "code" and self.text.strip() == ANSWER_PLACEHOLDER


def split_into_cells(notebook_script: str, script_name: str) -> list[NotebookCell]:
    r"""Return the cells of a script.

    Args:
        notebook_script: the script. ``# %%`` begins a code cell. ``# %% [markdown]`` begins a Markdown cell, in which
            every line begins with ``# ``. A code cell that is just ``# <value.py>`` is the place for the code that
            students complete.
        script_name: the script's path, for errors.

    Raises:
        CourseFault: there is no cell for the students' code, or a code cell is not Python.

    >>> script = "# %% [markdown]\n# Fill in.\n# %%\n# <value.py>\n"
    >>> [(cell.kind, cell.text) for cell in split_into_cells(script, "notebook.py")]
    [('markdown', 'Fill in.'), ('code', '# <value.py>')]
    """
    marks = [*CELL.finditer(notebook_script)]
    ends = [*(mark.start() for mark in marks[1:]), len(notebook_script)]
    cells = [
        _make_cell(notebook_script[mark.end() : end], mark["markdown"])
        for mark, end in zip(marks, ends, strict=False)
    ]
    for mark, cell in zip(marks, cells, strict=True):
        if cell.kind == "code":
            _require_python(cell.text, script_name, notebook_script.count("\n", 0, mark.end()) + 1)
    if not any(cell.is_answer_placeholder for cell in cells):
        raise CourseFault(
            f"the script has no cell {ANSWER_PLACEHOLDER!r}",
            where=script_name,
            advice="add the cell that students write in",
        )
    return cells


def _require_python(code: str, script_name: str, line: int) -> None:
    """Raise ``CourseFault`` unless a code cell is valid Python; cells with Jupyter's magics are not checked."""
    if re.search(r"^[^\S\n]*[%!?]", code, re.M):
        return
    try:
        ast.parse(code)
    except (SyntaxError, ValueError) as error:
        offset = getattr(error, "lineno", None) or 1
        raise CourseFault(
            f"a code cell is not Python: {getattr(error, 'msg', error)}",
            f"{script_name}:{line + offset}",
            "fix the cell",
        ) from error


def _make_cell(text: str, markdown: str | None) -> NotebookCell:
    text = text.strip("\n")
    if not markdown:
        return NotebookCell("code", text)
    return NotebookCell("markdown", "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.splitlines()))


def render_cells_as_ipynb(cells: Iterable[NotebookCell]) -> str:
    """Return a notebook as JSON text, the same for the same cells."""
    import nbformat

    factory_by_kind: dict[str, Any] = {
        "code": nbformat.v4.new_code_cell,
        "markdown": nbformat.v4.new_markdown_cell,
        "raw": nbformat.v4.new_raw_cell,
    }
    nodes: list[Any] = []
    for number, cell in enumerate(cells, start=1):
        nodes.append(factory_by_kind[cell.kind](cell.text))
        nodes[-1]["id"] = f"cell-{number:02}"
    notebook = nbformat.v4.new_notebook(cells=nodes)
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def remove_module_docstring(source: str) -> str:
    """Return a module's text without its docstring, which the text around the cell replaces in a notebook."""
    tree = ast.parse(source)
    if ast.get_docstring(tree) is None:
        return source.strip("\n")
    return "\n".join(source.splitlines()[tree.body[0].end_lineno or 0 :]).strip("\n")


def render_student_notebook(notebook_script: str, stub_source: str, script_name: str) -> str:
    """Return the notebook as JSON text; it is always the same for the same script and stub.

    Raises:
        CourseFault: the script has no cell for the stub, or a code cell is not Python.
    """
    code = remove_module_docstring(stub_source)
    return render_cells_as_ipynb(
        replace(cell, text=code) if cell.is_answer_placeholder else cell
        for cell in split_into_cells(notebook_script, script_name)
    )


HANDED_OUT_FILES = {
    "conftest.py": "tests/conftest.py",
    "exception_messages.py": "tests/exception_messages.py",
    "graph_picture.py": "tests/graph_picture.py",
    "load_error_messages.py": "tests/load_error_messages.py",
    "set_orders.py": "tests/set_orders.py",
    "time_limit.py": "tests/time_limit.py",
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


def render_student_template_files(assignment: Assignment, *, with_jobs: bool = False) -> dict[str, str]:
    """Return the template's files: their text by path.

    A README and a notebook are included if the assignment has them, and so are helpers of the public tests. Jobs that
    hand in are included if the course names its server, if the template on disk has them, or on demand.

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
    is_kept = any((assignment.template_folder / name).exists() for name in JOB_FILES)
    if with_jobs or is_kept or assignment.server.address:
        contents |= render_hand_in_jobs(assignment)
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


def synchronize_template_folder(assignment: Assignment, *, with_jobs: bool = False) -> list[str]:
    """Bring the template on disk up to date.

    Args:
        assignment: the assignment.
        with_jobs: whether jobs that hand in are added, even if the course names no server.

    Returns:
        The paths that were written or removed.

    Raises:
        CallerFault: the folder cannot be written.
        CourseFault: a part of the assignment is missing or unusable.
    """
    text_by_name = render_student_template_files(assignment, with_jobs=with_jobs)
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
