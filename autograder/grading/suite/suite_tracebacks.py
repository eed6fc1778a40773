"""Find where in a hidden suite's files an exception was raised."""

from __future__ import annotations

import ast
import dis
import os
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import FrameType, TracebackType

from autograder.safe_text import escape_for_display

Position = tuple[int, int, int, int]
"""First line, first column, last line, last column of a piece of source."""
UNKNOWN_POSITION: Position = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class SuiteFrame:
    """One step of a traceback, in a file of a hidden suite."""

    file: Path
    """The file, below the suite's folder as the course names it."""
    line: int
    frame: FrameType
    instruction: int
    """The offset of the instruction in the frame's code."""
    is_last: bool
    """Whether the traceback ends here."""

    @property
    def opcode_name(self) -> str:
        """Return the name of the instruction that raised the exception: ``LOAD_GLOBAL``."""
        return dis.opname[self.frame.f_code.co_code[self.instruction]]

    @property
    def position(self) -> Position:
        """Return the position of what the frame was doing."""
        return _fill_position(
            next(islice(self.frame.f_code.co_positions(), self.instruction // 2, None), (None,) * 4)
        )

    def parse_file(self) -> ast.Module:
        """Return the syntax tree of the frame's file; an empty one if the file has changed or is gone."""
        try:
            return ast.parse(Path(self.frame.f_code.co_filename).read_bytes())
        except (OSError, SyntaxError, ValueError):
            return ast.Module([], [])

    def reads_global(self, name: ast.Name) -> bool:
        """Return whether the frame's code reads a name from its module, and from no scope within it."""
        where = get_position_of_node(name)
        loads = {
            one.opname
            for one in dis.get_instructions(self.frame.f_code)
            if one.opname.startswith("LOAD_") and one.positions and _fill_position((*one.positions,)) == where
        }
        return loads == {"LOAD_GLOBAL"}

    @property
    def location(self) -> str:
        """Return the file and the line: ``.../hidden/queue_checks.py:20``."""
        return f"{self.file}:{self.line}"

    @property
    def short_location(self) -> str:
        """Return the file's name and the line: ``queue_checks.py:20``."""
        return f"{self.file.name}:{self.line}"


def get_position_of_node(node: ast.expr) -> Position:
    """Return the position of an expression."""
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _fill_position(found: tuple[int | None, ...]) -> Position:
    """Return what Python says of an instruction (both lines, then both columns) as a position."""
    first, last, start, end = (number or 0 for number in found)
    return first, start, last, end


def find_suite_file_or_none(file_name: str | None, suite_folder: Path) -> Path | None:
    """Return a file of a suite by the name that Python gives it; None if it lies elsewhere.

    Args:
        file_name: an absolute path, or anything else that a code object or a SyntaxError names.
        suite_folder: the folder of the hidden suite.
    """
    for folder in (os.path.abspath(suite_folder), os.path.realpath(suite_folder)):
        if file_name and file_name.startswith(f"{folder}{os.sep}"):
            return suite_folder / file_name[len(folder) + 1 :]
    return None


def iterate_suite_frames(trace: TracebackType | None, suite_folder: Path) -> Iterator[SuiteFrame]:
    """Yield the steps of a traceback that lie in a suite's files, the outermost first."""
    while trace is not None:
        file = find_suite_file_or_none(trace.tb_frame.f_code.co_filename, suite_folder)
        if file is not None:
            yield SuiteFrame(file, trace.tb_lineno, trace.tb_frame, trace.tb_lasti, trace.tb_next is None)
        trace = trace.tb_next


def format_suite_traceback(error: BaseException, suite_folder: Path) -> str:
    """Return a traceback with only the lines that lie in a suite's files; empty without any."""
    lines = [
        step
        for step in traceback.extract_tb(error.__traceback__)
        if find_suite_file_or_none(step.filename, suite_folder)
    ]
    if not lines:
        return ""
    return "".join(["Traceback:\n", *traceback.format_list(lines), *traceback.format_exception_only(error)])


def summarize_exception(error: BaseException) -> str:
    """Return an exception's class and the first line of its text: ``NameError: name 'x' is not defined``.

    The text may hold what a student's code returned, so it is escaped.
    """
    text = str(error).strip().partition("\n")[0]
    path = getattr(error, "path", None)
    if isinstance(error, ImportError) and path:
        text = text.removesuffix(f" ({path})")
    name = escape_for_display(type(error).__name__, 80)
    return f"{name}: {escape_for_display(text)}" if text else name
