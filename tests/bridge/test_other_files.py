"""The student's other files can be imported, and what goes wrong in them is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentError
from tests.bridge.loading import BEFORE, loaded_around

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


def test_the_students_other_files_can_be_imported(hand_in: HandIn) -> None:
    modules = {"helpers": "def one(): return 1", "more": "from helpers import one\ndef two(): return one() + 1"}
    source = "import helpers\nfrom more import two as zwei\ndef f(): return helpers.one(), zwei()"
    submission = hand_in(source, modules=modules)
    with submission.test() as student:
        assert student.get("f")() == (1, 2)
    assert submission.loaded.missing_packages == ()


def test_the_students_other_files_may_import_each_other(hand_in: HandIn) -> None:
    modules = {"a": "import b\none = 1\ndef f(): return b.two()", "b": "import a\ndef two(): return a.one + 1"}
    with hand_in("from a import f", modules=modules).test() as student:
        assert student.get("f")() == 2


def test_a_file_that_fails_is_noted_where_it_is_imported(hand_in: HandIn) -> None:
    submission = hand_in(f"{BEFORE}\nimport helpers", modules={"helpers": "1 / 0"})
    with submission.test() as student:
        assert student.get("before")() == "before"
    (note,) = submission.loaded.problems
    assert (note.line, note.error) == (2, "ZeroDivisionError")


def test_a_file_that_does_not_compile_is_noted_where_it_is_imported(hand_in: HandIn) -> None:
    (note,) = hand_in("import helpers", modules={"helpers": "if x"}).loaded.problems
    assert (note.kind, note.line, note.error) == ("failed", 1, "SyntaxError")


def test_the_line_of_an_exception_in_another_file_is_told(hand_in: HandIn) -> None:
    with hand_in("from helpers import f", modules={"helpers": "def f():\n    return 1 / 0"}).test() as student:
        with pytest.raises(ZeroDivisionError) as caught:
            student.get("f")()
        assert isinstance(caught.value, StudentError)
        assert (caught.value.raised.unit, caught.value.raised.line) == ("helpers.py", 2)


def test_nothing_of_the_kit_is_among_the_modules(hand_in: HandIn) -> None:
    trouble = "import sys\nassert not [name for name in sys.modules if 'autograder' in name]"
    assert loaded_around(hand_in, trouble).problems == ()
