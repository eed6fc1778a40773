"""Say which attempt counts, and why."""

from __future__ import annotations

from autograder.lateness.counted_submissions import CountingReason

REASON_PHRASES: dict[CountingReason, str] = {
    "reopened": "was handed in after the staff gave another attempt",
    "set score": "has a score that the staff set, which counts whatever points other attempts have",
    "most points": "has the most points",
    "last": "is the last one that was graded",
    "first": "was handed in first",
}
"""What the attempt that counts has before others, by the reason why it counts."""


def format_counting_sentence(attempt_number: int, reasons: tuple[CountingReason, ...]) -> str:
    """Return a sentence on the attempt that counts.

    Args:
        attempt_number: the number of the attempt.
        reasons: see ``explain_counting_submissions``.

    >>> format_counting_sentence(2, ("most points", "first"))
    'Attempt 2 counts: it has the most points, and of those attempts it was handed in first.'
    """
    phrases = ", and of those attempts it ".join(REASON_PHRASES[reason] for reason in reasons)
    return f"Attempt {attempt_number} counts{f': it {phrases}' if phrases else ''}."


def format_counting_cell(attempt_number: int, reasons: tuple[CountingReason, ...]) -> str:
    """Return the attempt that counts in a few words, for a table.

    >>> format_counting_cell(2, ("most points", "first")), format_counting_cell(1, ())
    ('attempt 2: most points, first', 'attempt 1')
    """
    return f"attempt {attempt_number}{': ' if reasons else ''}{', '.join(reasons)}"
