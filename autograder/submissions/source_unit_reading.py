"""Decode a submitted ``.py`` or ``.ipynb`` file into source units: the whole Python file, or each code cell."""

from __future__ import annotations

import codecs
import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.cached_syntax_trees import may_parse_together
from autograder.safe_text import escape_for_sentence
from autograder.submissions.ipython_magics import (
    convert_cell_to_plain_python,
    convert_file_to_plain_python,
    get_written_module,
)
from autograder.submissions.notebook_cells import NotebookCell, RefusedNotebook, read_notebook_cells
from autograder.submissions.submission_model import SourceUnit, UngradableSubmission
from autograder.submissions.submitted_files import SubmittedFile

MOST_CELLS = 2000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """What a Python file or a notebook runs."""

    units: tuple[SourceUnit, ...]
    """The units of source, in order."""
    modules: dict[str, str] = field(default_factory=dict)
    """The modules that a notebook writes, by name."""
    text_cells: tuple[NotebookCell, ...] = ()
    """The notebook's other cells that define a wanted name, as far as text can."""


def read_source_file(file: SubmittedFile, max_bytes: int, wanted_names: Sequence[str] = ()) -> SourceFile:
    """Return what a file runs.

    Args:
        file: a Python file or a notebook, whatever its name.
        max_bytes: bytes that a Python file may have; a notebook's code cells together may have as many.
        wanted_names: classes and functions that are looked for in a notebook's text, too.

    Raises:
        UngradableSubmission: the file is not Python text or not a notebook, or is empty or too large.
    """
    if file.is_notebook:
        return _read_notebook(file, max_bytes, wanted_names)
    name = escape_for_sentence(file.name, 100)
    if len(file.content) > max_bytes:
        raise UngradableSubmission(
            "too-large",
            f"{name} has {len(file.content) / 1024:.0f} kB of Python; at most {max_bytes // 1024} kB can be graded. "
            "Hand in your own code alone.",
        )
    text = convert_file_to_plain_python(decode_python_file(file))
    return SourceFile((SourceUnit(escape_for_sentence(file.name, 200), text),))


def read_texts_with_magics(file: SubmittedFile, max_bytes: int) -> list[str]:
    """Return the texts that ``read_source_file`` makes units of, with a notebook's magics still in them.

    Many files are compared by them, and converting each would take a minute.

    Raises:
        UngradableSubmission: as for ``read_source_file``.
    """
    if file.is_notebook:
        return [cell.source for cell in _read_cells(file, max_bytes, ()) if cell.is_code]
    return [unit.source for unit in read_source_file(file, max_bytes).units]


def decode_python_file(file: SubmittedFile) -> str:
    """Return a Python file's text as Python decodes it: UTF-8, or the encoding that it declares (PEP 263).

    Raises:
        UngradableSubmission: the file is not text, is in another encoding, or is empty.
    """
    content, name = file.content, escape_for_sentence(file.name, 100)
    _refuse_foreign(file, "binary", "Python")
    if b"\0" in content:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise UngradableSubmission("not-utf-8", f"{name} is UTF-16 text. Save it as UTF-8 and hand it in again.")
        raise UngradableSubmission(
            "binary", f"{name} is not text. Hand in the Python file or notebook that you edit."
        )
    encoding = find_declared_encoding(content)
    try:
        codec = codecs.lookup(encoding)
        if not codec._is_text_encoding or codec.name.startswith(("utf-16", "utf-32")):  # nor does Python
            raise LookupError
        text = content.removeprefix(codecs.BOM_UTF8).decode(encoding)
    except LookupError:
        raise UngradableSubmission(
            "not-utf-8",
            f"{name} declares an encoding that Python does not know. Delete that line at its top, save the file as "
            "UTF-8 and hand it in again.",
        ) from None
    except UnicodeError as error:
        line_number = content.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise UngradableSubmission(
            "not-utf-8",
            f"{name} is not {'UTF-8' if encoding == 'utf-8' else encoding} text (line {line_number}). Save it as "
            "UTF-8 and hand it in again.",
        ) from error
    if not text.strip():
        raise UngradableSubmission("empty", f"{name} is empty. Save your work and hand it in again.")
    return _escape_surrogates(text)


def _refuse_foreign(file: SubmittedFile, reason: str, wanted_kind: str) -> None:
    """Refuse what is a page, a document or an archive by its first bytes."""
    if file.foreign_kind:
        raise UngradableSubmission(
            reason,
            f"{escape_for_sentence(file.name, 100)} is {file.foreign_kind}, not {wanted_kind}. Hand in the Python "
            "file or the notebook itself, not what shows or packs it.",
        )


def find_declared_encoding(content: bytes) -> str:
    """Return the encoding that a Python file declares, known or not; ``utf-8`` where it declares none."""
    if content.startswith(codecs.BOM_UTF8):
        return "utf-8"
    try:
        return tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    except SyntaxError as error:
        return "unknown" if "unknown encoding" in str(error) else "utf-8"


def _read_notebook(file: SubmittedFile, limit: int, wanted_names: Sequence[str]) -> SourceFile:
    cells = _read_cells(file, limit, wanted_names)
    code_cells = [cell for cell in cells if cell.is_code]
    may_parse = may_parse_together([cell.source for cell in code_cells])
    units: list[SourceUnit] = []
    modules: dict[str, str] = {}
    for number, cell in enumerate(code_cells, start=1):
        source = convert_cell_to_plain_python(_escape_surrogates(cell.source), may_parse=may_parse)
        module, is_added = get_written_module(cell.source)
        if module:
            modules[module] = f"{modules[module]}\n{source}" if is_added and module in modules else source
        units.append(SourceUnit(f"code cell {number}", source, cell.has_solution_tag))
    return SourceFile(
        tuple(unit for unit in units if unit.source.strip()),
        modules,
        tuple(cell for cell in cells if not cell.is_code),
    )


def _read_cells(file: SubmittedFile, limit: int, wanted_names: Sequence[str]) -> list[NotebookCell]:
    name = escape_for_sentence(file.name, 100)
    _refuse_foreign(file, "not-a-notebook", "a Jupyter notebook")
    if not file.content.removeprefix(codecs.BOM_UTF8).strip():
        raise UngradableSubmission("empty", f"{name} is empty. Save your notebook and hand it in again.")
    try:
        return read_notebook_cells(file.content, limit, MOST_CELLS, wanted_names)
    except RefusedNotebook as refusal:
        raise UngradableSubmission(refusal.reason, f"{name} {refusal.sentence}") from refusal


def _escape_surrogates(text: str) -> str:
    """Escape halves of characters, which are legal in JSON but which no Python file can hold."""
    return text.encode("utf-8", "backslashreplace").decode()
