"""Read the code cells of a notebook.

A file of the allowed size can hold six million empty lists, and a Python object for each would need too much memory.
So the outputs, which are not needed here, are skipped without making objects of them.
"""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")
M = TypeVar("M")
Text = str | list[str]
SOLUTION_TAG = "solution"
MOST_METADATA = 4096
"""Bytes of a cell's metadata that are looked at for its tags."""
MOST_OBJECTS, MOST_ITEMS = 200_000, 2_000_000
"""Limits for a notebook that needs the lenient parser, which makes an object of every value."""


class NotANotebook(Exception):
    """The bytes are not a notebook of a version in use."""


class TooMuchCode(Exception):
    """The code cells hold more than can be graded."""


class TooManyNotebookValues(Exception):
    """The notebook holds more than can be read into memory."""


@dataclass(frozen=True, slots=True)
class CodeCell:
    """One code cell."""

    source: str
    has_solution_tag: bool = False
    """Whether it has the tag ``solution``."""


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


class TooManyCells(Exception):
    """The notebook has more code cells than can be graded.

    Attributes:
        count: how many it has.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


def read_code_cells(notebook_content: bytes, max_code_bytes: int, max_cells: int) -> list[CodeCell]:
    """Return the code cells, in order.

    Args:
        notebook_content: the file's bytes.
        max_code_bytes: bytes that the cells may have together.
        max_cells: how many cells there may be; the code of more is not read.

    Raises:
        NotANotebook: the bytes are not a notebook of a version in use.
        TooManyCells: there are more code cells than can be graded.
        TooMuchCode: the code cells hold more than can be graded.
        TooManyNotebookValues: the notebook holds more than can be read into memory.
    """
    notebook_content = notebook_content.removeprefix(codecs.BOM_UTF8)
    try:
        notebook = msgspec.json.decode(notebook_content, type=_Notebook[msgspec.Raw, msgspec.Raw])
        code_cells, version = _list_code_cells(notebook), notebook.nbformat
        if len(code_cells) > max_cells:
            raise TooManyCells(len(code_cells))
        # half may be quotes and backslashes
        if sum(len(memoryview(source)) for source, _ in code_cells) > 4 * max_code_bytes:
            raise TooMuchCode
        sources_and_tags = [
            (msgspec.json.decode(source, type=Text), _has_solution_tag(metadata)) for source, metadata in code_cells
        ]
    except msgspec.ValidationError as error:
        raise NotANotebook(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError):
        lenient = _read_leniently(notebook_content)
        sources_and_tags, version = (
            [(source, _has_tag(meta)) for source, meta in _list_code_cells(lenient)],
            lenient.nbformat,
        )
    except RecursionError as error:
        raise NotANotebook("the notebook is nested too deeply") from error
    if len(sources_and_tags) > max_cells:
        raise TooManyCells(len(sources_and_tags))
    joined_cells = [CodeCell(_join_source(source, version), tagged) for source, tagged in sources_and_tags]
    if sum(len(cell.source) for cell in joined_cells) > max_code_bytes:
        raise TooMuchCode
    return joined_cells


def _list_code_cells(notebook: _Notebook[T, M]) -> list[tuple[T, M | msgspec.UnsetType]]:
    if notebook.nbformat == 4:
        cells = notebook.cells
    elif notebook.nbformat in (2, 3):
        sheets = notebook.worksheets
        cells = sheets if sheets is msgspec.UNSET else [cell for sheet in sheets for cell in sheet.cells]
    else:
        raise NotANotebook(f"the version {notebook.nbformat} is unknown")
    if cells is msgspec.UNSET:
        raise NotANotebook("the notebook has no cells")
    return [(_get_source(cell, notebook.nbformat), cell.metadata) for cell in cells if cell.cell_type == "code"]


def _get_source(cell: _NotebookCell[T, M], version: int) -> T:
    source = cell.source if version == 4 else cell.input
    if isinstance(source, msgspec.UnsetType):
        raise NotANotebook("a code cell has no code")
    return source


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
        raise TooManyNotebookValues
    try:
        return msgspec.convert(json.loads(content.decode()), type=_Notebook[Text, Any])
    except (ValueError, RecursionError) as error:
        raise NotANotebook(str(error)) from error
