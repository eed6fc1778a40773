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
    [
        "address",
        "blockquote",
        "dd",
        "div",
        "dl",
        "dt",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "table",
        "td",
        "th",
        "tr",
        "ul",
    ]  # each begins a line
)
UNSEEN = frozenset({"script", "style", "title"})
NO_CHARACTER = re.compile("&#[0-9]{8,};?")
"""A reference to an impossible character. For one with some thousand digits, ``html.unescape`` raises an error."""
SPACES = str.maketrans({"\xa0": " ", "\u200b": "", "\ufeff": ""})
"""An editor keeps an indentation with spaces that do not break."""


def convert_html_to_plain_text(html_markup: str) -> str:
    r"""Return the text in some markup, a line for each line shown, with a line end; empty if it shows nothing.

    Args:
        html_markup: any text.

    >>> convert_html_to_plain_text("<p>a = 1 &lt; 2</p><p>&nbsp; b<br>c</p>")
    'a = 1 < 2\n  b\nc\n'
    """
    shown = "".join(_pieces(_without_comments(html_markup.replace("\r\n", "\n").replace("\r", "\n"))))
    lines = [line.rstrip() for line in shown.translate(SPACES).split("\n")]
    whole = "\n".join(lines).strip("\n")
    return f"{whole}\n" if whole.strip() else ""


def _pieces(markup: str) -> Iterator[str]:
    begun = False  # whether this line has text yet
    held = ""  # spaces that begin it: an indentation if something follows, an empty line if they do not break
    unseen = pre = False
    for number, piece in enumerate(TAG.split(markup)):
        is_tag = number % 2 == 1
        found = NAME.match(piece) if is_tag else None
        name = found[1].lower() if found else ""
        if name == "br" or (name in BLOCKS and (begun or "\xa0" in held)):
            yield "\n"
            begun = False
        if name == "br" or name in BLOCKS:
            held = ""
        if name == "pre":
            pre = not piece.startswith("</")
        elif name in UNSEEN:
            unseen = not piece.startswith("</")
        elif not is_tag and piece and not unseen:
            text = _unescaped(piece if pre or begun else piece.removeprefix("\n"))
            if not pre and not begun and not text.strip() and "\n" not in text:
                held += text
            elif pre or text.strip(" \t\n") or "\n" not in piece:
                yield held + text
                held = ""
                begun = bool(text.rpartition("\n")[2].strip()) or (begun and "\n" not in text)


def _unescaped(text: str) -> str:
    return html.unescape(NO_CHARACTER.sub("\ufffd", text))


def _without_comments(markup: str) -> str:
    first, *rest = markup.split("<!--")
    return first + "".join(part.partition("-->")[2] for part in rest)
