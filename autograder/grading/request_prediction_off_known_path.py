"""Predict how a test goes on that asks something else than it was taken to ask.

What it asks after that is most often what it would have asked anyway, but for the numbers of the objects: an object
has the number of the request that first showed it (see ``begin_request_and_decode_in_place`` in the student's
process).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from autograder.bridge.request_transcript import is_finding_lookup_request

HANDLES = re.compile(rb'"h[lt]{0,2}":(?:\d+|\[[\d,\[\]]*\])')
"""Objects of the student's in a packed request: one, or many in a list or a tuple, or in several of these."""
NUMBER = re.compile(rb"\d+")
MOST_REMEMBERED = 10_000
"""Requests of known paths: they come up again and again."""
BITS = 20
"""An object's number is that of the request that first showed it, times two to this power, and some more."""


def list_departing_and_predicted_requests(
    path_requests: Sequence[bytes], asked_count: int, departing_request: bytes, *, added_request_count: int = 0
) -> list[bytes]:
    """Return what a test will ask that left a known path.

    It may have left out a part of the path: the rest of a trial, for example, since an answer was wrong. It may ask
    the same about another object than the path does: one that an operation gave back instead of a new one. Or it
    comes back to the path after it asked something in addition.

    Args:
        path_requests: all requests of the path.
        asked_count: how many of them the test asked.
        departing_request: what it asks next, which is not the next of the path.
        added_request_count: how many other requests it asked in between.

    Returns:
        The requests from ``departing_request`` on, as far as they are about objects that are there; only that one
        where nothing in the path is like it.
    """
    kind, shape = departing_request.partition(b",")[0], _remove_handles(departing_request)
    same_kind = [place for place in range(asked_count, len(path_requests)) if path_requests[place].startswith(kind)]
    alike = [place for place in same_kind if _remove_handles(path_requests[place]) == shape]
    if not alike:
        return [departing_request]
    asked = _list_handle_numbers(departing_request)
    order = [0]
    for request in path_requests:
        order.append(order[-1] + (not is_finding_lookup_request(request)))
    for place in alike:
        skipped = order[place] - order[asked_count] - added_request_count
        since = _find_first_renumbered(_list_handle_numbers(path_requests[place]), asked, skipped)
        if since is not None and (place > asked_count or added_request_count):
            following = order[asked_count if added_request_count else place] + 1
            return [departing_request, *_renumber(path_requests[place + 1 :], min(since, following), skipped)]
    if alike[0] == asked_count and not added_request_count:
        others = dict(zip(_list_handle_numbers(path_requests[asked_count]), asked, strict=False))
        return [departing_request, *_renumber(path_requests[asked_count + 1 :], 1 << BITS, 0, others)]
    return [departing_request]


def _find_first_renumbered(known: Sequence[int], asked: Sequence[int], skipped: int) -> int | None:
    """Return which request of the path showed the first object that has another number where it is asked for.

    None if a number differs by more than is explained by requests that were left out; more than any if none differs.
    """
    pairs = [(before, now) for before, now in zip(known, asked, strict=False) if before != now]
    if any(before - now != skipped << BITS for before, now in pairs):
        return None
    return min((before >> BITS for before, _ in pairs), default=1 << BITS)


@lru_cache(MOST_REMEMBERED)
def _remove_handles(request: bytes) -> bytes:
    return HANDLES.sub(b"", request)


@lru_cache(MOST_REMEMBERED)
def _list_handle_numbers(request: bytes) -> tuple[int, ...]:
    return tuple([int(number) for handles in HANDLES.findall(request) for number in NUMBER.findall(handles)])


def _renumber(
    requests: Sequence[bytes], since: int, skipped: int, others: Mapping[int, int] | None = None
) -> list[bytes]:
    """Return requests with the numbers that they have once some were left out, or added.

    Args:
        requests: as the path has them.
        since: objects that this request or a later one showed have other numbers.
        skipped: how many requests were left out, just before that one; negative for added ones. Those up to the first
            that is about an object which one of them showed are returned.
        others: numbers of single objects in the place of those in the path.
    """
    other_objects = others or {}

    def renumber(number: re.Match[bytes]) -> bytes:
        handle = int(number[0])
        if handle in other_objects:
            return b"%d" % other_objects[handle]
        return number[0] if handle >> BITS < since else b"%d" % (handle - (skipped << BITS))

    renumbered = []
    for request in requests:
        handles = _list_handle_numbers(request)
        if any(since - skipped <= handle >> BITS < since for handle in handles):
            break
        is_changed = any(handle >> BITS >= since or handle in other_objects for handle in handles)
        renumbered.append(
            HANDLES.sub(lambda found: NUMBER.sub(renumber, found[0]), request) if is_changed else request
        )
    return renumbered
