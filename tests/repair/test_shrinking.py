"""A change is undone piece by piece, to find out which pieces are needed."""

from __future__ import annotations

from autograder.repair.shrinking import Change, find_difference

BEFORE = "def f(a):\n    b = 1.0\n    return b\n"
AFTER = "def f(other):\n    b = other.x\n    c = b\n    return b\n"


def test_a_change_is_made_of_pieces_and_all_of_them_make_the_changed_text() -> None:
    change = Change(BEFORE, AFTER)
    assert [(piece.old, piece.new) for piece in change.pieces][:2] == [(("a",), ("other",)), (("1.0",), ("other.x",))]
    assert change.make_text(change.pieces) == AFTER
    assert change.make_text(()) == BEFORE
    assert change.make_text(change.pieces[1:2]) == BEFORE.replace("1.0", "other.x")


def test_groups_of_pieces_are_those_of_a_line_and_each_by_itself() -> None:
    change = Change(BEFORE, AFTER)
    groups = [{piece.new[0] for piece in group} for group in change.list_groups(change.pieces)]
    assert {"other"} in groups
    assert all(len(group) < len(change.pieces) for group in groups)


def test_the_smallest_expression_tells_two_lines_apart_or_the_tokens() -> None:
    assert find_difference("    x = a if b != len(c) else d", "    x = a if b != len(c) - 1 else d") == (
        "len(c)",
        "len(c) - 1",
    )
    assert find_difference("if a not in b:", "if a in b:") == ("a not in b", "a in b")
    assert find_difference("a.b += c", "a.b = c") == ("+=", "=")
    assert find_difference("a = b", "return c") == ("a = b", "return c")
