"""Replace the names of one person in texts by a pseudonym, and leave other people's names alone."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

TOKEN = re.compile(r"[A-Za-z0-9._@+-]+(?:'[A-Za-z0-9._@+-]+)*")
"""Matches a login, or an id or file name that contains one; or what only looks like one, such as ``ada's``."""
PART = re.compile(r"[^+']+")
"""Matches the parts of a token that may be a login each, if the whole is none."""

PSEUDONYM = "_erased-"
"""The beginning of every pseudonym; no login begins like this."""


def make_random_erasure_pseudonym() -> str:
    """Return a random name that cannot be a login and does not reveal the person."""
    return f"{PSEUDONYM}{secrets.token_hex(3)}"


@dataclass(frozen=True)
class PersonPseudonymizer:
    """Replaces the names of a person.

    >>> texts = frozenset({"ada", "Ada Okafor"})
    >>> replacer = PersonPseudonymizer("ada", texts, frozenset({"ada-b"}), "_erased-1")
    >>> replacer.replace_names("ada + bob-2: as Ada Okafor said. See ada-2, ada's and web:ada, not ada-b or adam.")
    "_erased-1 + bob-2: as _erased-1 said. See _erased-1-2, _erased-1's and web:_erased-1, not ada-b or adam."
    """

    login: str
    texts: frozenset[str]
    """All names of the person, including the login."""
    other_logins: frozenset[str]
    """Logins of others, which are never touched."""
    pseudonym: str

    def replace_names(self, text: str) -> str:
        """Return a text without the person's names, where they stand as whole words."""
        for pattern in self._patterns:
            text = pattern.sub(self.pseudonym, text)
        return TOKEN.sub(self._replace_token, text)

    def make_neutral_file_name_if_needed(self, file_name: str) -> str:
        """Return a name for a file that others own, too: a neutral one if it contains one of the person's names."""
        folded_name = file_name.casefold()
        if not any(text.casefold() in folded_name for text in self.texts):
            return file_name
        return f"submission{file_name[file_name.rfind('.') :] if '.' in file_name else ''}"

    def is_person_named_in(self, text: str) -> bool:
        """Return whether a text names the person."""
        return self.replace_names(text) != text

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [
            re.compile(rf"(?<!\w){re.escape(text)}(?!\w)") for text in _sort_longest_first(self.texts - {self.login})
        ]

    def _replace_token(self, match: re.Match[str]) -> str:
        token = match[0]
        word = token.rstrip(".-")
        if word in self.other_logins:
            return token
        suffix = word[len(self.login) :]
        if word.startswith(self.login) and re.fullmatch(r"(-\d+)?(~\d+)?(\.(py|ipynb|zip|json|html))?", suffix):
            return f"{self.pseudonym}{token[len(self.login) :]}"
        return PART.sub(self._replace_token, token) if PART.fullmatch(token) is None else token


def _sort_longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: (-len(text), text))
