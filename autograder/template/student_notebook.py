"""Make the students' notebook from the notebook script and the stub."""

from __future__ import annotations

from dataclasses import replace

from autograder.template.notebook_builder import remove_module_docstring, render_cells_as_ipynb, split_into_cells


def render_student_notebook(notebook_script: str, stub_source: str, script_name: str) -> str:
    """Return the notebook as JSON text; it is always the same for the same script and stub.

    Args:
        notebook_script: see ``split_into_cells``.
        stub_source: the stub that students complete.
        script_name: the script's path, for errors.

    Raises:
        CourseFault: the script has no cell for the stub, or a code cell is not Python.
    """
    code = remove_module_docstring(stub_source)
    return render_cells_as_ipynb(
        replace(cell, text=code) if cell.is_answer_placeholder else cell
        for cell in split_into_cells(notebook_script, script_name)
    )
