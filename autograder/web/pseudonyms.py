"""Make the pseudonyms of anonymous grading.

A pseudonym is a keyed digest of course, assignment and login. It is the same on every page and after every restart,
differs between assignments, and cannot be computed without the server's secret.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable

LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Characters that are not easily mistaken for one another."""
SHORT, LONG = 6, 12


def map_logins_to_pseudonyms(secret_key: bytes, scope: str, logins: Iterable[str]) -> dict[str, str]:
    """Return a pseudonym for each login.

    Args:
        secret_key: the key of the digest.
        scope: a text that distinguishes sets of pseudonyms; the same login differs between scopes.
        logins: the logins.

    >>> first, second = (map_logins_to_pseudonyms(b"key", scope, ["ada"])["ada"] for scope in ("engine", "sort"))
    >>> first == second
    False
    """
    digests = {
        login: _format_digest(hmac.digest(secret_key, f"{scope}\0{login}".encode(), hashlib.sha256))
        for login in logins
    }
    prefix_counts = Counter(digest[:SHORT] for digest in digests.values())
    return {
        login: digest[: SHORT if prefix_counts[digest[:SHORT]] == 1 else LONG] for login, digest in digests.items()
    }


def _format_digest(digest: bytes) -> str:
    number, letters = int.from_bytes(digest), []
    for _ in range(LONG):
        number, letter_index = divmod(number, len(LETTERS))
        letters.append(LETTERS[letter_index])
    return "".join(letters)
