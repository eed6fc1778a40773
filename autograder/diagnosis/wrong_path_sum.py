"""Decode sums over paths: if each path to a leaf has its own weight, a wrong sum shows which path went wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from autograder.diagnosis.model import format_number
from autograder.text import choose_by_count, join_with_and

MOST_TIMES = 3
MOST_TRIES = 5_000
MOST_NAMED = 2
TIMES = ("never", "once", "twice", "three times")
NUMERALS = ("none", "one", "two", "three")


def try_describe_wrong_path_sum(
    weight_by_path: Mapping[str, float], actual_sum: float, *, shows_sum: bool = True
) -> str | None:
    """Describe what a wrong sum over paths is made of, in half a sentence.

    Paths of equal weight cannot be told apart, so the text names them together.

    Args:
        weight_by_path: what each path adds to the right sum, by the path's name in the text.
        actual_sum: the sum that the submission computed.
        shows_sum: whether the text shows the sum itself (``26.0 = 15.0 + 11.0``). Without the sum, the text does not
            give the right sum away.

    Returns:
        A text such as ``26.0 = 15.0 + 11.0, as if the path through n*d were missing``. None in these cases: the sum
        is right; there is only one path; no choice of counting each path 0 to 3 times gives the sum, or several do;
        or so many paths differ that the sum may be a coincidence.

    >>> try_describe_wrong_path_sum({"y = n * c": 4.0, "y = n": 1.0}, 9.0)
    '9.0 = 2 * 4.0 + 1.0, as if the path y = n * c were counted twice'
    """
    groups: dict[float, list[str]] = {}
    for name, weight in weight_by_path.items():
        groups.setdefault(weight, []).append(name)
    found = _counts(groups, actual_sum)
    if len(weight_by_path) < 2 or found is None:
        return None
    if any(found):
        parts = [_told(names, weight, count) for (weight, names), count in zip(groups.items(), found, strict=True)]
        told = [part for part in parts if part]
        if not told or None in parts or len(told) > max(1, len(groups) // 2):
            return None  # right, or so many paths differ that the sum may be a coincidence
        what = " and ".join(told)
    else:
        what = "no path arrived"
    if not shows_sum:
        return f"it is as if {what}"
    terms = "" if sum(found) < 2 else f" = {_sum(list(groups), found)}"
    return f"{format_number(actual_sum)}{terms}, as if {what}"


def _counts(groups: Mapping[float, Sequence[str]], got: float) -> tuple[int, ...] | None:
    """Return how often each group of paths was counted; None unless exactly one combination gives the sum.

    Also return None if a weight is 0, or if there are too many combinations to try.
    """
    ranges = [range(MOST_TIMES * len(names) + 1) for names in groups.values()]
    if 0.0 in groups or math.prod(map(len, ranges)) > MOST_TRIES:
        return None
    fitting = [
        counts
        for counts in itertools.product(*ranges)
        if math.isclose(sum(c * w for c, w in zip(counts, groups, strict=True)), got, rel_tol=1e-9, abs_tol=1e-12)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _told(names: Sequence[str], weight: float, count: int) -> str | None:
    """Describe how paths of equal weight went wrong; empty if they did not, None if there is no simple description.

    Args:
        names: the paths.
        weight: what each path adds.
        count: how often the weight was counted in all.
    """
    usual = len(names)
    if count == usual:
        return ""
    these = f"the {choose_by_count(usual, 'path', 'paths')} {join_with_and(list(names))}"
    if usual > MOST_NAMED:
        these = f"the {usual} paths that each give {format_number(weight)}"
    if count == 0:
        return f"{these} were missing"
    if count % usual == 0:
        return f"{these} were {'each ' if usual > 1 else ''}counted {TIMES[count // usual]}"
    return f"{NUMERALS[usual - count]} of {these} were missing" if 0 < usual - count < len(NUMERALS) else None


def _sum(weights: Sequence[float], counts: Sequence[int]) -> str:
    terms = [
        (weight < 0, f"{count} * {format_number(abs(weight))}" if count > 1 else format_number(abs(weight)))
        for weight, count in zip(weights, counts, strict=True)
        if count
    ]
    text = "".join(f" {'-' if negative else '+'} {term}" for negative, term in terms)
    return text.removeprefix(" + ").removeprefix(" ")
