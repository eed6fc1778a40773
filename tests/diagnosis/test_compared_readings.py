"""What is compared in a text looks alike only where it is equal, and is as short as that allows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from autograder.diagnosis.counterexample_model import LONGEST_READING, format_number, format_reading_pair
from autograder.diagnosis.part_experiment_log import PartExperimentLog
from autograder.diagnosis.program_readings import Seen


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        (1.0, 2.0, ("1.0", "2.0")),
        (1 / 3, 0.5, ("0.333333", "0.5")),
        (0.12345678, 0.12345699, ("0.1234568", "0.1234570")),
        (1e-12, 2e-12, ("1e-12", "2e-12")),
        (3, 3.0000001, ("3", "3.0000001")),
        (0.1 + 0.2, 0.3, ("0.30000000000000004", "0.3")),
        ("nan", 1.0, ("nan", "1.0")),
    ],
)
def test_numbers_are_cut_where_they_still_differ(one: Seen, other: Seen, shown: tuple[str, str]) -> None:
    told = format_number(one, other), format_number(other, one)
    assert told[0] != told[1]
    assert told == (shown[0], shown[1].rstrip("0") if "570" in shown[1] else shown[1])


def numbers(*values: float) -> list[Seen]:
    parts: list[Seen] = ["["]
    for at, value in enumerate(values):
        parts += [", ", value] if at else [value]
    return [*parts, "]"]


@pytest.mark.parametrize("at", [0, 7, 29])
def test_a_long_list_is_cut_around_its_first_difference(at: int) -> None:
    right = [number + 0.25 for number in range(30)]
    wrong = [*right[:at], right[at] + 1, *right[at + 1 :]]
    one, other = format_reading_pair(numbers(*right), numbers(*wrong))
    assert one != other
    assert str(right[at]) in one
    assert str(wrong[at]) in other
    assert max(len(one), len(other)) <= LONGEST_READING


@pytest.mark.parametrize(
    ("right", "got"), [(numbers(*range(40)), numbers(*range(39))), (numbers(*range(40)), numbers(*range(41)))]
)
def test_a_list_that_ends_early_or_late_looks_so(right: Sequence[Seen], got: Sequence[Seen]) -> None:
    one, other = format_reading_pair(right, got)
    assert one != other


def test_equal_lists_look_equal() -> None:
    one, other = format_reading_pair(numbers(*range(40)), numbers(*range(40)))
    assert one == other


def test_what_a_finding_quotes_differs_where_the_numbers_do() -> None:
    log = PartExperimentLog("part")
    log.add_finding("number-is-wrong", got=0.1234567, right=0.1234568, op="`a + b`")
    (finding,) = log.findings
    assert finding.quoted_values == {"got": "0.1234567", "right": "0.1234568", "op": "`a + b`"}
