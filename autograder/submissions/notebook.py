"""The code cells of a notebook.

A file of the size that is allowed can hold six million empty lists, and a Python object for each is more than a
machine has room for. So the outputs, which nobody needs here, are passed over and never made.
"""

from __future__ import annotations

import codecs
import json
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")
Text = str | list[str]
MOST_OBJECTS, MOST_ITEMS = 200_000, 2_000_000
"""In a notebook that only a parser can read which makes an object of everything."""


class NotANotebook(Exception):
    """The bytes are no notebook of a version in use."""


class TooMuchCode(Exception):
    """The code cells hold more than can be graded."""


class TooMuchOutput(Exception):
    """There is more in it than can be read into memory."""


class _Cell(msgspec.Struct, Generic[T]):
    cell_type: str
    source: T | msgspec.UnsetType = msgspec.UNSET
    input: T | msgspec.UnsetType = msgspec.UNSET
    """What ``source`` was called before version 4."""


class _Sheet(msgspec.Struct, Generic[T]):
    cells: list[_Cell[T]]


class _Notebook(msgspec.Struct, Generic[T]):
    nbformat: int
    cells: list[_Cell[T]] | msgspec.UnsetType = msgspec.UNSET
    worksheets: list[_Sheet[T]] | msgspec.UnsetType = msgspec.UNSET


def code_cells(content: bytes, limit: int) -> list[str]:
    """The source of each code cell, in order.

    Args:
        content: the file's.
        limit: bytes that the cells may have together.

    Raises:
        NotANotebook: see there.
        TooMuchCode: see there.
        TooMuchOutput: see there.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        raw = _sources(msgspec.json.decode(content, type=_Notebook[msgspec.Raw]))
        if sum(len(memoryview(source)) for source in raw) > 4 * limit:  # half of it may be quotes and backslashes
            raise TooMuchCode
        sources = [msgspec.json.decode(source, type=Text) for source in raw]
    except msgspec.ValidationError as error:
        raise NotANotebook(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError):
        sources = _sources(_read_leniently(content))
    except RecursionError as error:
        raise NotANotebook("nested too deeply") from error
    joined = ["".join(source) for source in sources]
    if sum(map(len, joined)) > limit:
        raise TooMuchCode
    return joined


def _sources(notebook: _Notebook[T]) -> list[T]:
    if notebook.nbformat == 4:
        cells = notebook.cells
    elif notebook.nbformat in (2, 3):
        sheets = notebook.worksheets
        cells = sheets if sheets is msgspec.UNSET else [cell for sheet in sheets for cell in sheet.cells]
    else:
        raise NotANotebook(f"version {notebook.nbformat}")
    if cells is msgspec.UNSET:
        raise NotANotebook("no cells")
    return [_source(cell, notebook.nbformat) for cell in cells if cell.cell_type == "code"]


def _source(cell: _Cell[T], version: int) -> T:
    source = cell.source if version == 4 else cell.input
    if isinstance(source, msgspec.UnsetType):
        raise NotANotebook("a code cell without code")
    return source


def _read_leniently(content: bytes) -> _Notebook[Text]:
    """What Jupyter writes and JSON has no word for, NaN in a plot's output or half a character."""
    if content.count(b"{") + content.count(b"[") > MOST_OBJECTS or content.count(b",") > MOST_ITEMS:
        raise TooMuchOutput
    try:
        return msgspec.convert(json.loads(content.decode()), type=_Notebook[Text])
    except (ValueError, RecursionError) as error:
        raise NotANotebook(str(error)) from error
