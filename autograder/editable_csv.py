"""Write single cells of a platform's CSV file; every other byte stays."""

from __future__ import annotations

import codecs
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.faults import CallerFault
from autograder.former_names import FormerAttribute

SEPARATORS = (",", ";", "\t")
BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""What a file may begin with, and how it goes on."""
CELL = r'"(?:[^"]|"")*+"?[^%s\r\n]*+|[^%s\r\n]*+'
WITHIN_QUOTES = re.compile(r'"((?:[^"]|"")*+)"?(.*)', re.S)
NEEDS_QUOTES = re.compile(r'[",;\t\r\n]|^\s|\s$')


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One line of the table, which may be several of the file."""

    line: int
    """Where it begins in the file, from 1."""
    cells: tuple[str, ...]
    """Without quotation marks."""


class EditableCsv:
    """A table: read once, and written with what ``set_cell`` changed."""

    cut = FormerAttribute("encode_selected_cells")
    put = FormerAttribute("set_cell")
    raw = FormerAttribute("get_raw_cells")
    without = FormerAttribute("encode_without_rows")

    def __init__(self, content: bytes, name: str) -> None:
        """Read the table.

        Args:
            content: UTF-8, with or without a byte order mark, or UTF-16 with one; commas, semicolons or tabs.
            name: the file's name, for messages.

        Raises:
            CallerFault: the content is not such a table.
        """
        self.name = name
        self._mark = next((mark for mark in BYTE_ORDER_MARKS if content.startswith(mark)), b"")
        self._encoding = BYTE_ORDER_MARKS.get(self._mark, "utf-8")
        try:
            text = content.removeprefix(self._mark).decode(self._encoding)
        except UnicodeDecodeError as error:
            kind = self._encoding[:6].upper()
            raise CallerFault(
                f"this table is not {kind} text", name, "download it again, and do not save it elsewhere"
            ) from error
        first = text.partition("\n")[0]
        self.separator = max(SEPARATORS, key=first.count)
        self._raw: list[tuple[list[str], str]] = []
        """Each row's cells as they are written, and how it ends."""
        self._lines: list[int] = []
        for line, cells, end in _rows(text, self.separator):
            self._raw.append((cells, end))
            self._lines.append(line)
        if not self._raw:
            raise CallerFault("this table is empty", name, "download it again")

    @property
    def rows(self) -> list[SheetRow]:
        """Return all rows; the first is the header."""
        return [
            SheetRow(line, tuple(map(_unquote_cell, cells)))
            for line, (cells, _) in zip(self._lines, self._raw, strict=True)
        ]

    def get_raw_cells(self, row_index: int) -> list[str]:
        """Return a row's cells as they stand in the file, with their quotation marks."""
        return [*self._raw[row_index][0]]

    def set_cell(self, row_index: int, column_index: int, value: str, *, always_quote: bool = False) -> None:
        """Write one cell, with quotation marks where it needs them or ``always_quote`` says so.

        A row that is too short gets empty cells before it.
        """
        cells, end = self._raw[row_index]
        cells.extend([""] * (column_index + 1 - len(cells)))
        cells[column_index] = '"' + value.replace('"', '""') + '"' if always_quote else quote_cell_if_needed(value)
        self._raw[row_index] = (cells, end)

    def encode_selected_cells(self, row_indexes: Iterable[int], column_indexes: Sequence[int]) -> bytes:
        """Return only these rows and columns, each cell as it stands; a row that is too short gets empty cells."""
        _, first_end = self._raw[0]
        lines = []
        for row in row_indexes:
            cells, end = self._raw[row]
            kept = (cells[column] if column < len(cells) else "" for column in column_indexes)
            lines.append(self.separator.join(kept) + (end or first_end or "\n"))
        return self._mark + "".join(lines).encode(self._encoding)

    def encode_without_rows(self, row_indexes: Container[int]) -> bytes:
        """Return the file without some rows."""
        kept = (one for place, one in enumerate(self._raw) if place not in row_indexes)
        text = "".join(self.separator.join(cells) + end for cells, end in kept)
        return self._mark + text.encode(self._encoding)

    def __bytes__(self) -> bytes:
        """Return the file."""
        return self.encode_without_rows(())


def quote_cell_if_needed(value: str) -> str:
    """Return a cell's text as it is written: with quotation marks where they are needed.

    >>> quote_cell_if_needed('5" disk'), quote_cell_if_needed("Ada")
    ('"5"" disk"', 'Ada')
    """
    return '"' + value.replace('"', '""') + '"' if NEEDS_QUOTES.search(value) else value


def _unquote_cell(cell: str) -> str:
    """Return a cell's text without its quotation marks."""
    if not cell.startswith('"'):
        return cell
    inside = WITHIN_QUOTES.match(cell)
    assert inside is not None  # it begins with one
    return inside[1].replace('""', '"') + inside[2]


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str], str]]:
    cell = re.compile(CELL % (re.escape(separator), re.escape(separator)))
    place, line = 0, 1
    while place < len(text):
        cells, begin = [], line
        while True:
            match = cell.match(text, place)
            assert match is not None  # it may be empty
            cells.append(match[0])
            line += match[0].count("\n")
            place = match.end()
            if not text.startswith(separator, place):
                break
            place += 1
        end = "\r\n" if text.startswith("\r\n", place) else text[place : place + 1]
        place += len(end)
        line += 1
        yield begin, cells, end
