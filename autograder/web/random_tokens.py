"""Make the secrets of links and cookies; the store gets nothing but their digests."""

from __future__ import annotations

import hashlib
import re
import secrets

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def make_random_token() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the digest of a token for the store; it needs no salt, because 256 random bits cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_well_formed_token(text: object) -> bool:
    """Return whether a text could be a token."""
    return isinstance(text, str) and bool(TOKEN.fullmatch(text))
