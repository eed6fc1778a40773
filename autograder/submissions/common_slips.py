"""Explain slips that are easy to make and easy to name, and find misspelt names.

Such slips are text that was pasted along, or marks that git left.

Students get this file too, beside their tests: it needs nothing but the standard library.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

MERGE = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?: |$)")
BOTH_SIDES = re.compile(r"^(?:<{7} |>{7} )", re.M)
PROMPT = re.compile(r"^\s*(>>>|\.\.\.)(?: |$)")
NUMBERED = re.compile(r"^\s*((?:In|Out) ?\[\d*\]:)")
FENCE = re.compile(r"^\s*(?:```|~~~)")
QUOTES = "“”‘’„‚«»′″`´"
NEWER_SYNTAX = {
    "a `type` statement": re.compile(r"^\s*type\s+\w+(?:\[[^\]]*\])?\s*=(?!=)"),
    "a function with type parameters": re.compile(r"^\s*(?:async\s+)?def\s+\w+\["),
    "a class with type parameters": re.compile(r"^\s*class\s+\w+\["),
    "an f-string with its own quotation marks inside the braces": re.compile(
        r"""\b(?:[fF][rR]?|[rR][fF])(?:"[^"{}]*\{[^{}"']*"[^{}"']*"[^{}"']*\}|'[^'{}]*\{[^{}"']*'[^{}"']*'[^{}"']*\})"""
    ),
}
"""What Python 3.12 brought, with the line that it stands in."""
CHARACTER = re.compile(r"^invalid (?:non-printable )?character (?:'(.)' )?\(?U\+([0-9A-F]{4,6})\)?")
MOST_LINES = 5
LIKE = 0.6


def explain_common_syntax_error(source: str, line_number: int, python_message: str) -> tuple[str, str] | None:
    """Say what stands in a file that Python cannot read, where it is a well-known slip.

    Args:
        source: the text of the file or cell.
        line_number: the line that Python complains of, from 1.
        python_message: what Python says of it.

    Returns:
        What is wrong, and what to do, each to go into a sentence; None where nothing better than Python's own message
        is known.

    >>> explain_common_syntax_error("In [1]: a = 2", 1, "invalid syntax")[0]
    '`In [1]:` is the prompt of a shell or a notebook, pasted along with the code'
    """
    lines = source.splitlines()
    line = lines[line_number - 1] if 0 < line_number <= len(lines) else ""
    marks = [place for place, text in enumerate(lines, start=1) if MERGE.match(text)]
    if marks and BOTH_SIDES.search(source):
        return (
            "git could not join two versions here, and left both with its marks between them",
            f"Keep what you want of the two versions, and delete the marks `<<<<<<<`, `=======` and `>>>>>>>` "
            f"({_format_lines(marks)}).",
        )
    if prompt := PROMPT.match(line) or NUMBERED.match(line):
        return (
            f"`{prompt[1]}` is the prompt of a shell or a notebook, pasted along with the code",
            "Take the prompts out at the start of the lines, and the results that stand between them.",
        )
    if FENCE.match(line):
        return (
            "this line marks code in a chat or a Markdown text, and was pasted along with the code",
            "Delete this line and the one that closes it, and all text around the code.",
        )
    return (
        _explain_wrong_character(python_message, line)
        or _explain_mixed_indentation(source, python_message)
        or _explain_newer_syntax(line)
    )


def _explain_wrong_character(message: str, line: str) -> tuple[str, str] | None:
    """Find a character that a text processor put in the place of a plain one."""
    match = CHARACTER.match(message)
    character = chr(int(match[2], 16)) if match else ""
    if not character and message.startswith("unterminated string"):
        character = next((char for char in line if char in QUOTES), "")
    if not character:
        return None
    if character in QUOTES:
        return (
            f"`{character}` is a typographic quotation mark, not one of Python's",
            "Type the quotation marks anew, plain ones: \" or '.",
        )
    name = unicodedata.name(character, "an invisible character").lower()
    description = f"`{character}` ({name})" if character.isprintable() else f"an invisible character ({name})"
    return f"{description} is not part of Python", "Delete it, and type what should stand there anew."


def _explain_mixed_indentation(source: str, message: str) -> tuple[str, str] | None:
    """Find lines of which some begin with tabs and some with spaces."""
    if "indent" not in message:
        return None
    margins = {line[: len(line) - len(line.lstrip())] for line in source.splitlines() if line.strip()}
    if any("\t" in margin for margin in margins) and any(" " in margin for margin in margins):
        return (
            "some lines are indented with tabs and some with spaces",
            "Use four spaces everywhere: most editors have a command that converts tabs to spaces.",
        )
    return None


def _explain_newer_syntax(line: str) -> tuple[str, str] | None:
    """Find what is right in Python 3.12, where the running Python is older."""
    if sys.version_info >= (3, 12):
        return None
    for name, pattern in NEWER_SYNTAX.items():
        if pattern.search(line):
            version = ".".join(map(str, sys.version_info[:2]))
            return f"{name} needs Python 3.12, and this is run with Python {version}", "Write it the older way."
    return None


def _format_lines(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    labels = [str(number) for number in numbers[:MOST_LINES]]
    return f"lines {', '.join(labels[:-1])} and {labels[-1]}" + (" and more" if len(numbers) > MOST_LINES else "")


def find_misspelling(wanted: str, found_names: Iterable[str]) -> str:
    """Return the name that was probably meant to be ``wanted``; empty where none looks like it.

    >>> find_misspelling("zero_grad", ["zerograd", "backward"])
    'zerograd'
    >>> find_misspelling("tanh", ["relu", "backward"])
    ''
    """
    names = sorted({*found_names} - {wanted})
    key_by_name = {name: name.replace("_", "").lower() for name in names}
    equal_names = [name for name in names if key_by_name[name] == wanted.replace("_", "").lower()]
    return next(iter(equal_names or get_close_matches(wanted, names, 1, LIKE)), "")
