"""Requests that were sent ahead: carried out without an answer, under numbers that the tests chose.

The other side foretold what each gives. What is not as foretold is told with the next answer: numbers of results that
are no new object of their class, which matters only if a test holds them; or that something raised, after which
nothing more is carried out.
"""

from typing import Any

from autograder.bridge.inside import requests, values

_odd: list[int] = []
_misjudged = False


def carry_out(first: int, count: int, kind: str, request: str, *arguments: Any) -> None:
    """Carry out one request; see ``Ahead`` on the other side for the meaning of ``count``."""
    global _misjudged
    if _misjudged:
        return
    try:
        result = requests.REQUESTS[request](*[values.decode(argument) for argument in arguments])
        if count >= 0:
            results = result if count else [result]
            _odd.extend(
                first + place for place, one in enumerate(results) if not values.take(first + place, one, kind)
            )
    except BaseException:
        _misjudged = True


def settled() -> tuple[list[list[int]], bool]:
    """Since the last call: a list of the numbers that were not as foretold, if any, and whether something raised."""
    global _odd
    odd, _odd = _odd, []
    return [odd] if odd else [], _misjudged
