"""Read a program as tokens, without what says nothing of who wrote it: layout, comments, docstrings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Name, Number, String, Token, _TokenType

SKIPPED = (Comment, String.Doc, Token.Text, Token.Error)
"""A lexer's word for white space is text. What it cannot read is left out: a program with a mistake is read, too."""


@dataclass(frozen=True, slots=True)
class CodeToken:
    """One token of a program."""

    text: str
    line: int
    """In the source, from 0."""
    is_name: bool = False
    is_number: bool = False
    is_string: bool = False

    @property
    def shape(self) -> str:
        """Return the token as far as it does not depend on names and values; Python's own names stay."""
        if self.is_name:
            return self.text if self.text.startswith("__") else "n"
        return "0" if self.is_number else "s" if self.is_string else self.text


def parse_code_tokens_without_comments(source: str) -> list[CodeToken]:
    """Return the tokens of Python source, whether or not it is valid."""
    tokens, line = [], 0
    for kind, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens("\n".join(split_source_lines(source))):
        if text.strip() and not any(_is_a(kind, skipped) for skipped in SKIPPED):
            is_name = _is_a(kind, Name) and not _is_a(kind, Name.Builtin)
            tokens.append(CodeToken(text.strip(), line, is_name, _is_a(kind, Number), _is_a(kind, String)))
        line += text.count("\n")
    return tokens


def split_source_lines(source: str) -> list[str]:
    """Return the lines of Python source; only what ends a line in Python does so here."""
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def replace_names_by_numbers(tokens: Iterable[CodeToken]) -> tuple[str, ...]:
    """Return tokens with each name as the number of its first use: programs that differ in names alone are equal."""
    numbers: dict[str, str] = {}
    return tuple(
        numbers.setdefault(token.text, f"#{len(numbers)}") if token.is_name else token.text for token in tokens
    )


def _is_a(kind: _TokenType, other: _TokenType) -> bool:
    """Return whether a kind of token is another one, or below it; this is how Pygments asks."""
    return kind in other  # type: ignore[comparison-overlap]
