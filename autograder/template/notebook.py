"""The student's notebook, from a script in which ``# %%`` lines part the cells."""

from __future__ import annotations

import ast
import re

from autograder.faults import CourseFault

PLACE = "# <value.py>"
CELL = re.compile(r"^# %%(?P<markdown> \[markdown\])?\s*$", re.M)


def notebook_of(script: str, stub: str, where: str) -> str:
    """A notebook as JSON text, the same for the same script.

    Args:
        script: cells parted by ``# %%`` (code) and ``# %% [markdown]`` (lines behind ``# ``); a code cell that is
            just ``# <value.py>`` becomes the stub.
        stub: what students write in.
        where: the script's path, for errors.

    Raises:
        CourseFault: there is no cell, or no place for the stub.
    """
    import nbformat

    cells = []
    placed = False
    marks = [*CELL.finditer(script)]
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(script)
        text = script[mark.end() : end].strip("\n")
        if mark["markdown"]:
            source = "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.splitlines())
            cell = nbformat.v4.new_markdown_cell(source)
        else:
            if text.strip() == PLACE:
                text, placed = _without_docstring(stub).strip("\n"), True
            cell = nbformat.v4.new_code_cell(text)
        cell["id"] = f"cell-{number + 1:02}"
        cells.append(cell)
    if not placed:
        raise CourseFault(f"has no cell {PLACE!r}", where=where, advice="add the cell that students write in")
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def _without_docstring(source: str) -> str:
    """A module's text without its docstring: in a notebook the text around the cell says it."""
    tree = ast.parse(source)
    if ast.get_docstring(tree) is None:
        return source
    return "\n".join(source.splitlines()[tree.body[0].end_lineno or 0 :]) + "\n"
