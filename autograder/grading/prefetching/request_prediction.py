"""Predict the next requests of a test that departs from its expected requests.

After a departure, a test mostly makes the same requests as before, except for the numbers of the objects. An object's
number comes from the request that first showed it (see ``decode_request_arguments`` in the student's
process).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from autograder.bridge.request_transcript import LOOKUP_START

HANDLES = re.compile(rb'"h[lt]{0,2}":(?:\d+|\[[\d,\[\]]*\])')
"""Matches the student's objects in a packed request: one, or many in a list or a tuple, which may be nested."""
NUMBER = re.compile(rb"\d+")
MOST_REMEMBERED = 10_000
"""Maximum number of cached requests; those of known paths come up repeatedly."""
UNNUMBERED = (LOOKUP_START, b'["get",')
"""Beginnings of requests that give no number to an object."""
BITS = 20
"""An object's number is the number of the request that first showed it, shifted left by this many bits, plus an
offset."""


def predict_off_path_requests(
    path_requests: Sequence[bytes], asked_count: int, departing_request: bytes, *, added_request_count: int = 0
) -> list[bytes]:
    """Return the predicted requests of a test that left a known path.

    The test may skip a part of the path, such as the rest of a trial after a wrong answer. It may make the path's
    requests for another object, which an operation returned instead of a new one. Or it comes back to the path after
    some additional requests.

    Args:
        path_requests: all requests of the path.
        asked_count: how many of them the test made.
        departing_request: the test's next request, which is not the next one of the path.
        added_request_count: how many other requests the test made in between.

    Returns:
        The requests from ``departing_request`` on, as far as their objects exist; only that one if no request of the
        path is like it.
    """
    kind, shape = departing_request.partition(b",")[0], _remove_handles(departing_request)
    same_kind = [place for place in range(asked_count, len(path_requests)) if path_requests[place].startswith(kind)]
    similar_places = [place for place in same_kind if _remove_handles(path_requests[place]) == shape]
    if not similar_places:
        return [departing_request]
    departing_numbers = _list_handle_numbers(departing_request)
    order = [0]
    for request in path_requests:
        order.append(order[-1] + (not request.startswith(UNNUMBERED)))
    for place in similar_places:
        skipped_count = order[place] - order[asked_count] - added_request_count
        first_renumbered = _find_first_renumbered(
            _list_handle_numbers(path_requests[place]), departing_numbers, skipped_count
        )
        if first_renumbered is not None and (place > asked_count or added_request_count):
            following_number = order[asked_count if added_request_count else place] + 1
            return [
                departing_request,
                *_renumber_requests(
                    path_requests[place + 1 :], min(first_renumbered, following_number), skipped_count
                ),
            ]
    if similar_places[0] == asked_count and not added_request_count:
        other_numbers = dict(zip(_list_handle_numbers(path_requests[asked_count]), departing_numbers, strict=False))
        return [departing_request, *_renumber_requests(path_requests[asked_count + 1 :], 1 << BITS, 0, other_numbers)]
    return [departing_request]


def _find_first_renumbered(
    path_numbers: Sequence[int], departing_numbers: Sequence[int], skipped_count: int
) -> int | None:
    """Return the number of the path's request that showed the first object with a changed number.

    Return None if a number's difference does not match the requests that were left out. If no number differs, return
    a number above that of any request.
    """
    pairs = [
        (path_number, departing_number)
        for path_number, departing_number in zip(path_numbers, departing_numbers, strict=False)
        if path_number != departing_number
    ]
    if any(path_number - departing_number != skipped_count << BITS for path_number, departing_number in pairs):
        return None
    return min((path_number >> BITS for path_number, _ in pairs), default=1 << BITS)


@lru_cache(MOST_REMEMBERED)
def _remove_handles(request: bytes) -> bytes:
    return HANDLES.sub(b"", request)


@lru_cache(MOST_REMEMBERED)
def _list_handle_numbers(request: bytes) -> tuple[int, ...]:
    return tuple([int(number) for handles in HANDLES.findall(request) for number in NUMBER.findall(handles)])


def _renumber_requests(
    requests: Sequence[bytes],
    first_renumbered: int,
    skipped_count: int,
    other_numbers: Mapping[int, int] | None = None,
) -> list[bytes]:
    """Return requests with the object numbers that they have after some requests were left out or added.

    Stop before the first request that uses an object which a left-out request showed.

    Args:
        requests: the requests as in the path.
        first_renumbered: the number of a request. Objects that it or a later request showed get other numbers.
        skipped_count: how many requests were left out just before that one; negative for added ones.
        other_numbers: new numbers of single objects, by their numbers in the path.
    """
    other_objects = other_numbers or {}

    def renumber(number: re.Match[bytes]) -> bytes:
        handle = int(number[0])
        if handle in other_objects:
            return b"%d" % other_objects[handle]
        return number[0] if handle >> BITS < first_renumbered else b"%d" % (handle - (skipped_count << BITS))

    renumbered = []
    for request in requests:
        handles = _list_handle_numbers(request)
        if any(first_renumbered - skipped_count <= handle >> BITS < first_renumbered for handle in handles):
            break
        is_changed = any(handle >> BITS >= first_renumbered or handle in other_objects for handle in handles)
        renumbered.append(
            HANDLES.sub(lambda match: NUMBER.sub(renumber, match[0]), request) if is_changed else request
        )
    return renumbered
