"""Make the student's notebook."""

from __future__ import annotations

from dataclasses import replace

from autograder.template.notebook_cells import format_notebook, remove_module_docstring, split_into_cells


def make_student_notebook(script: str, stub: str, where: str) -> str:
    """Return a notebook as JSON text, the same for the same script and stub.

    Args:
        script: see ``split_into_cells``.
        stub: what students write in.
        where: the script's path, for errors.

    Raises:
        CourseFault: there is no place for the stub.
    """
    code = remove_module_docstring(stub)
    return format_notebook(
        replace(cell, text=code) if cell.is_answer_cell else cell for cell in split_into_cells(script, where)
    )
