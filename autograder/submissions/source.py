"""From the bytes of one file to units of source text."""

from __future__ import annotations

import re
import warnings

from autograder.submissions.files import HandedIn
from autograder.submissions.magics import without_magics
from autograder.submissions.model import Unit, Unreadable

CODING_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


def units_of(file: HandedIn, limit: int) -> tuple[Unit, ...]:
    """The source that a file runs, in order.

    Args:
        file: a ``.py`` or ``.ipynb`` file.
        limit: bytes that a Python file may have; a notebook's code cells together may have as many.

    Raises:
        Unreadable: the file is not Python text or not a notebook.
    """
    if file.suffix == ".ipynb":
        return _notebook_units(file, limit)
    if len(file.content) > limit:
        raise Unreadable(
            "too-large",
            f"{file.name} has {len(file.content) / 2**20:.1f} MB of Python; at most {limit / 2**20:.0f} MB can be "
            "graded. Hand in your own code alone.",
        )
    return (Unit(file.name, decode(file)),)


def decode(file: HandedIn) -> str:
    """A Python file's text: UTF-8, with or without a byte order mark.

    Raises:
        Unreadable: it is binary or in another encoding.
    """
    content = file.content
    if not content.strip():
        raise Unreadable("empty", f"{file.name} is empty. Save your work and hand it in again.")
    if b"\0" in content:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Unreadable("not-utf-8", f"{file.name} is UTF-16 text. Save it as UTF-8 and hand it in again.")
        raise Unreadable("binary", f"{file.name} is not text. Hand in the Python file or notebook that you edit.")
    for line in content.splitlines()[:2]:
        cookie = CODING_COOKIE.match(line)
        if cookie and cookie[1].lower().replace(b"_", b"-") not in (
            b"utf-8",
            b"utf8",
            b"utf-8-sig",
            b"ascii",
        ):
            raise Unreadable(
                "not-utf-8",
                f"{file.name} says that it is {cookie[1].decode()} text. Save it as UTF-8, without that line.",
            )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line_number = content.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            "not-utf-8",
            f"{file.name} is not UTF-8 text (line {line_number}). Save it as UTF-8 and hand it in again.",
        ) from error


def _notebook_units(file: HandedIn, limit: int) -> tuple[Unit, ...]:
    import nbformat

    if not file.content.strip():
        raise Unreadable("empty", f"{file.name} is empty. Save your notebook and hand it in again.")
    broken = Unreadable(
        "not-a-notebook",
        f"{file.name} is not a Jupyter notebook. Open it in Jupyter, save it there and hand it in again.",
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notebook = nbformat.reads(file.content.decode("utf-8-sig"), as_version=4)
        sources = [
            text if isinstance(text := cell["source"], str) else "".join(text)
            for cell in notebook["cells"]
            if cell["cell_type"] == "code"
        ]
    except Exception as error:  # nbformat raises half a dozen unrelated types on broken notebooks
        raise broken from error
    if sum(map(len, sources)) > limit:
        raise Unreadable("too-large", f"{file.name} holds more than {limit / 2**20:.0f} MB of code.")
    units = (Unit(f"code cell {number}", without_magics(source)) for number, source in enumerate(sources, start=1))
    return tuple(unit for unit in units if unit.source.strip())
