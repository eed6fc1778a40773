"""Choose fingerprints of a program so that equal passages have equal ones.

The algorithm is winnowing, as in Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document
Fingerprinting" (SIGMOD 2003), https://theory.stanford.edu/~aiken/publications/papers/sigmod03.pdf: of the hashes of
all runs of ``RUN`` tokens, the smallest in each window of ``WINDOW`` is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

RUN = 12
"""Tokens per hashed run, about two lines; shorter equal passages are never found."""
WINDOW = 8
"""Hashes per window; equal passages of ``RUN + WINDOW - 1`` tokens always share a fingerprint."""


def map_fingerprints_to_positions(normalized_tokens: Sequence[str]) -> dict[int, list[int]]:
    """Return the fingerprints of a program, each with the tokens at which its passages begin.

    >>> program = [f"t{number}" for number in range(100)]
    >>> first, second = map_fingerprints_to_positions(program), map_fingerprints_to_positions(["import", *program])
    >>> len(first.keys() & second.keys()) >= len(first) - 1
    True
    """
    hashes = [
        _compute_hash(normalized_tokens[start : start + RUN]) for start in range(len(normalized_tokens) - RUN + 1)
    ]
    positions_by_hash: dict[int, list[int]] = {}
    last_position = -1
    for start in range(max(1, len(hashes) - WINDOW + 1)):
        window = hashes[start : start + WINDOW]
        if not window:
            break
        min_hash = min(window)
        position = start + max(index for index, value in enumerate(window) if value == min_hash)
        if position != last_position:
            positions_by_hash.setdefault(min_hash, []).append(position)
            last_position = position
    return positions_by_hash


def _compute_hash(shapes: Sequence[str]) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(shapes).encode("utf-8", "replace"), digest_size=8).digest())
