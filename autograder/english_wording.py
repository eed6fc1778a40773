"""Word lists and counts in sentences: short, and in plain English."""

from __future__ import annotations

from autograder.safe_text import escape_for_display

MOST_NAMES = 10
"""Of a class, so many are named in one sentence."""


def join_with_and(words: list[str] | tuple[str, ...]) -> str:
    """Join words as ``a``, ``a and b``, ``a, b and c``.

    >>> join_with_and(["forward", "tanh", "zero_grad"])
    'forward, tanh and zero_grad'
    """
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)


def format_abbreviated_list(names: list[str]) -> str:
    """List the first of many names, and say how many more there are.

    >>> format_abbreviated_list([f"s{number}" for number in range(12)])
    's0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 2 more'
    """
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(escape_for_display(name, 80) for name in names[:MOST_NAMES]) + more


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 student``, ``2 students``.

    >>> format_count(1, "student"), format_count(0, "student")
    ('1 student', '0 students')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def choose_by_count(number: float, singular: str, plural: str) -> str:
    """Return the form of a word that goes with a number of things.

    >>> choose_by_count(1, "is", "are"), choose_by_count(0, "is", "are")
    ('is', 'are')
    """
    return singular if number == 1 else plural
