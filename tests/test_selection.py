"""Files that are begun first, and tests that ``make quick`` tries although they are in one of those, are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.selection import LONG, REAL, is_left_out, is_quick

TESTS = Path(__file__).parent
ROOMS = sorted({path.parent.name for path in TESTS.glob("*/test_*.py")})


def test_files_that_take_long_are_there() -> None:
    assert [name for name in LONG if not (TESTS / name).is_file()] == []


@pytest.mark.parametrize("name", REAL)
def test_a_test_of_a_real_thing_is_in_a_file_that_takes_long(name: str) -> None:
    file, _, test = name.partition("::")
    assert file in LONG
    assert f"def {test}" in (TESTS / file).read_text(encoding="utf-8")


def test_quick_tries_the_first_case_of_a_test_and_one_with_postgresql() -> None:
    seen: set[str] = set()
    names = ("a.py::test[1]", "a.py::test[2]", "a.py::test[postgresql]", f"{LONG[0]}::test", f"{REAL[0]}[1]")
    assert [is_quick(f"tests/{name}", seen) for name in names] == [True, False, True, False, True]


def test_quick_imports_no_file_of_which_it_tries_nothing() -> None:
    real, *_ = REAL[0].split("::")
    untried = next(file for file in LONG if not any(test.startswith(file) for test in REAL))
    assert [is_left_out(file) for file in (untried, real, "test_selection.py")] == [True, False, False]


@pytest.mark.parametrize("room", ROOMS)
def test_quick_tries_something_of_every_room(room: str) -> None:
    files = [path.relative_to(TESTS).as_posix() for path in TESTS.glob(f"{room}/test_*.py")]
    assert not all(map(is_left_out, files))
