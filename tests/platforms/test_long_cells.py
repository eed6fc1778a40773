"""A cell of a platform's table is read in time that grows with its length, whatever fills it."""

from __future__ import annotations

import pytest

from autograder.platforms.gradescope.reader import SPACE_BEFORE_ZONE, UTC_BY_NAME
from autograder.platforms.moodle.worksheet_column_detection import NUMBERED
from tests.machine import cost_of

LENGTH = 100_000


def test_a_moment_of_blanks_is_read_in_no_time() -> None:
    text = " " * LENGTH + "x"
    assert SPACE_BEFORE_ZONE.sub("", UTC_BY_NAME.sub("Z", text)) == text
    assert cost_of(lambda: SPACE_BEFORE_ZONE.sub("", UTC_BY_NAME.sub("Z", text))) < 32


def test_a_participant_of_digits_is_read_in_no_time() -> None:
    assert NUMBERED.fullmatch("1" * LENGTH + "x") is None
    assert cost_of(lambda: NUMBERED.fullmatch("1" * LENGTH + "x")) < 32


@pytest.mark.parametrize("cell", ["Participant 7", "7", "Teilnehmer/in 12 ", "2nd participant 30"])
def test_the_last_number_of_a_cell_is_the_participants(cell: str) -> None:
    match = NUMBERED.fullmatch(cell)
    assert match
    assert match[2] == cell.split()[-1]
