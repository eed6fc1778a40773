"""Moodle's worksheet: the right grade for the right student, and no other byte."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.diagnosis import Cause, Suspect
from autograder.faults import CallerFault
from autograder.platforms import Given, Results
from autograder.platforms.moodle import platform
from autograder.platforms.sheet import Sheet
from autograder.reports.model import LatenessPart
from autograder.submissions import Origin, Person
from tests.platforms.moodle_class import (
    COMMENT,
    FLAG,
    GOLDEN,
    GRADE,
    MAXIMUM,
    REPORTS,
    cells,
    export,
    grades,
    pages,
    result,
    with_cells,
)

PLAIN = (GOLDEN / "plain_worksheet.csv").read_bytes()
BLIND = (GOLDEN / "blind_worksheet.csv").read_bytes()
EMPTY = with_cells(PLAIN, {(row, column): "" for row in range(1, 7) for column in (GRADE, COMMENT)})
"""The worksheet before anybody was graded."""
ADA, BOB, JOSE, LI, BERG = (
    "Ada Lovelace_2",
    "Bob Builder_4",
    "José María Ñandú-OBrien_6",
    "小龙 李_1",
    "A b 12 van der Berg, Jr._5",
)
EVERYBODY = (ADA, BOB, JOSE, LI, BERG)
GERMAN = """\
Identifikator;Vollständiger Name;E-Mail-Adresse;Status;Bewertung;Höchstwertung;Bewertung kann geändert werden;\
Zuletzt geändert (Abgabe);Zuletzt geändert (Bewertung);Feedback als Kommentar
Teilnehmer/in 7;Jörg Müller;joerg@example.de;Zur Bewertung abgegeben;;20,00;Ja;\
Freitag, 20. November 2026, 14:18;-;
Teilnehmer/in 8;Änne Öz;aenne@example.de;Zur Bewertung abgegeben - Bewertet;12,50;20,00;Ja;\
Freitag, 20. November 2026, 14:18;Freitag, 20. November 2026, 15:18;gut
""".encode()


# ------------------------------------------------------------------ real worksheets


def test_the_worksheet_that_a_real_moodle_took_is_written_cell_for_cell() -> None:
    golden = (GOLDEN / "upload_worksheet.csv").read_bytes()
    bare = with_cells(golden, {(row, column): "" for row in range(1, 7) for column in (GRADE, COMMENT)})
    points = dict(zip(EVERYBODY, (17.5, 20, 0, 21, 12.5), strict=True))
    made = export(bare, *(result(name, value) for name, value in points.items()))
    wanted = [list(row[:COMMENT]) for row in cells(golden)]
    assert wanted[4][GRADE] == "21"  # Moodle skipped it
    assert wanted[5][GRADE] == "12,5"  # Moodle read 12
    wanted[4][GRADE], wanted[5][GRADE] = "20", "12.5"
    assert [list(row[:COMMENT]) for row in cells(made.files["worksheet.csv"])] == wanted


def test_scores_are_scaled_to_what_moodle_calls_full_marks() -> None:
    made = export(EMPTY, result(ADA, 87.5), result(BOB, 33.33), max_points=100)
    assert grades(made) == {"1": "", "2": "17.5", "3": "", "4": "6.67", "5": "", "6": ""}


def test_nobody_gets_more_than_full_marks_because_moodle_would_skip_the_grade() -> None:
    made = export(EMPTY, result(ADA, 22), result(BOB, 20))
    assert (grades(made)["2"], grades(made)["4"]) == ("20", "20")
    assert any(note.startswith("1 had more than full marks") for note in made.notes)


def test_a_grade_that_stays_is_not_touched() -> None:
    made = export(PLAIN, result(ADA, 17.5), result(BOB, 19))
    assert Sheet(made.files["worksheet.csv"], "").raw(1) == Sheet(PLAIN, "").raw(1)
    assert [(one.before, one.after) for one in made.changes] == [("17.50", "17.50"), ("20.00", "19")]


def test_the_minimal_sheet_that_a_real_moodle_took_needs_full_marks_from_the_caller() -> None:
    sheet = with_cells((GOLDEN / "upload_minimal.csv").read_bytes(), {(1, 1): "", (1, 3): ""})
    made = export(sheet, result(ADA, 19), full=20, match="number")
    assert cells(made.files["worksheet.csv"])[1][:2] == ("Participant 2", "19")
    with pytest.raises(CallerFault, match="--max-score"):
        export(sheet, result(ADA, 19), match="number")


def test_hidden_names_are_matched_by_number() -> None:
    made = export(BLIND, result("Participant_7", 5), result("Participant_11", 10))
    assert {row[0]: row[2] for row in cells(made.files["worksheet.csv"])[1:3]} == {
        "Participant 11": "10",
        "Participant 7": "5",
    }
    assert list(pages(made)) == [
        "Participant_11_assignfeedback_file/feedback.html",
        "Participant_7_assignfeedback_file/feedback.html",
    ]
    assert made.unmatched == ()


def test_who_was_not_graded_is_missing() -> None:
    assert export(PLAIN, *(result(name, 1) for name in EVERYBODY)).missing == ("No Submission (3)",)


@given(
    st.dictionaries(st.sampled_from(EVERYBODY), st.floats(0, 25), max_size=5),
    st.sampled_from([PLAIN, EMPTY, (GOLDEN / "upload_worksheet.csv").read_bytes()]),
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from(["", "replace"]),
)
def test_all_but_grades_and_comments_stays_byte_for_byte(
    points: dict[str, float], sheet: bytes, end: bytes, comments: str
) -> None:
    sheet = sheet.replace(b"\n", end)
    made = export(sheet, *(result(name, value) for name, value in points.items()), comments=comments)
    before, after = Sheet(sheet, "before"), Sheet(made.files["worksheet.csv"], "after")
    numbers = {name.rpartition("_")[2] for name in points}
    for place, row in enumerate(before.rows):
        mine = row.cells[0].split()[-1] in numbers
        for column, cell in enumerate(before.raw(place)):
            if not (mine and column in (GRADE, COMMENT)):
                assert after.raw(place)[column] == cell
    kept = {(row, column): before.rows[row].cells[column] for row in range(1, 7) for column in (GRADE, COMMENT)}
    assert cells(with_cells(bytes(after), kept)) == cells(sheet)
    assert bytes(after).count(end) == sheet.count(end)
    assert bytes(after)[:3] == sheet[:3]


# ------------------------------------------------------------------ other languages, other columns


def test_a_german_worksheet_gets_a_comma_and_keeps_its_semicolons() -> None:
    made = export(GERMAN, result("Jörg Müller_7", 12.5), result("Änne Öz_8", 10))
    rows = cells(made.files["worksheet.csv"])
    assert (rows[1][4], rows[2][4]) == ("12,5", "10")
    assert rows[1][9].startswith("Autograder: 12,5 of 20 points.")
    assert made.files["worksheet.csv"].startswith(GERMAN.partition(b"\n")[0])


@pytest.mark.parametrize(
    ("full", "before", "after"),
    [("20.00", "12,5", "7.25"), ("20,00", "", "7,25"), ("20", "12,5", "7,25"), ("20", "12", "7.25")],
)
def test_a_comma_is_written_where_moodle_reads_one(full: str, before: str, after: str) -> None:
    sheet = with_cells(EMPTY, {(row, MAXIMUM): full for row in range(1, 7)} | {(1, GRADE): before})
    assert grades(export(sheet, result(ADA, 7.25)))["2"] == after


def test_dates_that_moodle_does_not_read_back_are_told_where_a_grade_would_be_skipped() -> None:
    new, changed = result("Jörg Müller_7", 1), result("Änne Öz_8", 10)
    assert not any("Allow updating" in note for note in export(GERMAN, new).notes)
    assert any("Allow updating" in note for note in export(GERMAN, changed).notes)
    assert not any("Allow updating" in note for note in export(PLAIN, result(ADA, 3)).notes)
    undated = with_cells(PLAIN, {(1, 9): "-"})
    assert any("Allow updating" in note for note in export(undated, result(ADA, 3)).notes)
    assert not any("Allow updating" in note for note in export(undated, result(ADA, 17.5)).notes)
    only_a_comment = with_cells(EMPTY, {(1, 9): "Freitag, 20. November 2026, 14:19"})
    assert any("Allow updating" in note for note in export(only_a_comment, result(ADA, 3)).notes)


@pytest.mark.parametrize("header", ["ÐŸ,姓名,البريد,a,b,c,d,e,f,g,h", "x,x,x,x,x,x,x,x,x,x,x", ",,,,,,,,,,"])
def test_headers_may_be_in_any_language(header: str) -> None:
    sheet = header.encode() + b"\n" + EMPTY.partition(b"\n")[2]
    made = export(sheet, result(ADA, 7), result(LI, 8))
    assert (grades(made)["2"], grades(made)["1"]) == ("7", "8")
    assert grades(made, COMMENT)["2"].startswith("Autograder: 7 of 20 points.")


def wider(sheet: bytes, place: int, title: str, values: list[str]) -> bytes:
    """A worksheet with one more column."""
    rows = [
        [*row.cells[:place], value, *row.cells[place:]]
        for row, value in zip(Sheet(sheet, "").rows, [title, *values], strict=True)
    ]
    empty = b"".join(b"," * (len(row) - 1) + b"\n" for row in rows)
    return with_cells(
        empty, {(row, column): cell for row, found in enumerate(rows) for column, cell in enumerate(found)}
    )


@pytest.mark.parametrize(
    ("place", "title", "values"),
    [
        (3, "ID number", ["7", "7", "7", "7", "7", "7"]),
        (3, "ID number", ["S-1", "S-2", "S-3", "S-4", "S-5", ""]),
        (4, "Group", ["Red", "Red", "Blue", "Blue", "Blue", "Blue"]),
        (6, "Marking workflow state", ["Not marked"] * 6),
        (8, "Word count", ["10", "20", "30", "40", "50", "60"]),
        (11, "Outcomes", ["Good: 1"] * 6),
    ],
)
def test_columns_that_a_site_adds_do_not_mislead(place: int, title: str, values: list[str]) -> None:
    sheet = wider(EMPTY, place, title, values)
    made = export(sheet, result(ADA, 7))
    assert grades(made, GRADE + (place <= GRADE))["2"] == "7"
    assert grades(made, COMMENT + (place <= COMMENT))["2"].startswith("Autograder:")
    assert (
        sum(one != other for one, other in zip(cells(sheet)[1], cells(made.files["worksheet.csv"])[1], strict=True))
        == 2
    )


@pytest.mark.parametrize("numbers", ["777777", "123456"])
def test_a_column_that_looks_like_full_marks_beside_an_empty_one_does_not_mislead(numbers: str) -> None:
    without_mail = with_cells(EMPTY, {(row, 2): "" for row in range(1, 7)})
    sheet = wider(without_mail, 3, "Kennzahl", [*numbers])
    assert grades(export(sheet, result(ADA, 7)), GRADE + 1)["2"] == "7"


def test_a_scale_is_not_rescued_by_numbers_of_students() -> None:
    changed = {(row, MAXIMUM): "Poor\nGood" for row in range(1, 7)} | {(row, 2): "" for row in range(1, 7)}
    sheet = wider(with_cells(EMPTY, {**changed, (0, GRADE): "Bewertung"}), 3, "Kennzahl", [*"123456"])
    with pytest.raises(CallerFault, match="no column of grades"):
        export(sheet, result(ADA, 7))


def test_a_sheet_without_comments_gets_grades_alone_and_a_note() -> None:
    sheet = b"\n".join(line.rsplit(b",", 1)[0] for line in EMPTY.splitlines()) + b"\n"
    made = export(sheet, result(ADA, 7))
    assert grades(made)["2"] == "7"
    assert cells(made.files["worksheet.csv"])[1][9] == cells(sheet)[1][9]
    assert any("no column for comments" in note for note in made.notes)


def test_a_scale_is_refused_with_what_to_do() -> None:
    scale = with_cells(EMPTY, {(row, MAXIMUM): "Poor\nGood" for row in range(1, 7)})
    renamed = with_cells(scale, {(0, GRADE): "Bewertung"})
    with pytest.raises(CallerFault, match=r"sheet\.csv: shows no column of grades .*--set grade_column"):
        export(renamed, result(ADA, 7))


def test_the_caller_may_name_the_columns() -> None:
    sheet = with_cells(EMPTY, {(3, MAXIMUM): "21.00", (0, GRADE): "Note", (0, COMMENT): "Kommentar"})
    made = export(sheet, result(ADA, 7), full=20, grade_column="note", feedback_column="Kommentar")
    assert grades(made)["2"] == "7"
    with pytest.raises(CallerFault, match=r"has no column 'Punkte' but 'Identifier'.* and 'Kommentar'"):
        export(sheet, result(ADA, 7), grade_column="Punkte")


def test_without_a_worksheet_the_caller_hears_where_to_get_it() -> None:
    assert platform.class_writer is not None
    with pytest.raises(CallerFault, match="Download grading worksheet"):
        platform.class_writer(Results("a", "A", 20, ()), Given())


@pytest.mark.parametrize("sheet", [b"Identifier,Grade\n", b"name,points\nAda,3\n", b"\n"])
def test_another_table_is_refused(sheet: bytes) -> None:
    with pytest.raises(CallerFault, match=r"sheet\.csv"):
        export(sheet, result(ADA, 7))


@pytest.mark.parametrize("workflow", [False, True])
def test_a_locked_grade_is_left_alone_and_told(workflow: bool) -> None:
    sheet = with_cells(EMPTY, {(1, FLAG): "No"})
    made = export(wider(sheet, FLAG, "Workflow", ["Released"] * 6) if workflow else sheet, result(ADA, 7))
    comments = grades(made, COMMENT + workflow)
    assert (grades(made)["2"], comments["2"]) == ("", "")
    assert made.changes[0].note == "Moodle says that this grade cannot be changed"


# ------------------------------------------------------------------ whose grade it is


def test_a_worksheet_of_another_assignment_is_noticed_by_its_names() -> None:
    made = export(EMPTY, result("Bob Builder_2", 20))
    assert set(grades(made).values()) == {""}
    assert made.unmatched == (
        "Bob Builder_2: participant 2 of the worksheet is another, Ada Lovelace (2); is it of the same assignment? "
        "If only names are shown differently: --set match=number",
    )
    assert grades(export(EMPTY, result("Bob Builder_2", 20), match="number"))["2"] == "20"


@pytest.mark.parametrize("name", ["Lovelace, Ada_2", "Ada King Lovelace_2", "ada lovelace_02"])
def test_a_name_that_is_shown_another_way_is_still_the_students(name: str) -> None:
    assert grades(export(EMPTY, result(name, 7)))["2"] == "7"


def test_one_word_of_a_name_is_too_little() -> None:
    assert set(grades(export(EMPTY, result("Ada_2", 20))).values()) == {""}


def test_a_number_that_the_worksheet_does_not_know_is_told() -> None:
    made = export(EMPTY, result("Eve_99", 20))
    assert made.unmatched == ("Eve_99: the worksheet has no participant 99",)


def in_teams(teams: list[str]) -> bytes:
    """A worksheet of teams, their names in the column after the status."""
    return wider(EMPTY, 4, "Group", teams)


def test_each_member_of_a_team_gets_the_teams_grade_by_the_teams_name() -> None:
    sheet = in_teams(["Red_1", "Default group", "Red_1", "Blue", "Blue", "Default group"])
    nobody = result("Default group", 3, origin=Origin("moodle", group="Default group"))
    # the team's number is that of a participant who is in another
    made = export(sheet, result("Red 1_1", 7), nobody)
    assert grades(made, 5) == {"2": "7", "6": "7", "4": "3", "3": "3", "1": "", "5": ""}
    assert "Ada Lovelace_2_assignfeedback_file/feedback.html" in pages(made)


def test_two_teams_of_one_name_are_left_to_a_human() -> None:
    made = export(in_teams(["Red", "Blue", "Red", "Blue", "Blue", "Blue"]), result("Red_71", 7), result("Red_72", 9))
    assert set(grades(made, 5).values()) == {""}
    assert len(made.unmatched) == 2


def test_a_student_who_writes_anothers_name_into_a_profile_gets_nothing_by_it() -> None:
    profile = with_cells(EMPTY, {(2, 2): "Lovelace, Ada", (2, 1): "Lovelace, Ada"})
    assert set(grades(export(profile, result("Lovelace, Ada_2", 20))).values()) == {""}
    mail = with_cells(EMPTY, {(2, 3): "ada@example.com"})
    assert set(grades(export(mail, result("ada@example.com", 20))).values()) == {""}


@pytest.mark.parametrize(
    ("name", "people"),
    [
        ("ada@example.com", ()),
        ("hw1 of ada", ({"login": "ada", "mail": "ADA@example.com"},)),
        ("ada", ({"Full name": "Ada Lovelace"},)),
    ],
)
def test_a_plain_folder_is_matched_by_mail_or_by_the_courses_list(
    name: str, people: tuple[dict[str, str], ...]
) -> None:
    made = export(EMPTY, result(name, 7, people=people))
    assert grades(made)["2"] == "7"
    assert list(pages(made)) == ["Ada Lovelace_2_assignfeedback_file/feedback.html"]


@pytest.mark.parametrize(
    "row",
    [
        {"Email address": ""},
        {"Full name": "Wei Li"},
        {"Full name": "Wei Li", "Status": "Submitted for grading - 1 hour late"},
        {"mail": "bob@example.com", "Full name": "No Submission"},
        {"Full name": "Nobody of This Class", "mail": "nobody@example.com"},
    ],
)
def test_a_row_of_the_courses_list_that_could_be_anothers_is_nobodys(row: dict[str, str]) -> None:
    sheet = with_cells(EMPTY, {(1, 2): "", (4, 1): "Wei Li", (5, 1): "Wei Li"})
    made = export(sheet, result("somebody", 7, people=(row,)))
    assert set(grades(made).values()) == {""}


def test_two_students_of_one_name_are_told_apart_by_their_mail() -> None:
    sheet = with_cells(EMPTY, {(4, 1): "Wei Li", (5, 1): "Wei Li"})
    made = export(sheet, result("wei", 7, people=({"Full name": "Wei Li", "Email address": "lee@example.com"},)))
    assert [number for number, grade in grades(made).items() if grade] == ["1"]


def test_what_came_from_another_platform_is_matched_by_mail() -> None:
    origin = Origin("gradescope", (Person("4", "Ada", "ada@example.com"),))
    assert grades(export(EMPTY, result("submission 4", 7, origin=origin)))["2"] == "7"


def test_another_platforms_number_is_no_participants() -> None:
    origin = Origin("gradescope", (Person("2", "Ada Lovelace"),))
    assert set(grades(export(EMPTY, result("submission 4", 7, origin=origin))).values()) == {""}


def test_a_plain_name_is_nobodys() -> None:
    made = export(EMPTY, result("ada", 7), result("4", 7), result("Submitted for grading", 7))
    assert set(grades(made).values()) == {""}
    assert len(made.unmatched) == 3


def test_two_results_for_one_student_are_both_left_to_a_human() -> None:
    made = export(EMPTY, result(ADA, 7), result("ada@example.com", 9), result(BOB, 3))
    assert (grades(made)["2"], grades(made)["4"]) == ("", "3")
    assert "Ada Lovelace_2 and ada@example.com are all Ada Lovelace (2)'s" in made.unmatched[0]


def test_an_attempt_that_does_not_count_is_left_out() -> None:
    made = export(EMPTY, result(ADA, 7), result(ADA, 2, attempt_counts=False))
    assert grades(made)["2"] == "7"


# ------------------------------------------------------------------ comments


@pytest.mark.parametrize(
    ("report", "words"),
    [
        ("complete", "Everything holds."),
        ("notebook", "All that was asked for holds; of the bonus something is left."),
        ("overwrites", "This does not hold yet: A sum adds to what its left operand has already."),
        ("syntax_error", "syntax_error.py, line 27"),
        ("untouched", "is not written yet."),
    ],
)
def test_the_comment_says_what_to_look_at_next_in_one_line(report: str, words: str) -> None:
    comment = grades(export(EMPTY, result(ADA, 16, report)), COMMENT)["2"]
    assert comment.startswith("Autograder: 16 of 20 points. ")
    assert words in comment
    assert len(comment) < 400
    assert "\n" not in comment


def test_a_mistake_that_has_a_name_is_what_to_look_at() -> None:
    golden = REPORTS["overwrites"]
    suspect = Suspect(id="sum", title="A sum assigns gradients with `=`", explanation="", hints=())
    cause = Cause(misconceptions=(suspect,), concepts=("accumulation",), tests=())
    named = msgspec.structs.replace(golden.diagnosis, verdict="named", causes=(cause,))
    comment = grades(export(EMPTY, result(ADA, 16, msgspec.structs.replace(golden, diagnosis=named))), COMMENT)["2"]
    assert comment == "Autograder: 16 of 20 points. Look at this first: A sum assigns gradients with `=`"


def test_what_lateness_costs_stands_in_the_comment() -> None:
    late = LatenessPart(
        handed_in="", deadline="", extended=False, seconds_late=1, days_late=1, percent_off=10, message="A day late."
    )
    report = msgspec.structs.replace(REPORTS["complete"], lateness=late)
    comment = grades(export(EMPTY, result(ADA, 18, report)), COMMENT)["2"]
    assert comment == "Autograder: 18 of 20 points. A day late. Everything holds."


def test_a_students_text_is_neither_markup_nor_a_second_line() -> None:
    status = msgspec.structs.replace(REPORTS["syntax_error"].status, message="</td><script>x</script>\n=1+1\x1b[31m")
    report = msgspec.structs.replace(REPORTS["syntax_error"], status=status)
    comment = grades(export(EMPTY, result(ADA, 0, report)), COMMENT)["2"]
    assert comment.endswith("&lt;/td&gt;&lt;script&gt;x&lt;/script&gt;\\n=1+1\\x1b[31m")


def test_a_comment_shows_nothing_that_the_course_hides() -> None:
    golden = REPORTS["overwrites"]
    report = msgspec.structs.replace(
        golden,
        tests=[msgspec.structs.replace(test, visibility="hidden") for test in golden.tests],
        diagnosis=msgspec.structs.replace(golden.diagnosis, visibility="hidden"),
    )
    comment = grades(export(EMPTY, result(ADA, 16, report)), COMMENT)["2"]
    assert comment == "Autograder: 16 of 20 points. What lost points is not shown for this assignment."
    (page,) = pages(export(EMPTY, result(ADA, 16, report))).values()
    assert not [test.sentence for test in golden.tests if test.outcome != "passed" and test.sentence in page]


def test_what_a_teacher_wrote_stays_unless_the_caller_says_otherwise() -> None:
    made = export(PLAIN, result(ADA, 3))
    assert grades(made, COMMENT)["2"] == "score for Ada Lovelace, line1line2   "
    assert any("--set comments=replace" in note for note in made.notes)
    assert grades(export(PLAIN, result(ADA, 3), comments="replace"), COMMENT)["2"].startswith("Autograder:")


def test_a_setting_that_is_none_of_its_words_is_refused() -> None:
    with pytest.raises(CallerFault, match=r"comments=Replace: is not understood.*say keep or replace"):
        export(PLAIN, result(ADA, 3), comments="Replace")
    with pytest.raises(CallerFault, match=r"match=yes: is not understood.*say name or number"):
        export(PLAIN, result(ADA, 3), match="yes")


def test_the_kits_own_comment_of_an_earlier_run_is_written_anew() -> None:
    first = export(EMPTY, result(ADA, 3)).files["worksheet.csv"]
    again = export(first, result(ADA, 20, "complete"))
    assert grades(again, COMMENT)["2"] == "Autograder: 20 of 20 points. Everything holds."


def test_a_second_run_changes_nothing() -> None:
    rows = [result(name, 3.14) for name in EVERYBODY]
    first = export(EMPTY, *rows)
    again = export(first.files["worksheet.csv"], *rows)
    assert again.files == first.files
    assert all(one.before == one.after for one in again.changes)


# ------------------------------------------------------------------ pages


def test_each_student_gets_a_page_under_the_name_of_the_download() -> None:
    made = export(EMPTY, *(result(name, 3) for name in EVERYBODY))
    assert set(pages(made)) == {f"{name}_assignfeedback_file/feedback.html" for name in EVERYBODY}
    assert all(page.lstrip().lower().startswith("<!doctype html") for page in pages(made).values())


def test_a_name_cannot_lead_a_page_to_somebody_else() -> None:
    sheet = with_cells(EMPTY, {(1, 1): "../x_4_assignfeedback_file/~é"})
    made = export(sheet, result("ada@example.com", 7))
    (path,) = pages(made)
    folder, _, name = path.partition("/")
    assert (folder.split("_")[1:], name) == (["2", "assignfeedback", "file"], "feedback.html")


def test_a_name_as_long_as_moodle_allows_still_makes_a_path_that_systems_take() -> None:
    sheet = with_cells(EMPTY, {(1, 1): "龙" * 200})
    (path,) = pages(export(sheet, result("ada@example.com", 7)))
    assert len(path.partition("/")[0].encode()) <= 255


def test_a_name_that_is_no_text_any_more_stops_nobodys_page() -> None:
    made = export(EMPTY, result("Jos\udce9 Mar\udceda_6", 7), result(ADA, 3), match="number")
    assert set(pages(made)) == {
        "Jos? Mar?a_6_assignfeedback_file/feedback.html",
        "Ada Lovelace_2_assignfeedback_file/feedback.html",
    }
    assert (grades(made)["6"], grades(made)["2"]) == ("7", "3")


def test_the_same_class_gives_the_same_zip() -> None:
    rows = [result(ADA, 3), result(BOB, 4)]
    assert export(EMPTY, *rows).files == export(EMPTY, *rows).files
