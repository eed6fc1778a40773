"""Decode a submitted ``.py`` or ``.ipynb`` file into source units: the whole Python file, or each code cell."""

from __future__ import annotations

import codecs
import io
import tokenize

from autograder.cached_syntax_trees import may_parse_together
from autograder.safe_text import escape_for_sentence
from autograder.submissions.ipython_magics import convert_cell_to_plain_python
from autograder.submissions.notebook_cells import (
    CodeCell,
    NotANotebook,
    TooManyCells,
    TooManyNotebookValues,
    TooMuchCode,
    read_code_cells,
)
from autograder.submissions.submission_model import SourceUnit, UngradableSubmission
from autograder.submissions.submitted_files import SubmittedFile

MOST_CELLS = 2000


def read_source_units(file: SubmittedFile, max_bytes: int) -> tuple[SourceUnit, ...]:
    """Return the units of source that a file runs, in order.

    Args:
        file: a ``.py`` or ``.ipynb`` file; a notebook that is called ``.py`` is read as a notebook.
        max_bytes: bytes that a Python file may have; a notebook's code cells together may have as many.

    Raises:
        UngradableSubmission: the file is not Python text or not a notebook, or is empty or too large.
    """
    if file.is_notebook:
        return _notebook_units(file, max_bytes)
    name = escape_for_sentence(file.name, 100)
    if len(file.content) > max_bytes:
        raise UngradableSubmission(
            "too-large",
            f"{name} has {len(file.content) / 1024:.0f} kB of Python; at most {max_bytes // 1024} kB can be graded. "
            "Hand in your own code alone.",
        )
    return (SourceUnit(escape_for_sentence(file.name, 200), _decode_python_file(file)),)


def read_texts_with_magics(file: SubmittedFile, max_bytes: int) -> list[str]:
    """Return the texts that ``read_source_units`` makes units of, with IPython's magics still in them.

    Many files are compared by them, and converting each would take a minute.

    Raises:
        UngradableSubmission: as for ``read_source_units``.
    """
    if file.is_notebook:
        return [cell.source for cell in _read_cells(file, max_bytes)]
    return [unit.source for unit in read_source_units(file, max_bytes)]


def _decode_python_file(file: SubmittedFile) -> str:
    """Return a Python file's text: UTF-8, with or without a byte order mark.

    Raises:
        UngradableSubmission: the file is binary, in another encoding, or empty.
    """
    content, name = file.content, escape_for_sentence(file.name, 100)
    if b"\0" in content:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise UngradableSubmission("not-utf-8", f"{name} is UTF-16 text. Save it as UTF-8 and hand it in again.")
        raise UngradableSubmission(
            "binary", f"{name} is not text. Hand in the Python file or notebook that you edit."
        )
    _require_utf8(file)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line_number = content.count(b"\n", 0, error.start) + 1
        raise UngradableSubmission(
            "not-utf-8",
            f"{name} is not UTF-8 text (line {line_number}). Save it as UTF-8 and hand it in again.",
        ) from error
    if not text.strip():
        raise UngradableSubmission("empty", f"{name} is empty. Save your work and hand it in again.")
    return text


def _require_utf8(file: SubmittedFile) -> None:
    """Refuse a file that declares another encoding, so that the text that people read is the text that runs."""
    try:
        declared = codecs.lookup(tokenize.detect_encoding(io.BytesIO(file.content).readline)[0]).name
    except (SyntaxError, LookupError):
        if not _is_utf8(file.content):
            return  # the caller says where it is not
        declared = "an unknown"
    if declared not in ("utf-8", "utf-8-sig", "ascii"):
        raise UngradableSubmission(
            "not-utf-8",
            f"{escape_for_sentence(file.name, 100)} declares {declared} encoding. Save it as UTF-8 without that line "
            "and hand it in again.",
        )


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return True


def _notebook_units(file: SubmittedFile, limit: int) -> tuple[SourceUnit, ...]:
    cells = _read_cells(file, limit)
    may_parse = may_parse_together([cell.source for cell in cells])
    units = (
        SourceUnit(
            f"code cell {number}",
            convert_cell_to_plain_python(_escape_surrogates(cell.source), may_parse=may_parse),
            cell.has_solution_tag,
        )
        for number, cell in enumerate(cells, start=1)
    )
    return tuple(unit for unit in units if unit.source.strip())


def _read_cells(file: SubmittedFile, limit: int) -> list[CodeCell]:
    name = escape_for_sentence(file.name, 100)
    if not file.content.removeprefix(codecs.BOM_UTF8).strip():
        raise UngradableSubmission("empty", f"{name} is empty. Save your notebook and hand it in again.")
    try:
        return read_code_cells(file.content, limit, MOST_CELLS)
    except NotANotebook as error:
        raise UngradableSubmission(
            "not-a-notebook",
            f"{name} is not a Jupyter notebook. Open it in Jupyter, save it there and hand it in again.",
        ) from error
    except TooManyNotebookValues as error:
        raise UngradableSubmission(
            "too-large",
            f"{name} has more in its outputs than can be read. Clear them in Jupyter, save it and hand it in again.",
        ) from error
    except TooMuchCode as error:
        raise UngradableSubmission(
            "too-large",
            f"{name} holds more than {limit // 1024} kB of code. Hand in your own code alone.",
        ) from error
    except TooManyCells as error:
        raise UngradableSubmission(
            "too-large",
            f"{name} has {error.count} code cells; at most {MOST_CELLS} can be graded. Hand in your own code alone.",
        ) from error


def _escape_surrogates(text: str) -> str:
    """Escape halves of characters, which are legal in JSON but which no Python file can hold."""
    return text.encode("utf-8", "backslashreplace").decode()
