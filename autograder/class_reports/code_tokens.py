"""Read a program as tokens, without layout, comments and docstrings, which are irrelevant for similarity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Name, Number, String, Token, _TokenType

SKIPPED = (Comment, String.Doc, Token.Text, Token.Error)
"""Token types to skip. ``Text`` is white space; ``Error`` is skipped so that programs with syntax errors are read."""


@dataclass(frozen=True, slots=True)
class CodeToken:
    """One token of a program."""

    text: str
    line: int
    """The line in the source, from 0."""
    is_name: bool = False
    is_number: bool = False
    is_string: bool = False

    @property
    def shape(self) -> str:
        """Return the token with names and values replaced by their kind; Python's own names stay."""
        if self.is_name:
            return self.text if self.text.startswith("__") else "n"
        return "0" if self.is_number else "s" if self.is_string else self.text


def tokenize_code(source: str) -> list[CodeToken]:
    """Return the tokens of Python source, whether or not it is valid."""
    tokens, line = [], 0
    for kind, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens("\n".join(split_source_lines(source))):
        if text.strip() and not any(_is_a(kind, skipped_kind) for skipped_kind in SKIPPED):
            is_name = _is_a(kind, Name) and not _is_a(kind, Name.Builtin)
            tokens.append(CodeToken(text.strip(), line, is_name, _is_a(kind, Number), _is_a(kind, String)))
        line += text.count("\n")
    return tokens


def split_source_lines(source: str) -> list[str]:
    """Return the lines of Python source, split only where Python ends a line."""
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def replace_names_by_numbers(tokens: Iterable[CodeToken]) -> tuple[str, ...]:
    """Return tokens with each name replaced by the number of its first use, so that renaming makes no difference.

    >>> replace_names_by_numbers(tokenize_code("total = total + x  # add"))
    ('#0', '=', '#0', '+', '#1')
    """
    numbers: dict[str, str] = {}
    return tuple(
        numbers.setdefault(token.text, f"#{len(numbers)}") if token.is_name else token.text for token in tokens
    )


def _is_a(kind: _TokenType, parent_kind: _TokenType) -> bool:
    """Return whether a kind of token is another one, or below it; this is how Pygments asks."""
    return kind in parent_kind  # type: ignore[comparison-overlap]
