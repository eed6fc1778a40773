"""Put a repair into the file that a student handed in; every other line stays as it is."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Sequence
from typing import Any

from autograder.faults import CallerFault
from autograder.repair.model import Edit, split_lines
from autograder.submissions.submission_files import SubmittedFile
from autograder.submissions.submission_reading import find_declared_encoding

END = re.compile(rb"(?:\r\n|\r|\n)$")
CELL = re.compile(r"code cell (\d+)")
JSON_INDENT = re.compile(rb"\s*[\[{]\r?\n( +)")


def apply_edits(file: SubmittedFile, edits: Sequence[Edit]) -> bytes:
    """Return the content of a Python file or a notebook with edits of its lines.

    A Python file keeps its encoding and the ends of its lines; a notebook is written as Jupyter writes it.

    Raises:
        CallerFault: an edit is about something else than this file.
    """
    if file.is_notebook:
        return _apply_to_notebook(file, edits)
    if strangers := [edit.file for edit in edits if edit.file.startswith("code cell ") or edit.file != edits[0].file]:
        raise _make_stranger_fault(file, strangers[0])
    encoding = find_declared_encoding(file.content)
    mark = codecs.BOM_UTF8 if file.content.startswith(codecs.BOM_UTF8) else b""
    return mark + _replace_lines(file.content.removeprefix(mark), edits, encoding)


def _apply_to_notebook(file: SubmittedFile, edits: Sequence[Edit]) -> bytes:
    notebook: dict[str, Any] = json.loads(file.content.decode("utf-8-sig"))
    sheets = [notebook] if "cells" in notebook else notebook["worksheets"]
    code_cells = [cell for sheet in sheets for cell in sheet["cells"] if cell["cell_type"] == "code"]
    for name in dict.fromkeys(edit.file for edit in edits):
        number = int(found[1]) if (found := CELL.fullmatch(name)) else 0
        if not 0 < number <= len(code_cells):
            raise _make_stranger_fault(file, name)
        _change_cell(code_cells[number - 1], [edit for edit in edits if edit.file == name])
    indent = JSON_INDENT.match(file.content.removeprefix(codecs.BOM_UTF8))
    text = json.dumps(
        notebook,
        ensure_ascii=file.content.isascii(),
        indent=len(indent[1]) if indent else None,
        separators=None if indent else (",", ":"),
    )
    end = END.search(file.content)
    return text.encode("utf-8", "surrogatepass") + (end[0] if end else b"")


def _change_cell(cell: dict[str, Any], edits: Sequence[Edit]) -> None:
    """Change the text of a cell in place; it stays a list of lines where it was one."""
    key = "source" if "source" in cell else "input"
    source = "".join(cell[key])
    text = _replace_lines(source.encode("utf-8", "surrogatepass"), edits, "utf-8").decode("utf-8", "surrogatepass")
    cell[key] = [line for line in re.split(r"(?<=\n)", text) if line] if isinstance(cell[key], list) else text


def _replace_lines(content: bytes, edits: Sequence[Edit], encoding: str) -> bytes:
    """Return a text with edits of its lines, from the last to the first, so that lines above keep their numbers."""
    lines = content.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda one: one.line, reverse=True):
        replaced = lines[edit.line - 1 : edit.end_line]
        ends = [found[0] for line in (*replaced, *lines) if (found := END.search(line))]
        new_lines = [
            line.encode(encoding, "backslashreplace") + (ends or [b"\n"])[0] for line in split_lines(edit.after)
        ]
        if new_lines and replaced and not END.search(replaced[-1]):  # the last line of a file without one more end
            new_lines[-1] = END.sub(b"", new_lines[-1])
        lines[edit.line - 1 : edit.end_line] = new_lines
    return b"".join(lines)


def _make_stranger_fault(file: SubmittedFile, place: str) -> CallerFault:
    return CallerFault(
        f"the repair changes {place}, which is not part of this file", where=file.name, advice="use --json or --diff"
    )
