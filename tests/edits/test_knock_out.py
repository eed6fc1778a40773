"""The body of one function after another is taken out, and all other lines stay where they stand."""

from __future__ import annotations

import ast

import pytest

from autograder.edits import list_function_bodies

CLASS = '''class A:
    """Has a text."""

    def one(self, x=[]):  # of one line
        """Say what it does."""
        for y in x:
            yield y

    def two(self): return 2

    @property
    def three(self):
        return """
a"""


def four():
    class Inner:
        def five(self):
            return 5

    return Inner
'''


def test_each_outermost_function_with_a_body_of_its_own_lines_is_found_by_its_path() -> None:
    assert [body.function for body in list_function_bodies(CLASS)] == ["A.one", "A.three", "four"]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["\n", ""])
def test_what_is_outside_the_body_keeps_its_lines(line_break: str, end: str) -> None:
    source = CLASS.rstrip("\n").replace("\n", line_break) + end
    lines = source.splitlines()
    for body in list_function_bodies(source):
        without = body.text_without.splitlines()
        assert without[: body.line - 1] == lines[: body.line - 1]
        assert without[body.end_line :] == lines[body.end_line :]
        assert without[body.line - 1].strip() == "raise ArithmeticError"
        assert not "".join(without[body.line : body.end_line])
        ast.parse(body.text_without)


@pytest.mark.parametrize("source", ["", "def (", "x = 1\n", "def f(): pass"])
def test_a_text_without_such_functions_has_none(source: str) -> None:
    assert list_function_bodies(source) == []
