"""Code that fails while it is loaded, or does not compile, costs itself alone, in every tier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bridge.loading import AFTER, BEFORE, loaded_around
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


# --- Code that fails.


def test_a_statement_that_raises_is_noted_with_its_line(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "x = 1\ny = x.data\nz = 2").problems
    assert (note.kind, note.line, note.error) == ("failed", 3, "AttributeError")
    assert note.message == "'int' object has no attribute 'data'"


def test_what_follows_a_statement_that_raises_is_run(hand_in: HandIn) -> None:
    submission = hand_in("x = 1\n1 / 0\nx += 1\n1 / 0\nx += 1")
    with submission.test() as student:
        assert student.get("x") == 3
    assert [note.line for note in submission.loaded.problems] == [2, 4]


def test_an_exception_inside_a_function_is_noted_at_the_statement_that_called_it(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "def f():\n    return 1 / 0\nf()").problems
    assert (note.line, note.error) == (4, "ZeroDivisionError")


def test_an_exception_in_the_body_of_a_class_is_noted_at_its_line(hand_in: HandIn) -> None:
    (note,) = hand_in("x = 1\nclass A:\n    class B:\n        y = x.data\n    z = 2").loaded.problems
    assert (note.statement, note.line, note.error) == (1, 4, "AttributeError")


@pytest.mark.parametrize("trouble", ["raise SystemExit(0)", "raise KeyboardInterrupt", "raise BaseException('x')"])
def test_exceptions_that_would_end_a_program_are_noted_like_others(hand_in: HandIn, trouble: str) -> None:
    (note,) = loaded_around(hand_in, trouble).problems
    assert note.kind == "failed"


def test_an_exception_that_refuses_to_be_shown_is_noted(hand_in: HandIn) -> None:
    trouble = "class Shy(Exception):\n    def __str__(self): raise SystemExit\nraise Shy"
    (note,) = loaded_around(hand_in, trouble).problems
    assert note.error == "Shy"


def test_input_finds_nothing_to_read(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "name = input('Your name? ')").problems
    assert (note.kind, note.error) == ("failed", "EOFError")


# --- Code that does not compile.


def test_a_syntax_error_costs_its_cell_alone(hand_in: HandIn) -> None:
    submission = hand_in(BEFORE, "x = 1\nif x\n    pass", AFTER)
    with submission.test() as student:
        assert student.get("before")() + student.get("after")() == "beforeafter"
        with pytest.raises(NameError):
            student.get("x")
    (note,) = submission.loaded.problems
    assert (note.kind, note.unit, note.line, note.error) == ("broken", 1, 2, "SyntaxError")


def test_a_syntax_error_in_a_file_is_noted_with_its_line(hand_in: HandIn) -> None:
    (note,) = hand_in(f"{BEFORE}\nclass Value\n    pass").loaded.problems
    assert (note.kind, note.line, note.message) == ("broken", 2, "expected ':'")


@pytest.mark.first_cases(6)
@once
@pytest.mark.parametrize(
    "trouble",
    [
        "x = (" + "(" * 100_000 + ")" * 100_000 + ")",
        "x = " + "[" * 100_000 + "]" * 100_000,
        "x = " + "-" * 100_000 + "1",
        "x = " + "not " * 100_000 + "1",
        "x = " + "1+" * 100_000 + "1",
        "x = " + "2**" * 100_000 + "1",
        "x = a" + ".b" * 100_000,
        "x = a" + "()" * 100_000,
        "x = " + "lambda: " * 100_000 + "1",
        "x = " + "1 if 1 else " * 100_000 + "1",
        "x = " + "f'{" * 1_000 + "1" + "}'" * 1_000,
        "".join(" " * depth + "if 1:\n" for depth in range(5_000)) + " " * 5_000 + "pass",
        "x = 'a\0b'",
        "x = '\ud800'",
        "x = 1\n\x0c\x1a",
        "x = 0x" + "f" * 100_000 + "\ny = " + "9" * 100_000,
        "return 1",
        "await x",
        "x = *",
        "x = b'é'",
        "from __future__ import braces",
        "nonlocal x",
        "\tx = 1\n        y = 2",
    ],
    ids=lambda text: ascii(text)[:24],
)
def test_text_that_no_parser_likes_costs_its_cell_alone(hand_in: HandIn, trouble: str) -> None:
    submission = hand_in(BEFORE, trouble, AFTER)
    with submission.test() as student:
        assert student.get("before")() + student.get("after")() == "beforeafter"
    assert {note.unit for note in submission.loaded.problems} <= {1}


@once
def test_very_long_lines_are_ordinary_lines(hand_in: HandIn) -> None:
    source = f"numbers = [{'1, ' * 200_000}]\ntext = '{'x' * 500_000}'\ndef lengths(): return len(numbers), len(text)"
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("lengths")() == (200_000, 500_000)
    assert submission.loaded.problems == ()


def test_long_messages_of_many_statements_do_not_keep_a_submission_from_being_loaded(hand_in: HandIn) -> None:
    source = "".join(f"raise ValueError('\u00e9{'x' * 900}')\n" for _ in range(40)) + "def f(): return 2\n"
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("f")() == 2
