"""Find where a test goes on that leaves out a part of a known path.

A test may try something twice, and leave the first trial early since an answer was wrong. What it asks then is what
it would have asked anyway, but for the numbers of the objects: an object has the number of the request that first
showed it (see ``begin_request`` in the student's process).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograder.bridge.request_transcript import is_lookup_request

HANDLES = re.compile(rb'"h[lt]?":(?:\d+|\[[\d,]*\])')
"""Objects of the student's in a packed request: one, or many in a list or a tuple."""
NUMBER = re.compile(rb"\d+")
BITS = 20
"""An object's number is that of the request that first showed it, times two to this power, and some more."""


def predict_rest_after_skip(known_requests: Sequence[bytes], position: int, next_request: bytes) -> list[bytes]:
    """Return what a test will ask that leaves out a part of a known path.

    Args:
        known_requests: all requests of the path.
        position: how many of them the test asked.
        next_request: what it asks next, which is not ``known_requests[position]``.

    Returns:
        The requests from ``next_request`` on, as far as they are about objects that are there; only ``next_request``
        itself where the path has nothing like it.
    """
    order = [0]
    for request in known_requests:
        order.append(order[-1] + (not is_lookup_request(request)))
    kind = next_request.partition(b",")[0]
    for place in range(position + 1, len(known_requests)):
        if known_requests[place].startswith(kind):
            skipped = order[place] - order[position]
            since = _find_first_renumbered(known_requests[place], next_request, skipped)
            if since is not None:
                return [next_request, *_renumber(known_requests[place + 1 :], min(since, order[place] + 1), skipped)]
    return [next_request]


def _find_first_renumbered(known: bytes, asked: bytes, skipped: int) -> int | None:
    """Return which request of the path showed the first object that has another number in ``asked``.

    None if the two requests differ in more than such numbers; more than any if they do not differ.
    """
    if HANDLES.sub(b"", known) != HANDLES.sub(b"", asked):
        return None
    pairs = [*zip(_list_handle_numbers(known), _list_handle_numbers(asked), strict=False)]
    renumbered = [known for known, asked in pairs if known != asked]
    if any(known - asked != skipped << BITS for known, asked in pairs if known != asked):
        return None
    return min((known >> BITS for known in renumbered), default=1 << BITS)


def _list_handle_numbers(request: bytes) -> list[int]:
    return [int(number) for handles in HANDLES.findall(request) for number in NUMBER.findall(handles)]


def _renumber(requests: Sequence[bytes], since: int, skipped: int) -> list[bytes]:
    """Return requests with the numbers that they have once some were left out.

    Args:
        requests: as the path has them.
        since: objects that this request or a later one showed have other numbers.
        skipped: how many requests were left out, just before that one; those up to the first that is about an object
            which one of them showed are returned.
    """

    def renumber(number: re.Match[bytes]) -> bytes:
        handle = int(number[0])
        return number[0] if handle >> BITS < since else b"%d" % (handle - (skipped << BITS))

    renumbered = []
    for request in requests:
        if any(since - skipped <= handle >> BITS < since for handle in _list_handle_numbers(request)):
            break
        renumbered.append(HANDLES.sub(lambda handles: NUMBER.sub(renumber, handles[0]), request))
    return renumbered
