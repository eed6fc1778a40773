"""Requests that were sent ahead: carried out without an answer; new objects get numbers that the tests chose.

The other side foretold what each gives. What gives anything else, or raises, makes everything since unsound: nothing
more is carried out, and every answer says so.
"""

from typing import Any

from autograder.bridge.inside import requests, values

misjudged = False


def carry_out(first: int, count: int, kind: str, request: str, *arguments: Any) -> None:
    """Carry out one request; see ``Ahead`` on the other side for the meaning of ``count``."""
    global misjudged
    if misjudged:
        return
    try:
        result = requests.REQUESTS[request](*[values.decode(argument) for argument in arguments])
        if count >= 0:
            results = result if count else [result]
            as_foretold = all(values.take(first + place, one, kind) for place, one in enumerate(results))
        else:
            as_foretold = result is None or count < -1
        misjudged = not as_foretold
    except BaseException:
        misjudged = True
