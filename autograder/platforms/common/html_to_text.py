"""Extract program text from the markup that a platform's editor makes of typed text.

This does not use ``html.parser``: Python 3.11's takes minutes for some hundred kilobytes of malicious text (``<!--``
again and again), and ends in an error for other such text. The code here looks at each character a few times.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

TAG = re.compile(r"(<(?:[/!]?[A-Za-z]|!\[)[^<>]*>)")
NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)")
BLOCKS = frozenset(
    {
        "address", "blockquote", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
        "pre", "table", "td", "th", "tr", "ul",
    }
)  # fmt: skip
"""Elements that begin a line."""
UNSEEN = frozenset({"script", "style", "title"})
NO_CHARACTER = re.compile("&#[0-9]{8,};?")
"""A reference to an impossible character. For one with some thousand digits, ``html.unescape`` raises an error."""
SPACES = str.maketrans({"\xa0": " ", "\u200b": "", "\ufeff": ""})
"""An editor keeps an indentation with spaces that do not break."""


def convert_html_to_plain_text(html_markup: str) -> str:
    r"""Return the text in some markup, a line for each line shown, with a line end; empty if it shows nothing.

    >>> convert_html_to_plain_text("<p>a = 1 &lt; 2</p><p>&nbsp; b<br>c</p>")
    'a = 1 < 2\n  b\nc\n'
    """
    text = "".join(_iterate_text_pieces(_remove_comments(html_markup.replace("\r\n", "\n").replace("\r", "\n"))))
    lines = [line.rstrip() for line in text.translate(SPACES).split("\n")]
    program = "\n".join(lines).strip("\n")
    return f"{program}\n" if program.strip() else ""


def _iterate_text_pieces(markup: str) -> Iterator[str]:
    has_line_text = False  # whether this line has text yet
    # spaces that begin it: an indentation if something follows, an empty line if they do not break
    leading_spaces = ""
    is_hidden = is_preformatted = False
    for number, piece in enumerate(TAG.split(markup)):
        is_tag = number % 2 == 1
        tag_match = NAME.match(piece) if is_tag else None
        name = tag_match[1].lower() if tag_match else ""
        if name == "br" or (name in BLOCKS and (has_line_text or "\xa0" in leading_spaces)):
            yield "\n"
            has_line_text = False
        if name == "br" or name in BLOCKS:
            leading_spaces = ""
        if name == "pre":
            is_preformatted = not piece.startswith("</")
        elif name in UNSEEN:
            is_hidden = not piece.startswith("</")
        elif not is_tag and piece and not is_hidden:
            escaped_text = piece if is_preformatted or has_line_text else piece.removeprefix("\n")
            text = html.unescape(NO_CHARACTER.sub("\ufffd", escaped_text))
            if not is_preformatted and not has_line_text and not text.strip() and "\n" not in text:
                leading_spaces += text
            elif is_preformatted or text.strip(" \t\n") or "\n" not in piece:
                yield leading_spaces + text
                leading_spaces = ""
                has_line_text = bool(text.rpartition("\n")[2].strip()) or (has_line_text and "\n" not in text)


def _remove_comments(markup: str) -> str:
    head, *parts_after_comments = markup.split("<!--")
    return head + "".join(part.partition("-->")[2] for part in parts_after_comments)
