"""Write single cells of a platform's CSV file; every other byte stays."""

from __future__ import annotations

import codecs
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.faults import CallerFault

SEPARATORS = (",", ";", "\t")
BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""What a file may begin with, and how it goes on."""
EXCEL = "cp1252"
"""How Excel for Windows encodes its "CSV" in western Europe and America."""
SEPARATOR_LINE = re.compile(r"[\"']?sep=([,;\t])[\"']?[,;\t]*\r?\n", re.IGNORECASE)
"""A first line that tells Excel what separates cells, and is no part of the table."""
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

    def __init__(self, content: bytes, name: str, *, by_hand: bool = False) -> None:
        """Read the table.

        Args:
            content: UTF-8, with or without a byte order mark, or UTF-16 with one; commas, semicolons or tabs.
            name: the file's name, for messages.
            by_hand: whether people write this table: then it may be in the encoding of Excel for Windows, too.

        Raises:
            CallerFault: the content is not such a table.
        """
        self.name = name
        self._mark = next((mark for mark in BYTE_ORDER_MARKS if content.startswith(mark)), b"")
        self._encoding, text = _decode(content.removeprefix(self._mark), self._mark, name, by_hand=by_hand)
        self._separator_line, self.separator, text = split_separator_line(text)
        self._raw: list[tuple[list[str], str]] = []
        """Each row's cells as they are written, and how it ends."""
        self._lines: list[int] = []
        for line, cells, end in _rows(text, self.separator):
            self._raw.append((cells, end))
            self._lines.append(line + bool(self._separator_line))
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
        return self._mark + (self._separator_line + "".join(lines)).encode(self._encoding)

    def encode_without_rows(self, row_indexes: Container[int]) -> bytes:
        """Return the file without some rows."""
        kept = (one for place, one in enumerate(self._raw) if place not in row_indexes)
        text = "".join(self.separator.join(cells) + end for cells, end in kept)
        return self._mark + (self._separator_line + text).encode(self._encoding)

    def __bytes__(self) -> bytes:
        """Return the file."""
        return self.encode_without_rows(())


def decode_table(content: bytes, name: str) -> str:
    """Return the text of a table that people write: UTF-8, UTF-16 with a mark, or what Excel for Windows writes.

    Raises:
        CallerFault: it is none of these.
    """
    mark = next((mark for mark in BYTE_ORDER_MARKS if content.startswith(mark)), b"")
    return _decode(content.removeprefix(mark), mark, name, by_hand=True)[1]


def _decode(content: bytes, mark: bytes, name: str, *, by_hand: bool) -> tuple[str, str]:
    """Return the encoding of a table, and its text."""
    encoding = BYTE_ORDER_MARKS.get(mark, "utf-8")
    for tried in (encoding, EXCEL) if by_hand and not mark else (encoding,):
        try:
            return tried, content.decode(tried)
        except UnicodeDecodeError:
            continue
    advice = "save it as CSV in UTF-8" if by_hand else "download it again, and do not save it elsewhere"
    raise CallerFault(f"this table is not {encoding[:6].upper()} text", name, advice)


def split_separator_line(text: str) -> tuple[str, str, str]:
    r"""Return the first line if it tells Excel what separates cells, the separator, and the table below that line.

    >>> split_separator_line("sep=;\na;b,c\n"), split_separator_line("a,b\n")
    (('sep=;\n', ';', 'a;b,c\n'), ('', ',', 'a,b\n'))
    """
    if told := SEPARATOR_LINE.match(text):
        return told[0], told[1], text[told.end() :]
    return "", max(SEPARATORS, key=text.partition("\n")[0].count), text


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
    cell_pattern = re.compile(CELL % (re.escape(separator), re.escape(separator)))
    place, line = 0, 1
    while place < len(text):
        cells, begin = [], line
        while True:
            match = cell_pattern.match(text, place)
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
