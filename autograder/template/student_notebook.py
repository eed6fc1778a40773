"""Make the student's notebook."""

from __future__ import annotations

from dataclasses import replace

from autograder.template.notebook_script import remove_module_docstring, render_cells_as_ipynb, split_into_cells


def render_student_notebook(notebook_script: str, stub_source: str, script_name: str) -> str:
    """Return a notebook as JSON text, the same for the same script and stub.

    Args:
        notebook_script: see ``split_into_cells``.
        stub_source: what students write in.
        script_name: the script's path, for errors.

    Raises:
        CourseFault: there is no place for the stub.
    """
    code = remove_module_docstring(stub_source)
    return render_cells_as_ipynb(
        replace(cell, text=code) if cell.is_placeholder_for_answer else cell
        for cell in split_into_cells(notebook_script, script_name)
    )
