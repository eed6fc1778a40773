"""What IPython adds to Python, taken out of a notebook's cell.

A cell that is Python already is left as it is: a line that starts with ``%`` can then only be arithmetic or
text inside a string. Lines keep their numbers.
"""

from __future__ import annotations

import ast
import re
import warnings

KEEPS_BODY = frozenset({"time", "timeit", "capture", "prun"})
"""Cell magics whose body is still Python that defines what it defines."""

MAGIC_LINE = re.compile(r"^\s*(?:[%!].*|\?{1,2}\S.*|[\w.*%]+\s*\?{1,2}\s*)$")
MAGIC_VALUE = re.compile(r"^(\s*[\w.,\s]+=)\s*[%!].*$")
LINE_WITH_CODE = re.compile(r"^(\s*)%(?:time|timeit)\s+(?:-\S+\s+\d*\s*)*(.+)$")


def without_magics(source: str) -> str:
    """The cell as plain Python; text that cannot be helped comes back as it is."""
    first, newline, rest = source.lstrip().partition("\n")
    if first.startswith("%%"):
        words = first[2:].split()
        return newline + without_magics(rest) if words and words[0] in KEEPS_BODY else ""
    if _is_python(source):
        return source
    return "\n".join(_plain(line) for line in source.split("\n"))


def _plain(line: str) -> str:
    timed = LINE_WITH_CODE.match(line)
    if timed:
        return timed[1] + timed[2]
    if MAGIC_LINE.match(line):
        indent = line[: len(line) - len(line.lstrip())]
        return f"{indent}pass" if indent else ""
    assigned = MAGIC_VALUE.match(line)
    return f"{assigned[1]} None" if assigned else line


def _is_python(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
