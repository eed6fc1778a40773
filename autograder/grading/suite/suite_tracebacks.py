"""Find where in a hidden suite's files an exception was raised."""

from __future__ import annotations

import dis
import os
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType

from autograder.safe_text import escape_for_display


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
    def location(self) -> str:
        """Return the file and the line: ``.../hidden/queue_checks.py:20``."""
        return f"{self.file}:{self.line}"

    @property
    def short_location(self) -> str:
        """Return the file's name and the line: ``queue_checks.py:20``."""
        return f"{self.file.name}:{self.line}"


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
