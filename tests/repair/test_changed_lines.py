"""Lines are told with the step that changed them, in the numbers of the text that was handed in."""

from __future__ import annotations

import pytest

from autograder.repair.changed_lines import list_changed_lines


def changes(text: str, *texts: str, methods: tuple[int, ...] = ()) -> list[tuple[int | None, int, int, str, str]]:
    """Return step, first and last line, and the lines before and after, for letters in place of lines."""
    steps = {step: "".join(f"{letter}\n" for letter in one) for step, one in enumerate(texts)}
    found = list_changed_lines("".join(f"{letter}\n" for letter in text), steps, methods)
    return [(one.step, one.line, one.end_line, "".join(one.before), "".join(one.after)) for one in found]


def test_no_change_goes_past_the_last_line() -> None:
    assert changes("ab", "abx") == [(0, 2, 2, "b", "bx")]
    assert changes("ab", "axyz") == [(0, 2, 2, "b", "xyz")]


def test_each_step_has_the_lines_that_it_changed_where_they_lie_side_by_side() -> None:
    assert changes("abcd", "axycd", "axyc") == [(0, 2, 2, "b", "xy"), (1, 4, 4, "d", "")]
    assert changes("abc", "axc", "axyc") == [(0, 2, 2, "b", "x"), (1, 3, 3, "c", "yc")]


def test_no_line_is_part_of_two_changes() -> None:
    found = changes("abc", "xbc", "xybc", "xybzc")
    assert found == [(0, 1, 1, "a", "x"), (1, 2, 2, "b", "ybz")]


@pytest.mark.parametrize("end", ["", "\n"])
def test_lines_that_are_like_those_before_are_told_one_by_one(end: str) -> None:
    found = list_changed_lines(f"a = one\nb = one{end}", {0: f"a = two\nb = two{end}"})
    assert [(one.line, one.before, one.after) for one in found] == [
        (1, ["a = one"], ["a = two"]),
        (2, ["b = one"], ["b = two"]),
    ]
