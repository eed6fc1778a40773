"""Make a master notebook for Otter Assign from what the student's notebook is made of.

Otter turns it into an autograder zip and a notebook without solutions for students, in which ``grader.check("q1")``
runs the first public suite. Otter counts public checks there; this kit alone gives marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.course import Assignment
from autograder.faults import CallerFault, CourseFault
from autograder.staff_files import create, make_folder
from autograder.template.build import handed_out, read_text
from autograder.template.cells import Cell, cells_of, notebook_text, without_docstring
from autograder.template.otter_tests import cells_of_tests
from autograder.template.stub import BEGIN, BEGIN_ONLY, DEFINITION, END, END_ONLY, not_written, stub_of

HELPER = "notebook_check.py"
CHECK = re.compile(r'run_tests\("(\w+)"\)')
IMPORT = re.compile(r"^from notebook_check import run_tests, ", re.M)
CONFIG = """\
# ASSIGNMENT CONFIG
name: {name}
files: [handout.md, notebook_check.py]
tests: {{files: true, ok_format: false}}
strip_solutions_from_all_cells: true
export_cell: {{pdf: false}}"""


def build_master(assignment: Assignment) -> dict[str, str]:
    """Return what ``otter assign value.ipynb DIR`` needs: the files' text by name. The notebook holds the solution.

    Raises:
        CourseFault: a part of the assignment is missing or unusable.
    """
    script, solution = assignment.folder / "notebook.py", assignment.solution
    tests = {
        path.stem: cells_of_tests(read_text(path), str(path)) for path in sorted(assignment.public.glob("test_*.py"))
    }
    cells = cells_of(read_text(script), str(script))
    asked = {match[1] for cell in cells if (match := CHECK.fullmatch(cell.text.strip()))}
    if asked != tests.keys():
        which = ", ".join(sorted(asked ^ tests.keys()))
        raise CourseFault(
            f"checks other suites than there are: {which}",
            str(script),
            'a cell run_tests("...") for each public suite',
        )
    code = marked_for_otter(read_text(solution), str(solution))
    return {
        "value.ipynb": notebook_text(
            [Cell("raw", CONFIG.format(name=assignment.name)), *_master(cells, code, tests)]
        ),
        "handout.md": read_text(assignment.folder / "handout.md"),
        HELPER: handed_out(HELPER),
    }


def write_master(assignment: Assignment, folder: Path) -> None:
    """Write the files of ``build_master``; leave other files in the folder as they are.

    Raises:
        CallerFault: the folder cannot be written.
    """
    files = build_master(assignment)
    try:
        make_folder(folder)
        for name, text in files.items():
            (folder / name).unlink(missing_ok=True)
            with create(folder / name) as file:
                file.write(text.encode())
    except OSError as error:
        raise CallerFault(f"cannot be written: {error.strerror}", where=str(folder)) from error


def _master(cells: Sequence[Cell], code: str, tests: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    numbers = {name: number for number, name in enumerate(tests, start=1)}
    for cell in cells:
        if cell.is_place:
            yield Cell("code", code)
        elif cell.kind == "code" and (check := CHECK.fullmatch(cell.text.strip())):
            yield Cell("raw", f"# BEGIN QUESTION\nname: q{numbers[check[1]]}")
            yield Cell("raw", "# BEGIN TESTS")
            yield from (Cell("code", test) for test in tests[check[1]])
            yield Cell("raw", "# END TESTS")
            yield Cell("raw", "# END QUESTION")
        else:
            yield Cell(cell.kind, IMPORT.sub("from notebook_check import ", cell.text))


def marked_for_otter(source: str, where: str) -> str:
    """Return a solution with marks that tell Otter what they tell this kit: what Otter leaves is the students' stub.

    Args:
        source: see ``stub_of``.
        where: the solution's path, for errors.

    Raises:
        CourseFault: see ``stub_of``.
    """
    stub_of(source, where)
    lines: list[str] = []
    function = "this"
    for line in source.splitlines():
        mark, indent = line.strip(), line[: len(line) - len(line.lstrip())]
        if definition := DEFINITION.match(line):
            function = definition[1]
        if mark == BEGIN:
            prompt = ('"""  # BEGIN PROMPT', not_written(function), '"""  # END PROMPT')
            lines += [f"{indent}# BEGIN SOLUTION NO PROMPT"]
        elif mark == END:
            lines += [f"{indent}# END SOLUTION", *(indent + text for text in prompt)]
        elif mark in (BEGIN_ONLY, END_ONLY):
            lines += [indent + {BEGIN_ONLY: "# BEGIN SOLUTION NO PROMPT", END_ONLY: "# END SOLUTION"}[mark]]
        else:
            lines += [line]
    return without_docstring("\n".join(lines))
