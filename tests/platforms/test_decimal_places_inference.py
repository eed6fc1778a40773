"""Where a platform shows fewer decimals than the kit writes, the kit's marks are its own, and people's are theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from autograder.platforms import ExportOptions, ExportResult, require_platform
from autograder.platforms.common.decimal_places_inference import cell_matches_mark, infer_shown_decimals
from autograder.platforms.common.plugin_calls import export_class
from autograder.store.last_exported_value import LastExportedValue, WrittenKey
from autograder.submissions import Person, SubmissionOrigin
from tests.platforms import moodle_class
from tests.platforms.classes import a_class, kept_of, result
from tests.platforms.moodle_class import GRADE, cells, with_cells
from tests.platforms.moodle_sheets import EMPTY, EVERYBODY

Written = dict[WrittenKey, LastExportedValue]
CLASS = range(len(EVERYBODY))
HEADER = "OrgDefinedId,Username,HW1 Points Grade <Numeric MaxPoints:20>,End-of-Line Indicator\r\n"


def moodle(
    points: Sequence[Decimal], there: Sequence[str] | None = None, written: Written | None = None
) -> ExportResult:
    numbers = [row[0].split()[-1] for row in cells(EMPTY)]
    marks = dict(zip((name.rpartition("_")[2] for name in EVERYBODY), there or [], strict=False))
    sheet = with_cells(EMPTY, {(numbers.index(number), GRADE): mark for number, mark in marks.items()})
    rows = [moodle_class.result(name, float(one)) for name, one in zip(EVERYBODY, points, strict=True)]
    return moodle_class.export(sheet, *rows, written=written or {})


def brightspace(
    points: Sequence[Decimal], there: Sequence[str] | None = None, written: Written | None = None
) -> ExportResult:
    lines = [f"#{one},#s{one},{(there or [''] * len(points))[one]},#\r\n" for one in CLASS]
    options = ExportOptions((HEADER + "".join(lines)).encode(), "t.csv", written=written or {})
    rows = [
        result(f"s{one}", float(points[one]), SubmissionOrigin("", (Person(f"s{one}", login=f"s{one}"),)))
        for one in CLASS
    ]
    return export_class(require_platform("brightspace"), a_class(*rows), options)


def shown(mark: Decimal, decimals: int, *, zeros: bool = True, rounding: str = ROUND_HALF_UP) -> str:
    """A mark as a platform shows it that rounds."""
    text = f"{mark.quantize(Decimal(1).scaleb(-decimals), rounding):f}"
    return text if zeros or "." not in text else text.rstrip("0").rstrip(".")


MARKS = st.lists(
    st.integers(300, 1900).map(lambda one: Decimal(one).scaleb(-2)), min_size=len(CLASS), max_size=len(CLASS)
)


@pytest.mark.thorough_where(write=moodle)
@pytest.mark.parametrize("write", [moodle, brightspace])
@pytest.mark.parametrize("rounding", [ROUND_HALF_UP, pytest.param(ROUND_HALF_EVEN, marks=pytest.mark.thorough)])
@given(MARKS, st.integers(0, 2), st.integers(0, len(CLASS) - 1))
@example([Decimal("15.75")] * len(CLASS), 0, 0)
@example([Decimal("15.75")] * len(CLASS), 1, 0)
@example([Decimal("16")] * len(CLASS), 0, 0)
def test_the_kits_rounded_marks_are_its_own_and_another_is_a_persons(
    write: Callable[..., ExportResult], rounding: str, points: list[Decimal], decimals: int, changed: int
) -> None:
    there = [shown(one, decimals, zeros=write is moodle, rounding=rounding) for one in points]
    finer = sum(Decimal(cell) != one for cell, one in zip(there, points, strict=True))
    assume(finer == 0 or finer >= 3)  # fewer are no proof that the platform rounds
    assume(any("." in cell for cell in there) or decimals == 0)
    there[changed] = shown(points[changed] + (1 if points[changed] < 10 else -1), decimals, zeros=write is moodle)
    first = write(points)
    again = write(points, there, kept_of(first))
    assert [bool(one.wanted) for one in again.changes] == [place == changed for place in order(again)]
    assert not any(one.has_new_value for one in again.changes)
    lowered = write([one - Decimal("1.5") for one in points], there, kept_of(first))
    assert [one.has_new_value for one in lowered.changes] == [place != changed for place in order(lowered)]


def order(made: ExportResult) -> list[int]:
    """The places in the class of an export's changes, in their order."""
    places = {name.rpartition("_")[2]: place for place, name in enumerate(EVERYBODY)}
    names = [one.id or one.student for one in made.changes]
    return [int(name[1:]) if name.startswith("s") else places[name] for name in names]


@pytest.mark.parametrize("there", ["16", "15.8"])
def test_one_rounded_mark_alone_is_a_persons(there: str) -> None:
    made = brightspace([Decimal("15.75")] + [Decimal(10)] * 4)
    again = brightspace([Decimal("14")] + [Decimal(10)] * 4, [there, *["10"] * 4], kept_of(made))
    assert again.changes[0].wanted == "14"


def test_a_column_that_shows_hundredths_anywhere_rounds_nothing() -> None:
    ours = [("16", "15.75"), ("12", "12.25"), ("8", "7.75")]
    assert infer_shown_decimals([*(cell for cell, _ in ours), "-", ""], ours) == 0
    assert infer_shown_decimals([*(cell for cell, _ in ours), "11.50"], ours) == 2
    assert infer_shown_decimals([*(cell for cell, _ in ours), "11.5"], ours) == 2
    assert infer_shown_decimals([], []) == 2


@given(st.text(max_size=20), st.text(max_size=20))
@example("1e999999", "1e-999999")
@example("9e999999", "-9e999999")
def test_any_cell_may_stand_there(cell: str, mark: str) -> None:
    assert 0 <= infer_shown_decimals([cell, mark], [(cell, mark), (mark, cell)]) <= 2
    assert cell_matches_mark(cell, mark, 0) in (True, False)
