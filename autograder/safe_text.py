"""Make text safe to display, and to write where some characters are not allowed."""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata

CUT_MARK = "…"
LINE_END = re.compile(r"\r\n|\r|\n")
"""What ends a line for Python; ``str.splitlines`` knows more."""
BACKTICK_LOOKALIKE = "\N{MODIFIER LETTER GRAVE ACCENT}"
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What shows as nothing although it counts as a letter, a mark or a symbol."""
MAX_COMBINING_MARKS = 4
"""Marks over one letter; more of them reach into the lines above."""


UNPRINTABLE_CATEGORIES = frozenset({"Cc", "Cs", "Cn"})
"""Unicode's categories of control characters, surrogates and unassigned characters, which not every file can hold."""
UNREPRESENTABLE_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML 1.0 cannot hold, not even as a number."""


def replace_unprintable_characters(text: str, kept: str = "\n") -> str:
    r"""Put U+FFFD in the place of characters that not every file or platform can hold, except those in ``kept``.

    >>> replace_unprintable_characters("a\x00b\n")
    'a\ufffdb\n'
    """
    return "".join(
        "\ufffd" if unicodedata.category(one) in UNPRINTABLE_CATEGORIES and one not in kept else one for one in text
    )


def replace_non_xml_characters(text: str) -> str:
    r"""Return a text with a replacement character for each character that XML cannot hold.

    >>> replace_non_xml_characters("a\x00b\x1b[31m") == "a\ufffdb\ufffd[31m"
    True
    """
    return UNREPRESENTABLE_IN_XML.sub("\ufffd", text)


def escape_for_display(text: str, max_length: int = 300) -> str:
    r"""Make one line of printable text: what steers, hides or cannot be seen becomes a visible escape.

    Args:
        text: anything.
        max_length: characters to keep; a longer text is cut and marked.

    >>> escape_for_display("no \x1b[31mcolour, one\nline")
    'no \\x1b[31mcolour, one\\nline'
    """
    return _escape(text[: max_length + 1], max_length)


def escape_lines_for_display(text: str) -> str:
    r"""Make lines of printable text, none of them cut; line ends become ``\n``, and tabs stay.

    >>> escape_lines_for_display("\ta\r\nb\x1b")
    '\ta\nb\\x1b'
    """
    lines = LINE_END.split(text)
    return "\n".join(
        "\t".join(escape_for_display(part, 12 * len(part)) for part in line.split("\t")) for line in lines
    )


def escape_for_sentence(text: str, max_length: int = 300) -> str:
    """Return ``escape_for_display`` of a student's text that stands in a sentence with code between backticks.

    A backtick becomes a character like it, so that only the sentence's own backticks begin and end code.

    >>> escape_for_sentence("a`b.py") == f"a{BACKTICK_LOOKALIKE}b.py"
    True
    """
    return escape_for_display(text, max_length).replace("`", BACKTICK_LOOKALIKE)


@functools.lru_cache(maxsize=2048)
def _escape(text: str, max_length: int) -> str:
    """Escape a text of at most one character more than is kept; titles and names come again with each report."""
    shown = []
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category[0] == "M" else 0
        unseen = not character.isprintable() or UNSEEN.match(character)
        if unseen or category == "Co" or marks > MAX_COMBINING_MARKS:
            shown.append(character.encode("unicode_escape").decode("ascii"))
        else:
            shown.append(character)
    joined = "".join(shown)
    return joined if len(joined) <= max_length else joined[: max_length - 1] + CUT_MARK


def escape_name_unambiguously(name: str, max_length: int = 200) -> str:
    r"""Show a name as ``escape_for_display`` does.

    Two that differ stay different, cut or not, and a ``\`` is doubled.

    >>> escape_name_unambiguously("a\\b"), escape_name_unambiguously("x" * 300, 20)
    ('a\\\\b', 'xxxxxxxxxxx~0d4e2ca9')
    """
    shown = escape_for_display(name.replace("\\", r"\\"), 20 * len(name) + 1)
    if len(shown) <= max_length:
        return shown
    return f"{shown[: max_length - 9]}~{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
