"""Make a notebook from a script in which ``# %%`` lines separate the cells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from autograder.faults import CourseFault

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
