"""Make a master notebook for Otter Assign from the sources of the student's notebook.

Otter turns it into an autograder zip, and into a notebook without solutions for students. In that notebook,
``grader.check("q1")`` runs the first public suite. Otter only counts public checks; marks come from this kit alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.course import Assignment
from autograder.course.given_code import BEGIN_GIVEN
from autograder.faults import CourseFault, translate_file_errors
from autograder.output_file_permissions import make_output_folder, open_new_output_file
from autograder.template.notebook_builder import (
    NotebookCell,
    remove_module_docstring,
    render_cells_as_ipynb,
    split_into_cells,
)
from autograder.template.otter_test_cells import list_otter_test_sources
from autograder.template.solution_stub import (
    BEGIN,
    BEGIN_ONLY,
    DEFINITION,
    END,
    END_ONLY,
    GIVEN_NOTE,
    format_placeholder_statement,
    make_stub_from_solution,
)
from autograder.template.student_template_files import (
    list_public_test_helper_modules,
    read_assignment_file_text,
    read_handed_out_file,
)

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
