"""Marks and comments that people set on a platform stay, also where it shows fewer decimals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from autograder.platforms import ExportChange, ExportOptions, ExportResult, require_platform
from autograder.platforms.canvas.gradebook import FILE_NAME
from autograder.platforms.common.installed_platforms import export_class
from autograder.platforms.common.manual_mark_protection import (
    cell_matches_mark,
    infer_shown_decimals,
    is_lower_mark,
    is_same_mark_or_comment,
    protect_manual_entries,
)
from autograder.store.audit import LastExportedValue, WrittenKey
from autograder.submissions import Person, SubmissionOrigin
from tests.platforms import moodle_class
from tests.platforms.canvas_class import of_canvas
from tests.platforms.classes import EVERYBODYS, a_class, kept_of, result
from tests.platforms.moodle_class import COMMENT, GRADE, cells, grades, with_cells
from tests.platforms.moodle_sheets import ADA, BOB, EMPTY, EVERYBODY
from tests.platforms.school import SCHOOL

# ------------------------------------------------------------------ decisions


FIRST = LastExportedValue("", "15.8", "monday")


def mark(before: str, after: str = "18", what: str = "mark", seen: str = "") -> ExportChange:
    assert what in ("mark", "comment")
    return ExportChange("Ada (2)", before, after, id="2", submission="ada", what=what, seen=seen)  # type: ignore[arg-type]


def kept(change: ExportChange, last: LastExportedValue | None = None, overwrite: str = "", state: str = "") -> bool:
    """Whether a change is kept back."""
    written: dict[WrittenKey, LastExportedValue] = {(change.what, change.place, "2"): last} if last else {}
    given = ExportOptions(written=written, overwrite=frozenset({overwrite} - {""}), sheet_state=state)
    made = protect_manual_entries(change, given)
    assert bool(made.wanted) == (made.after == made.before != change.after)
    return bool(made.wanted)


# The rule


def test_a_mark_that_the_kit_wrote_last_is_its_own() -> None:
    assert not kept(mark("15.8"), FIRST)


@pytest.mark.parametrize("there", ["15.80", "15,8", "15.80000", " 15.8 ", "15.801"])
def test_marks_are_compared_as_the_platform_rounds_and_writes_them(there: str) -> None:
    assert not kept(mark(there), FIRST)


@pytest.mark.parametrize("there", ["20", "12", "15.81", "0", "B+"])
def test_another_mark_is_a_persons_whether_it_is_higher_or_lower(there: str) -> None:
    assert kept(mark(there), FIRST)


def test_a_mark_of_which_nothing_is_known_is_a_persons() -> None:
    assert kept(mark("15.8"))


def test_where_no_mark_is_there_is_no_decision() -> None:
    assert not kept(mark(""))
    assert not kept(mark(" "), FIRST)  # the file that the kit wrote may never have been uploaded


def test_a_mark_that_was_taken_away_after_the_platform_had_it_stays_away() -> None:
    assert kept(mark(""), LastExportedValue("", "15.8", was_confirmed=True))


def test_an_earlier_mark_of_the_kits_that_somebody_restored_is_a_persons() -> None:
    assert kept(mark("15.8", seen="tuesday"), LastExportedValue("15.8", "12", "monday"))


def test_a_table_in_which_nothing_changed_since_may_be_filled_in_again() -> None:
    assert not kept(mark("15.8", seen="monday"), LastExportedValue("15.8", "12", "monday"))
    assert not kept(mark("15.8"), LastExportedValue("15.8", "12", "digest 1"), state="digest 1")
    assert kept(mark("15.8"), LastExportedValue("15.8", "12", "digest 1"), state="digest 2")
    assert kept(mark("15.8"), LastExportedValue("15.8", "12"))


def test_a_persons_mark_that_was_replaced_once_is_not_replaced_again_unasked() -> None:
    assert kept(mark("20", seen="monday"), LastExportedValue("20", "12", "monday", overwrote_decision=True))


@pytest.mark.parametrize("name", ["all", "2", "ada", "ADA", "Ada (2)"])
def test_staff_may_say_whose_decisions_are_replaced(name: str) -> None:
    assert not kept(mark("20"), overwrite=name)
    made = protect_manual_entries(mark("20"), ExportOptions(overwrite=frozenset({name})))
    assert made.overwrites


def test_nobody_elses_decision_is_replaced_along_with_it() -> None:
    assert kept(mark("20"), overwrite="bob")


def test_a_kept_mark_says_what_would_have_been_written() -> None:
    made = protect_manual_entries(mark("20"), ExportOptions(written={("mark", "", "2"): FIRST}))
    assert (made.before, made.after, made.wanted) == ("20", "20", "18")
    assert made.note == "set by a person (the last export wrote 15.8) and kept; the results say 18"


def test_a_mark_in_another_column_is_no_record_of_this_one() -> None:
    given = ExportOptions(written={("mark", "4711", "2"): FIRST})
    assert protect_manual_entries(mark("15.8"), given).wanted


@pytest.mark.parametrize(("there", "is_ours"), [("a < b\nc", True), ("a &lt; b c", True), ("a < b c!", False)])
def test_comments_are_compared_by_their_words(there: str, is_ours: bool) -> None:
    assert kept(mark(there, "d", "comment"), LastExportedValue("", "a &lt; b c")) != is_ours


def test_numbers_are_compared_as_numbers_and_words_as_words() -> None:
    assert is_same_mark_or_comment("mark", "EX", " EX ")
    assert not is_same_mark_or_comment("mark", "nan", "1")
    assert not is_same_mark_or_comment("mark", "9e999999", "1")
    assert is_lower_mark("9", "10,5")
    assert not is_lower_mark("9", "B+")


# Every writer that reads a table

LOGIN = SubmissionOrigin("", (Person("ada", "Ada Lovelace", "", "ada"),))
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,HW1 (4711)\n    Points Possible,,,,,20.00\nLovelace,11,,ada,XC,{}\n"
)
BLACKBOARD = '"Last Name","Username","HW1 [Total Pts: 20 Score] |1234"\r\n"Lovelace","ada","{}"\r\n'
BRIGHTSPACE = (
    "OrgDefinedId,Username,HW1 Points Grade <Numeric MaxPoints:20>,End-of-Line Indicator\r\n#1,#ada,{},#\r\n"
)
NBGRADER = (
    "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,late_submission_penalty,score,"
    "max_score\nhw1,,,ada,L,A,,{0},0.0,{0},20.0\n"
)
TABLES: dict[str, tuple[str, SubmissionOrigin, str, Callable[[ExportResult], bytes]]] = {
    "canvas": (CANVAS, of_canvas("adal_11_67890_value.py"), "XC,{}\n", lambda made: made.files[FILE_NAME]),
    "blackboard": (BLACKBOARD, LOGIN, '"ada","{}"\r\n', lambda made: made.files["t.csv"]),
    "brightspace": (BRIGHTSPACE, LOGIN, "#ada,{},#\r\n", lambda made: made.files["grades.csv"]),
    "nbgrader": (NBGRADER, LOGIN, ",0.0,{},20.0\n", lambda made: made.files["grades.csv"]),
    "school": ("id,points\nada,{}\n", LOGIN, "ada,{}\n", lambda made: made.files["points.csv"]),
}


def export_one_mark(
    name: str,
    there: str,
    points: float,
    written: Mapping[WrittenKey, LastExportedValue] | None = None,
    overwrite: frozenset[str] = frozenset(),
) -> ExportResult:
    sheet, origin, _, _ = TABLES[name]
    platform = SCHOOL if name == "school" else require_platform(name)
    given = ExportOptions(sheet.format(there).encode(), "t.csv", written=written or {}, overwrite=overwrite)
    return export_class(platform, a_class(result("ada", points, origin)), given)


def number(made: ExportResult) -> str:
    return made.changes[0].after


@pytest.mark.parametrize("name", TABLES)
def test_an_appeal_that_was_granted_is_not_lowered_again(name: str) -> None:
    first = export_one_mark(name, "", 15.75)
    made = export_one_mark(name, "20", 15.75, kept_of(first))
    _, _, row, table = TABLES[name]
    assert made.changes[0].wanted == number(first)
    assert table(made).endswith(row.format("20").encode()) or b"15.75" not in table(made)
    assert not made.changes[0].has_new_value


@pytest.mark.parametrize("name", TABLES)
def test_the_kits_own_mark_is_replaced_by_a_new_one(name: str) -> None:
    first = export_one_mark(name, "", 15.75)
    again = export_one_mark(name, number(first), 12.5, kept_of(first))
    _, _, _, table = TABLES[name]
    assert not again.changes[0].wanted
    assert b"12.5" in table(again)


@pytest.mark.parametrize("name", TABLES)
def test_a_mark_that_stands_there_already_is_not_touched_by_a_first_export(name: str) -> None:
    made = export_one_mark(name, "20", 15.75)
    assert made.changes[0].wanted
    assert b"15.75" not in TABLES[name][3](made)


@pytest.mark.parametrize("name", TABLES)
def test_a_flag_replaces_it_in_every_table(name: str) -> None:
    made = export_one_mark(name, "20", 15.75, overwrite=EVERYBODYS)
    assert made.changes[0].overwrites
    assert b"15.75" in TABLES[name][3](made)


def test_what_nbgrader_writes_for_no_mark_is_no_decision() -> None:
    assert not export_one_mark("nbgrader", "0.0", 15.75).changes[0].wanted


def test_what_blackboard_writes_where_nobody_graded_is_no_decision() -> None:
    assert not export_one_mark("blackboard", "Needs Grading", 15.75).changes[0].wanted


# Moodle, which has a comment beside the mark


def test_moodle_keeps_a_persons_mark_and_says_nothing_beside_it() -> None:
    first = moodle_class.export(EMPTY, moodle_class.result(ADA, 0), moodle_class.result(BOB, 3))
    changed = with_cells(first.files["worksheet.csv"], {(1, GRADE): "17.50", (1, COMMENT): "Well argued."})
    made = moodle_class.export(
        changed, moodle_class.result(ADA, 0), moodle_class.result(BOB, 4), written=kept_of(first)
    )
    assert grades(made).get("2") is None  # the row is left out: Moodle keeps what it has, formatting and all
    assert grades(made)["4"] == "4"
    assert [change.wanted for change in made.changes] == ["0", ""]
    assert [change.student for change in made.comments] == ["Bob Builder (4)"]


def test_moodle_leaves_out_a_new_mark_beside_words_that_a_teacher_put_behind_the_kits() -> None:
    first = moodle_class.export(EMPTY, moodle_class.result(ADA, 3))
    there = cells(first.files["worksheet.csv"])[1][COMMENT]
    changed = with_cells(first.files["worksheet.csv"], {(1, COMMENT): f"{there} But see me."})
    made = moodle_class.export(changed, moodle_class.result(ADA, 4), written=kept_of(first))
    assert "2" not in grades(made)  # Moodle would take the words back without their formatting
    assert made.comments[0].wanted
    (mark_,) = made.changes
    assert not mark_.has_new_value
    assert mark_.note == "kept because of a person's comment; the results say 4"
    (told,) = (note for note in made.notes if "into plain text" in note)
    assert told.endswith("replace both with --overwrite STUDENT: Ada Lovelace (2)")
    replaced = moodle_class.export(
        changed, moodle_class.result(ADA, 4), written=kept_of(first), overwrite=frozenset({"2"})
    )
    assert grades(replaced)["2"] == "4"
    assert not grades(replaced, COMMENT)["2"].endswith("But see me.")


def test_moodle_leaves_out_a_first_mark_beside_a_comment_that_a_teacher_wrote_before() -> None:
    sheet = with_cells(EMPTY, {(1, COMMENT): "Get well soon."})
    made = moodle_class.export(sheet, moodle_class.result(ADA, 3), moodle_class.result(BOB, 3))
    assert "2" not in grades(made)
    assert grades(made)["4"] == "3"
    replaced = moodle_class.export(sheet, moodle_class.result(ADA, 3), overwrite=frozenset({"2"}))
    assert grades(replaced)["2"] == "3"


def test_moodle_s_skipping_of_grades_that_were_overridden_meanwhile_is_said_where_a_comment_is_written() -> None:
    first = moodle_class.export(EMPTY, moodle_class.result(ADA, 3))
    assert sum("overridden or locked since then" in note for note in first.notes) == 1
    again = moodle_class.export(first.files["worksheet.csv"], moodle_class.result(ADA, 3))
    assert not any("overridden" in note for note in again.notes)


def test_moodle_leaves_out_a_row_in_which_only_a_persons_comment_differs() -> None:
    first = moodle_class.export(EMPTY, moodle_class.result(ADA, 3))
    changed = with_cells(first.files["worksheet.csv"], {(1, COMMENT): "See me."})
    made = moodle_class.export(changed, moodle_class.result(ADA, 3), written=kept_of(first))
    assert "2" not in grades(made)


def test_moodle_s_date_tells_an_export_that_was_never_uploaded_from_a_mark_that_was_restored() -> None:
    monday = {(1, GRADE): "10", (1, 9): "Monday, 23 November 2026, 10:00 AM"}
    sheet = with_cells(EMPTY, monday)
    own = {("mark", "", "2"): LastExportedValue("", "10")}
    second = moodle_class.export(sheet, moodle_class.result(ADA, 12), written=own)
    assert kept_of(second)["mark", "", "2"].before == "10"
    assert not moodle_class.export(sheet, moodle_class.result(ADA, 13), written=kept_of(second)).changes[0].wanted
    restored = with_cells(sheet, {(1, 9): "Tuesday, 24 November 2026, 10:00 AM"})
    assert moodle_class.export(restored, moodle_class.result(ADA, 13), written=kept_of(second)).changes[0].wanted


# ------------------------------------------------------------------ decimal places inference


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
@example([Decimal("15.5"), Decimal("3"), Decimal("3"), Decimal("3.01"), Decimal("3.01")], 0, 0)
def test_the_kits_rounded_marks_are_its_own_and_another_is_a_persons(
    write: Callable[..., ExportResult], rounding: str, points: list[Decimal], decimals: int, changed: int
) -> None:
    there = [shown(one, decimals, zeros=write is moodle, rounding=rounding) for one in points]
    finer = sum(Decimal(cell) != one for cell, one in zip(there, points, strict=True))
    assume(finer == 0 or finer >= 3)  # fewer are no proof that the platform rounds
    assume(any("." in cell for cell in there) or decimals == 0)
    there[changed] = shown(points[changed] + (2 if points[changed] < 10 else -2), decimals, zeros=write is moodle)
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
