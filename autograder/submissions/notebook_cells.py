"""Read the code cells of a notebook, and those of its text cells that hold what is asked for.

A file of the allowed size can hold six million empty lists, and a Python object for each would need too much memory.
So the outputs, which are not needed here, are skipped without making objects of them.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")
M = TypeVar("M")
Text = str | list[str]
CODE = "code"
SOLUTION_TAG = "solution"
MOST_METADATA = 4096
"""Bytes of a cell's metadata that are looked at for its tags."""
MOST_OBJECTS, MOST_ITEMS = 200_000, 2_000_000
"""Limits for a notebook that needs the lenient parser, which makes an object of every value."""


class RefusedNotebook(Exception):
    """The bytes are not a notebook that can be graded.

    Attributes:
        reason: see ``UngradableSubmission``.
        sentence: what is wrong and what to do, to follow the file's name.
    """

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(reason, sentence)
        self.reason = reason
        self.sentence = sentence


def _make_not_a_notebook() -> RefusedNotebook:
    return RefusedNotebook(
        "not-a-notebook", "is not a Jupyter notebook. Open it in Jupyter, save it there and hand it in again."
    )


def _make_too_much_code(max_code_bytes: int) -> RefusedNotebook:
    return RefusedNotebook(
        "too-large", f"holds more than {max_code_bytes // 1024} kB of code. Hand in your own code alone."
    )


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One cell."""

    source: str
    number: int
    """The place of the cell, from 1, counting cells of every kind."""
    kind: str
    """``code``, ``markdown``, ``raw`` or, in an old notebook, ``heading``."""
    has_solution_tag: bool = False
    """Whether it is a code cell with the tag ``solution``."""

    @property
    def is_code(self) -> bool:
        """Return whether it is run."""
        return self.kind == CODE


class _Tags(msgspec.Struct):
    tags: list[Any] = []


class _NotebookCell(msgspec.Struct, Generic[T, M]):
    cell_type: str
    source: T | msgspec.UnsetType = msgspec.UNSET
    input: T | msgspec.UnsetType = msgspec.UNSET
    """The field that became ``source`` in version 4."""
    metadata: M | msgspec.UnsetType = msgspec.UNSET


class _Sheet(msgspec.Struct, Generic[T, M]):
    cells: list[_NotebookCell[T, M]]


class _Notebook(msgspec.Struct, Generic[T, M]):
    nbformat: int
    cells: list[_NotebookCell[T, M]] | msgspec.UnsetType = msgspec.UNSET
    worksheets: list[_Sheet[T, M]] | msgspec.UnsetType = msgspec.UNSET


def read_notebook_cells(
    notebook_content: bytes, max_code_bytes: int, max_cells: int, wanted_names: Sequence[str] = ()
) -> list[NotebookCell]:
    """Return the code cells, and the text cells in which a line defines one of the names, in order.

    Args:
        notebook_content: the file's bytes.
        max_code_bytes: bytes that the code cells may have together, and the text cells, too.
        max_cells: how many code cells there may be; the code of more is not read.
        wanted_names: names of classes and functions.

    Raises:
        RefusedNotebook: the bytes are not a notebook of a version in use, or hold more than can be graded.
    """
    notebook_content = notebook_content.removeprefix(codecs.BOM_UTF8)
    definition = re.compile(rf"^(?:class|def) (?:{'|'.join(map(re.escape, wanted_names))})\b", re.M)
    words = [f"{word} {name}".encode() for word in ("class", "def") for name in wanted_names]
    try:
        notebook = msgspec.json.decode(notebook_content, type=_Notebook[msgspec.Raw, msgspec.Raw])
        version, raw_cells = notebook.nbformat, [*_iterate_cells(notebook)]
        _require_few_code_cells([cell.cell_type for _, cell, _ in raw_cells], max_cells)
        # half may be quotes and backslashes
        if (
            sum(len(memoryview(source)) for _, cell, source in raw_cells if cell.cell_type == CODE)
            > 4 * max_code_bytes
        ):
            raise _make_too_much_code(max_code_bytes)
        parts = [
            (number, cell.cell_type, msgspec.json.decode(source, type=Text), _has_solution_tag(cell.metadata))
            for number, cell, source in raw_cells
            if cell.cell_type == CODE or any(word in bytes(source) for word in words)
        ]
    except msgspec.ValidationError as error:
        raise _make_not_a_notebook() from error
    except (msgspec.DecodeError, UnicodeDecodeError):
        lenient = _read_leniently(notebook_content)
        version = lenient.nbformat
        parts = [
            (number, cell.cell_type, source, _has_tag(cell.metadata))
            for number, cell, source in _iterate_cells(lenient)
        ]
    except RecursionError as error:
        raise _make_not_a_notebook() from error
    _require_few_code_cells([kind for _, kind, _, _ in parts], max_cells)
    cells = [
        NotebookCell(_join_source(source, version), number, kind, kind == CODE and is_solution)
        for number, kind, source, is_solution in parts
    ]
    if sum(len(cell.source) for cell in cells if cell.is_code) > max_code_bytes:
        raise _make_too_much_code(max_code_bytes)
    return [cell for cell in cells if cell.is_code or (wanted_names and definition.search(cell.source))]


def _require_few_code_cells(kinds: Sequence[str], max_cells: int) -> None:
    if (count := kinds.count(CODE)) > max_cells:
        raise RefusedNotebook(
            "too-large", f"has {count} code cells; at most {max_cells} can be graded. Hand in your own code alone."
        )


def _iterate_cells(notebook: _Notebook[T, M]) -> Iterator[tuple[int, _NotebookCell[T, M], T]]:
    """Yield the cells that have a source: the number of each from 1, the cell and its source."""
    if notebook.nbformat == 4:
        cells = notebook.cells
    elif notebook.nbformat in (2, 3):
        sheets = notebook.worksheets
        cells = sheets if sheets is msgspec.UNSET else [cell for sheet in sheets for cell in sheet.cells]
    else:
        raise _make_not_a_notebook()
    if isinstance(cells, msgspec.UnsetType):
        raise _make_not_a_notebook()
    for number, cell in enumerate(cells, start=1):
        is_input = notebook.nbformat != 4 and cell.cell_type == CODE
        source = cell.input if is_input else cell.source
        if not isinstance(source, msgspec.UnsetType):
            yield number, cell, source
        elif cell.cell_type == CODE:
            raise _make_not_a_notebook()


def _join_source(source: Text, version: int) -> str:
    """Return a cell's text; version 2 stores its lines without their ends."""
    if version == 2 and isinstance(source, list):
        return "\n".join(line.removesuffix("\n") for line in source)
    return "".join(source)


def _has_solution_tag(metadata: msgspec.Raw | msgspec.UnsetType) -> bool:
    """Return whether a cell's metadata, as it stands in the file, has the tag; what cannot be read has none."""
    if isinstance(metadata, msgspec.UnsetType) or len(memoryview(metadata)) > MOST_METADATA:
        return False
    try:
        return _has_tag(msgspec.to_builtins(msgspec.json.decode(metadata, type=_Tags)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _has_tag(metadata: object) -> bool:
    """Return whether ``solution`` is among the tags, ignoring case and surrounding spaces."""
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    words = (tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    return any(tag.strip().casefold() == SOLUTION_TAG for tag in words)


def _read_leniently(content: bytes) -> _Notebook[Text, Any]:
    """Read notebooks with values that Jupyter writes but JSON forbids: NaN in an output, or a lone surrogate."""
    if content.count(b"{") + content.count(b"[") > MOST_OBJECTS or content.count(b",") > MOST_ITEMS:
        raise RefusedNotebook(
            "too-large",
            "has more in its outputs than can be read. Clear them in Jupyter, save it and hand it in again.",
        )
    try:
        return msgspec.convert(json.loads(content.decode()), type=_Notebook[Text, Any])
    except (ValueError, RecursionError) as error:
        raise _make_not_a_notebook() from error
