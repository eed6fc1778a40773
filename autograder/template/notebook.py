"""Make the student's notebook."""

from __future__ import annotations

from dataclasses import replace

from autograder.template.cells import cells_of, notebook_text, without_docstring


def notebook_of(script: str, stub: str, where: str) -> str:
    """Return a notebook as JSON text, the same for the same script and stub.

    Args:
        script: see ``cells_of``.
        stub: what students write in.
        where: the script's path, for errors.

    Raises:
        CourseFault: there is no place for the stub.
    """
    code = without_docstring(stub)
    return notebook_text(replace(cell, text=code) if cell.is_place else cell for cell in cells_of(script, where))
