"""Make the secrets of links and cookies; the store gets nothing but their digests."""

from __future__ import annotations

import hashlib
import re
import secrets

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
LOGIN = re.compile(r"[a-z0-9][a-z0-9._@-]{0,79}")
"""What a login looks like; it becomes part of a submission's id and of a file's name."""


def make_random_token() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the digest that is kept of a token; it needs no salt, because nobody can guess 256 bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_well_formed_token(text: object) -> bool:
    """Return whether a text could be a token."""
    return isinstance(text, str) and bool(TOKEN.fullmatch(text))


def is_well_formed_login(text: object) -> bool:
    """Return whether a text can be a login."""
    return isinstance(text, str) and bool(LOGIN.fullmatch(text))
