"""Read the cells of a notebook, and their code as plain Python."""

from __future__ import annotations

import ast
import codecs
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Generic, TypeVar

import msgspec

from autograder.syntax_trees import SyntaxTree, parse_bounded_source

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


KEEPS_BODY = frozenset({"time", "timeit", "capture", "prun"})
"""Cell magics whose body is plain Python with its definitions in effect."""

MOST_PARSED = 16_384
"""Longest cell, in characters, that is parsed. A parser can need a gigabyte and a minute for a megabyte of hostile
text, so a longer cell is read line by line instead."""
MAGIC_LINE = re.compile(r"^\s*(?:[%!].*|\?{1,2}\S.*|[\w.*%]+\s*\?{1,2}\s*)$")
MAGIC_VALUE = re.compile(r"^([\w.,\s]+=)\s*[%!].*$")
LINE_WITH_CODE = re.compile(r"^(\s*)%(?:time|timeit)\s+(?:-\S+\s+(?:\d+\s+)?)*(.+)$", re.S)
SIGN = re.compile(r"[%!?]")
TOKEN = re.compile(r"\"{3}|'{3}|\\.|[\"'#()\[\]{}]")
OPEN, CLOSE = "([{", ")]}"
SHELL = "get_ipython()"
RUNS_CODE = {"run_cell_magic": "%%{} {}\n{}", "run_line_magic": "%{} {}"}
"""Methods of IPython's shell that run a magic, and how a cell has it."""


def convert_cell_to_plain_python(source: str, *, may_parse: bool = True) -> str:
    r"""Return the cell as plain Python.

    A cell whose first line is a cell magic that does not keep its body as Python, such as ``%%bash`` or an unknown
    one, becomes empty. Other text that cannot be converted comes back as it is.

    Args:
        source: the cell's text.
        may_parse: whether to parse a short cell to see whether it is Python already; otherwise it is read line by
            line, as a long one is.

    >>> convert_cell_to_plain_python("%timeit backward()\n!pip install numpy\na = 1")
    'backward()\n\na = 1'
    """
    start, lines = 0, source.split("\n")
    while _is_cell_magic(lines, number := _find_first_nonblank_line(lines, start)):
        words = lines[number].strip()[2:].split()
        if not (words and (words[0] in KEEPS_BODY or _get_written_file(words))):
            return ""
        lines[number], start = "", number + 1
    source = "\n".join(lines) if start else source
    tree = try_parse_cell(source) if may_parse else None
    return _remove_magics_from_lines(source) if tree is None else _replace_shell_calls(source, ast.walk(tree))


def convert_file_to_plain_python(source: str) -> str:
    r"""Return the text of a Python file as plain Python; it may be a notebook's, with its magics as lines or calls.

    >>> convert_file_to_plain_python("!pip install torch\nclass Value: ...\nValue?")
    '\nclass Value: ...\n'
    """
    if SHELL not in source and not any(map(_may_be_magic, source.splitlines())):
        return source
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    parsed = parse_bounded_source(source)
    if isinstance(parsed, SyntaxTree):
        return _replace_shell_calls(source, parsed.nodes)
    return _remove_magics_from_lines(source)


def get_written_module(source: str) -> tuple[str, bool]:
    r"""Return the module that a cell writes, and whether it adds to the file; no name for any other cell.

    >>> get_written_module("%%writefile -a src/engine.py\nclass Value: ...")
    ('engine', True)
    """
    lines = source.split("\n", 20)
    number = _find_first_nonblank_line(lines, 0)
    words = lines[number].strip()[2:].split() if _is_cell_magic(lines, number) else []
    name = PurePosixPath(_get_written_file(words)).stem
    return (name if name.isidentifier() else ""), bool({"-a", "--append"} & {*words})


def _get_written_file(words: list[str]) -> str:
    """Return the Python file that a cell magic writes its cell to; empty where it is another magic or file."""
    name = words[-1].strip("\"'") if words[1:] and words[0] in ("writefile", "file") else ""
    return name if name.endswith(".py") else ""


def _is_cell_magic(lines: list[str], number: int) -> bool:
    return number < len(lines) and lines[number].lstrip().startswith("%%")


def _may_be_magic(line: str) -> bool:
    return bool(SIGN.search(line)) and _remove_magic(line)[0] != line


def _replace_shell_calls(source: str, nodes: Iterable[ast.AST]) -> str:
    """Return a source in which the magics that run code, written as calls of IPython's shell, are this code."""
    if SHELL not in source:
        return source
    lines = [line.encode() for line in source.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    calls = [node for node in nodes if isinstance(node, ast.Expr) and _is_magic_as_call(node)]
    for node in sorted(calls, key=lambda node: node.col_offset, reverse=True):
        assert isinstance(node.value, ast.Call)
        assert isinstance(node.value.func, ast.Attribute)
        texts = [str(one.value) for one in node.value.args if isinstance(one, ast.Constant)]
        cell = RUNS_CODE[node.value.func.attr].format(*texts, "", "")
        code = convert_cell_to_plain_python(cell, may_parse=False).strip("\n")
        line = lines[node.lineno - 1]
        new_text = f"exec({code!r})" if "\n" in code else code.strip() or "pass"
        lines[node.lineno - 1] = line[: node.col_offset] + new_text.encode() + line[node.end_col_offset :]
    return b"\n".join(lines).decode()


def _is_magic_as_call(statement: ast.Expr) -> bool:
    match statement.value:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")), attr=attr)):
            return attr in RUNS_CODE and statement.lineno == statement.end_lineno
    return False


def _remove_magics_from_lines(source: str) -> str:
    plain_lines: list[str] = []
    state = _StatementTracker()
    swallowing = False
    for line in source.split("\n"):
        if not line and state.is_at_statement_start and not swallowing:
            plain_lines.append(line)
        elif swallowing or state.is_at_statement_start:
            plain_line, is_magic = ("", True) if swallowing else _remove_magic(line)
            swallowing = is_magic and line.endswith("\\")
            plain_lines.append(plain_line)
            if not is_magic:
                state.advance_by_line(line)
        else:
            plain_lines.append(line)
            state.advance_by_line(line)
    return "\n".join(plain_lines)


class _StatementTracker:
    """Tracks whether the next line begins a statement or continues one."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0
        self._is_continued = False

    @property
    def is_at_statement_start(self) -> bool:
        """Return whether a statement may begin here."""
        return not (self._quote or self._depth or self._is_continued)

    def advance_by_line(self, line: str) -> None:
        """Advance by one line."""
        self._is_continued = line.endswith("\\")
        for match in TOKEN.finditer(line):
            token = match[0]
            if self._quote:
                if token == self._quote:
                    self._quote = ""
            elif token == "#":
                self._is_continued = False
                break
            elif token[0] in "\"'":
                self._quote = token
            elif token in OPEN:
                self._depth += 1
            elif token in CLOSE:
                self._depth = max(0, self._depth - 1)
        if len(self._quote) == 1 and not self._is_continued:
            self._quote = ""  # an unfinished string ends with its line


def _find_first_nonblank_line(lines: list[str], start: int) -> int:
    """Return the index of the first line from ``start`` on that is not blank; the number of lines if all are."""
    return next((number for number in range(start, len(lines)) if lines[number].strip()), len(lines))


def _remove_magic(line: str) -> tuple[str, bool]:
    """Return a line without its magic, and whether the magic reaches to the end of the line."""
    if not SIGN.search(line):
        return line, False
    timing_magic = LINE_WITH_CODE.match(line)
    if timing_magic:
        return timing_magic[1] + timing_magic[2], False
    if MAGIC_LINE.match(line):
        indent = line[: len(line) - len(line.lstrip())]
        return (f"{indent}pass" if indent else ""), True
    assignment = MAGIC_VALUE.match(line)
    return (f"{assignment[1]} None", True) if assignment else (line, False)


def try_parse_cell(source: str) -> ast.Module | None:
    """Parse a cell; None if it is not Python, or too long to be parsed here. See ``parse_bounded_source``."""
    if len(source) > MOST_PARSED:
        return None
    parsed = parse_bounded_source(source)
    return parsed.tree if isinstance(parsed, SyntaxTree) else None
