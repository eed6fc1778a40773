"""Make a master notebook for Otter Assign from the sources of the student's notebook."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeGuard

from autograder.course import Assignment
from autograder.course.assignment_code import BEGIN_GIVEN
from autograder.faults import CourseFault, translate_file_errors
from autograder.files import make_output_folder, open_new_output_file
from autograder.template.student_files import (
    BEGIN,
    BEGIN_ONLY,
    DEFINITION,
    END,
    END_ONLY,
    GIVEN_NOTE,
    NotebookCell,
    format_placeholder_statement,
    list_public_test_helper_modules,
    make_stub_from_solution,
    read_assignment_file_text,
    read_handed_out_file,
    remove_module_docstring,
    render_cells_as_ipynb,
    split_into_cells,
)

TESTED_MODULE = "value"
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
MISSING = "{name} is not defined: run the cell that defines it, and see what it says."


def list_otter_test_sources(suite_source: str, suite_name: str) -> list[str]:
    """Return the tests of a suite, each as a cell of Otter's exception-based format.

    Otter runs each function without the rest of its module, and passes objects of the notebook for the parameters, by
    their names. So everything that a test uses of its module is copied into the function, and the names that it tests
    become parameters.

    Args:
        suite_source: a module with functions ``test_...()``, which imports the names that it tests from ``value``.
        suite_name: the suite's path, for errors.

    Raises:
        CourseFault: a test has parameters or decorators, which Otter does not support, or there is no test.
    """
    tree = ast.parse(suite_source)
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    if not tests:
        raise CourseFault("the suite holds no test", where=suite_name, advice="write the public suite")
    for test in tests:
        if test.decorator_list or test.args.args:
            raise CourseFault(
                f"{test.name} has a parameter or a decorator, which Otter does not support",
                where=f"{suite_name}:{test.lineno}",
                advice="write it as a plain function",
            )
    context = [node for node in tree.body if node not in tests and not _is_text(node)]
    return [_make_test_cell(test, context) for test in tests]


def _make_test_cell(test: ast.FunctionDef, context: Sequence[ast.stmt]) -> str:
    sentence = " ".join((ast.get_docstring(test) or test.name).split())
    body = test.body[1:] if _is_text(test.body[0]) else test.body
    statements, used_names = _list_needed_statements(test, context)
    aliases = [alias for node in statements if _is_import_of_tested(node) for alias in node.names]
    tested_aliases = [alias for alias in aliases if (alias.asname or alias.name) in used_names]
    lines = [f"assert {alias.name} is not None, {MISSING.format(name=alias.name)!r}" for alias in tested_aliases]
    lines += [f"{alias.asname} = {alias.name}" for alias in tested_aliases if alias.asname]
    lines += [ast.unparse(node) for node in statements if not _is_import_of_tested(node)]
    names = ", ".join(alias.name for alias in tested_aliases)
    head = ast.parse(f"def {test.name}({names}): ...").body[0]
    assert isinstance(head, ast.FunctionDef)
    head.body = [*ast.parse("\n".join(lines)).body, *body]
    message = json.dumps(sentence.replace('"', "'").replace("\\", "/"), ensure_ascii=False)
    return (
        f'""" # BEGIN TEST CONFIG\nfailure_message: {message}\n""" # END TEST CONFIG\n'
        f"{ast.unparse(ast.fix_missing_locations(head))}\n\n{test.name}({names})"
    )


def _list_needed_statements(test: ast.stmt, context: Sequence[ast.stmt]) -> tuple[list[ast.stmt], set[str]]:
    """Return the module's statements that a test needs, directly or indirectly, in order, and all names used."""
    used_names: set[str] = set()
    queue: list[ast.AST] = [test]
    chosen_statements: set[ast.stmt] = set()
    while queue:
        node = queue.pop()
        used_names |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        new_statements = [
            statement
            for statement in context
            if statement not in chosen_statements and used_names & _list_defined_names(statement)
        ]
        chosen_statements.update(new_statements)
        queue += new_statements
    return [node for node in context if node in chosen_statements], used_names


def _list_defined_names(node: ast.stmt) -> set[str]:
    """Return the names that a module-level statement defines."""
    if isinstance(node, (*FUNCTION, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _is_import_of_tested(node: ast.stmt) -> TypeGuard[ast.ImportFrom]:
    """Return whether a statement imports the tested names, for which Otter passes the notebook's objects, or None."""
    return isinstance(node, ast.ImportFrom) and node.module == TESTED_MODULE


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


HELPER_FILE = "notebook_check.py"
CHECK = re.compile(r'run_tests\("(\w+)"\)')
IMPORT = re.compile(r"^from notebook_check import run_tests, ", re.M)
CONFIG = """\
# ASSIGNMENT CONFIG
name: {name}
files: [{files}]
tests: {{files: true, ok_format: false}}
strip_solutions_from_all_cells: true
export_cell: {{pdf: false}}"""


def render_otter_master_files(assignment: Assignment) -> dict[str, str]:
    """Return the files that ``otter assign value.ipynb DIR`` needs: their text by name.

    The notebook contains the solution.

    Raises:
        CourseFault: a part of the assignment is missing or unusable.
    """
    script, solution = assignment.notebook_script_path, assignment.solution_file
    tests = {
        path.stem: list_otter_test_sources(read_assignment_file_text(path), str(path))
        for path in sorted(assignment.public_suite_folder.glob("test_*.py"))
    }
    cells = split_into_cells(read_assignment_file_text(script), str(script))
    checked_suites = {match[1] for cell in cells if (match := CHECK.fullmatch(cell.text.strip()))}
    if checked_suites != tests.keys():
        differing_suites = ", ".join(sorted(checked_suites ^ tests.keys()))
        raise CourseFault(
            f"the script's checks and the public suites differ: {differing_suites}",
            str(script),
            'write a cell run_tests("...") for each public suite',
        )
    code = convert_markers_to_otter(read_assignment_file_text(solution), str(solution))
    other_files = {
        "handout.md": read_assignment_file_text(assignment.folder / "handout.md"),
        HELPER_FILE: read_handed_out_file(HELPER_FILE),
        **{path.name: read_assignment_file_text(path) for path in list_public_test_helper_modules(assignment)},
    }
    config = CONFIG.format(name=assignment.name, files=", ".join(other_files))
    cells_of_master = [NotebookCell("raw", config), *_iterate_master_cells(cells, code, tests)]
    return {"value.ipynb": render_cells_as_ipynb(cells_of_master), **other_files}


def write_otter_master_files(assignment: Assignment, folder: Path) -> None:
    """Write the files of ``render_otter_master_files``; leave other files in the folder as they are.

    Raises:
        CallerFault: the folder cannot be written.
    """
    files = render_otter_master_files(assignment)
    with translate_file_errors(folder, action="write to"):
        make_output_folder(folder)
        for name, text in files.items():
            (folder / name).unlink(missing_ok=True)
            with open_new_output_file(folder / name) as file:
                file.write(text.encode())


def _iterate_master_cells(
    cells: Sequence[NotebookCell], code: str, tests: Mapping[str, Sequence[str]]
) -> Iterator[NotebookCell]:
    numbers = {name: number for number, name in enumerate(tests, start=1)}
    for cell in cells:
        if cell.is_answer_placeholder:
            yield NotebookCell("code", code)
        elif cell.kind == "code" and (check := CHECK.fullmatch(cell.text.strip())):
            yield NotebookCell("raw", f"# BEGIN QUESTION\nname: q{numbers[check[1]]}")
            yield NotebookCell("raw", "# BEGIN TESTS")
            yield from (NotebookCell("code", test) for test in tests[check[1]])
            yield NotebookCell("raw", "# END TESTS")
            yield NotebookCell("raw", "# END QUESTION")
        else:
            yield NotebookCell(cell.kind, IMPORT.sub("from notebook_check import ", cell.text))


def convert_markers_to_otter(marked_solution: str, source_name: str) -> str:
    """Return a solution with this kit's markers translated to Otter's, so that Otter makes the same stub from it.

    Raises:
        CourseFault: see ``make_stub_from_solution``.
    """
    make_stub_from_solution(marked_solution, source_name)
    lines: list[str] = []
    function = "this"
    for line in marked_solution.splitlines():
        mark, indent = line.strip(), line[: len(line) - len(line.lstrip())]
        if definition := DEFINITION.match(line):
            function = definition[1]
        if mark == BEGIN:
            prompt = ('"""  # BEGIN PROMPT', format_placeholder_statement(function), '"""  # END PROMPT')
            lines += [f"{indent}# BEGIN SOLUTION NO PROMPT"]
        elif mark == END:
            lines += [f"{indent}# END SOLUTION", *(indent + text for text in prompt)]
        elif mark in (BEGIN_ONLY, END_ONLY):
            lines += [indent + {BEGIN_ONLY: "# BEGIN SOLUTION NO PROMPT", END_ONLY: "# END SOLUTION"}[mark]]
        else:
            lines += [GIVEN_NOTE if mark == BEGIN_GIVEN else line]
    return remove_module_docstring("\n".join(lines))
