"""Moodle's worksheet in any language: the grade and the comment stand in the right row."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms import ClassResults, ExportOptions, ExportResult, SubmissionResult
from autograder.platforms.moodle import platform
from autograder.submissions import Person, SubmissionOrigin
from autograder.tables import EditableCsv
from tests.platforms import moodle_class
from tests.platforms.classes import EVERYBODYS, kept_of
from tests.platforms.moodle_class import (
    COMMENT,
    GOLDEN,
    GRADE,
    GRADED,
    MAXIMUM,
    REPORTS,
    cells,
    export,
    grades,
    pages,
    result,
    with_cells,
)
from tests.platforms.moodle_sheets import ADA, BOB, EMPTY, EVERYBODY, LI, PLAIN, wider
from tests.reports.sample import LATE, SUSPECT, a_report, almost, shown

# ------------------------------------------------------------------ moodle worksheet


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
    assert any(
        note.startswith("1 submission has more than full marks; full marks were written") for note in made.notes
    )


def test_a_grade_that_stays_is_not_touched() -> None:
    sheet = with_cells(PLAIN, {(1, COMMENT): ""})
    first = export(sheet, result(ADA, 17.5))
    made = export(
        first.files["worksheet.csv"],
        result(ADA, 17.5),
        result(BOB, 19),
        written=kept_of(first),
        overwrite=frozenset({BOB}),
    )
    same = EditableCsv(first.files["worksheet.csv"], "").get_raw_cells(1)
    assert EditableCsv(made.files["worksheet.csv"], "").get_raw_cells(1) == same
    assert [(one.before, one.after) for one in made.changes] == [("17.50", "17.50"), ("20.00", "19")]


def test_the_minimal_sheet_that_a_real_moodle_took_needs_full_marks_from_the_caller() -> None:
    sheet = with_cells((GOLDEN / "upload_minimal.csv").read_bytes(), {(1, 1): "", (1, 3): ""})
    made = export(sheet, result(ADA, 19), full=20, match="number")
    assert cells(made.files["worksheet.csv"])[1][:2] == ("Participant 2", "19")
    with pytest.raises(CallerFault, match="--max-score"):
        export(sheet, result(ADA, 19), match="number")


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
    made = export(
        sheet, *(result(name, value) for name, value in points.items()), comments=comments, overwrite=EVERYBODYS
    )
    before, after = EditableCsv(sheet, "before"), EditableCsv(made.files["worksheet.csv"], "after")
    numbers = {name.rpartition("_")[2] for name in points}
    for place, row in enumerate(before.rows):
        mine = row.cells[0].split()[-1] in numbers
        for column, cell in enumerate(before.get_raw_cells(place)):
            outdated = column == GRADED and after.get_raw_cells(place)[column] == "-"
            if not (outdated or (mine and column in (GRADE, COMMENT))):
                assert after.get_raw_cells(place)[column] == cell
    changing = (GRADE, GRADED, COMMENT)
    kept = {(row, column): before.rows[row].cells[column] for row in range(1, 7) for column in changing}
    assert cells(with_cells(bytes(after), kept)) == cells(sheet)
    assert bytes(after).count(end) == sheet.count(end)
    assert bytes(after)[:3] == sheet[:3]


# ------------------------------------------------------------------ moodle columns


GERMAN = """\
Identifikator;Vollständiger Name;E-Mail-Adresse;Status;Bewertung;Höchstwertung;Bewertung kann geändert werden;\
Zuletzt geändert (Abgabe);Zuletzt geändert (Bewertung);Feedback als Kommentar
Teilnehmer/in 7;Jörg Müller;joerg@example.de;Zur Bewertung abgegeben;;20,00;Ja;\
Freitag, 20. November 2026, 14:18;-;
Teilnehmer/in 8;Änne Öz;aenne@example.de;Zur Bewertung abgegeben - Bewertet;12,50;20,00;Ja;\
Freitag, 20. November 2026, 14:18;Freitag, 20. November 2026, 15:18;gut
""".encode()


def test_a_german_worksheet_gets_a_comma_and_keeps_its_semicolons() -> None:
    made = export(GERMAN, result("Jörg Müller_7", 12.5), result("Änne Öz_8", 10), overwrite=EVERYBODYS)
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
    assert grades(export(sheet, result(ADA, 7.25), overwrite=EVERYBODYS))["2"] == after


@pytest.mark.parametrize("header", ["ÐŸ,姓名,البريد,a,b,c,d,e,f,g,h", "x,x,x,x,x,x,x,x,x,x,x", ",,,,,,,,,,"])
def test_headers_may_be_in_any_language(header: str) -> None:
    sheet = header.encode() + b"\n" + EMPTY.partition(b"\n")[2]
    made = export(sheet, result(ADA, 7), result(LI, 8))
    assert (grades(made)["2"], grades(made)["1"]) == ("7", "8")
    assert grades(made, COMMENT)["2"].startswith("Autograder: 7 of 20 points.")


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


def test_a_scale_is_refused_with_what_to_do_and_not_rescued_by_numbers_of_students() -> None:
    changed = {(row, MAXIMUM): "Poor\nGood" for row in range(1, 7)} | {(row, 2): "" for row in range(1, 7)}
    sheet = wider(with_cells(EMPTY, {**changed, (0, GRADE): "Bewertung"}), 3, "Kennzahl", [*"123456"])
    with pytest.raises(CallerFault, match=r"sheet\.csv: no column of grades stands .*--set grade_column"):
        export(sheet, result(ADA, 7))


def test_a_sheet_without_comments_gets_grades_alone_and_a_note() -> None:
    sheet = b"\n".join(line.rsplit(b",", 1)[0] for line in EMPTY.splitlines()) + b"\n"
    made = export(sheet, result(ADA, 7))
    assert grades(made)["2"] == "7"
    assert cells(made.files["worksheet.csv"])[1][9] == cells(sheet)[1][9]
    assert any("no column for comments" in note for note in made.notes)


def test_the_caller_may_name_the_columns() -> None:
    sheet = with_cells(EMPTY, {(3, MAXIMUM): "21.00", (0, GRADE): "Note", (0, COMMENT): "Kommentar"})
    made = export(sheet, result(ADA, 7), full=20, grade_column="note", feedback_column="Kommentar")
    assert grades(made)["2"] == "7"
    with pytest.raises(CallerFault, match=r"has no column 'Punkte' \(choose from 'Identifier'.* and 'Kommentar'"):
        export(sheet, result(ADA, 7), grade_column="Punkte")


def test_without_a_worksheet_the_caller_hears_where_to_get_it() -> None:
    assert platform.class_writer is not None
    with pytest.raises(CallerFault, match="Download grading worksheet"):
        platform.class_writer(ClassResults("a", "A", 20, ()), ExportOptions())


@pytest.mark.parametrize("sheet", [b"Identifier,Grade\n", b"name,points\nAda,3\n", b"\n"])
def test_another_table_is_refused(sheet: bytes) -> None:
    with pytest.raises(CallerFault, match=r"sheet\.csv"):
        export(sheet, result(ADA, 7))


# ------------------------------------------------------------------ moodle students


def test_a_worksheet_of_another_assignment_is_noticed_by_its_names() -> None:
    made = export(EMPTY, result("Bob Builder_2", 20))
    assert set(grades(made).values()) == {""}
    assert made.unmatched == (
        "Bob Builder_2: participant 2 of the worksheet is Ada Lovelace (2); check that it is of the same assignment, "
        "and if only names are shown differently, say --set match=number",
    )
    assert grades(export(EMPTY, result("Bob Builder_2", 20), match="number"))["2"] == "20"


@pytest.mark.parametrize("name", ["Lovelace, Ada_2", "Ada King Lovelace_2", "ada lovelace_02", "LovelaceAda_2"])
def test_a_name_that_is_shown_another_way_is_still_the_students(name: str) -> None:
    assert grades(export(EMPTY, result(name, 7)))["2"] == "7"


@pytest.mark.parametrize("name", ["Ada_2", "Lovelace_2", "LoveAdalace_2", "AdaLovelaceAda_2"])
def test_one_word_of_a_name_is_too_little(name: str) -> None:
    assert set(grades(export(EMPTY, result(name, 20))).values()) == {""}


def test_a_number_that_the_worksheet_does_not_know_is_told() -> None:
    made = export(EMPTY, result("Eve_99", 20))
    assert made.unmatched == ("Eve_99: the worksheet has no participant 99",)


def in_teams(teams: list[str]) -> bytes:
    """A worksheet of teams, their names in the column after the status."""
    return wider(EMPTY, 4, "Group", teams)


def test_two_teams_of_one_name_are_left_to_a_human() -> None:
    made = export(in_teams(["Red", "Blue", "Red", "Blue", "Blue", "Blue"]), result("Red_71", 7), result("Red_72", 9))
    assert set(grades(made, 5).values()) == {""}
    assert len(made.unmatched) == 2


def test_a_student_who_writes_anothers_name_into_a_profile_gets_nothing_by_it() -> None:
    profile = with_cells(EMPTY, {(2, 2): "Lovelace, Ada", (2, 1): "Lovelace, Ada"})
    assert set(grades(export(profile, result("Lovelace, Ada_2", 20))).values()) == {""}
    mail = with_cells(EMPTY, {(2, 3): "ada@example.com"})
    assert set(grades(export(mail, result("ada@example.com", 20))).values()) == {""}
    named = with_cells(EMPTY, {(2, 1): "ada@example.com"})
    hers = SubmissionOrigin("gradescope", (Person(email="ada@example.com"),))
    assert [one for one, grade in grades(export(named, result("hers", 7, origin=hers))).items() if grade] == ["2"]


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
    origin = SubmissionOrigin("gradescope", (Person("4", "Ada", "ada@example.com"),))
    assert grades(export(EMPTY, result("submission 4", 7, origin=origin)))["2"] == "7"


def test_another_platforms_number_is_no_participants() -> None:
    origin = SubmissionOrigin("gradescope", (Person("2", "Ada Lovelace"),))
    assert set(grades(export(EMPTY, result("submission 4", 7, origin=origin))).values()) == {""}


def test_a_plain_name_is_nobodys() -> None:
    made = export(EMPTY, result("ada", 7), result("4", 7), result("Submitted for grading", 7))
    assert set(grades(made).values()) == {""}
    assert len(made.unmatched) == 3


def test_two_results_for_one_student_are_both_left_to_a_human() -> None:
    made = export(EMPTY, result(ADA, 7), result("ada@example.com", 9), result(BOB, 3))
    assert (grades(made)["2"], grades(made)["4"]) == ("", "3")
    assert "Ada Lovelace_2 and ada@example.com all match Ada Lovelace (2)" in made.unmatched[0]


# ------------------------------------------------------------------ moodle teams


SHEETS = {name: (GOLDEN / "worksheets" / f"teams-{name}.csv").read_bytes() for name in ("en", "de")}
"""What a Moodle 4.3 wrote for five teams and six students in none; one team is called as its member Sam Smith."""
GROUP, GRADE_MOODLE_TEAMS = 4, 5
"""Columns of these worksheets."""
RED, BLUE, SAM, GREEN = "Team Red 1_1", "Team Blue_2", "Sam Smith_3", "Grün, Gelb amp; OBlau_4"
"""As the download calls them: with the groups' numbers."""


def export_teams(sheet: bytes, *rows: SubmissionResult, match: str = "name") -> ExportResult:
    """What the writer makes of a worksheet with full marks 50."""
    return moodle_class.export(sheet, *rows, max_points=50, match=match)


def default(name: str, points: float) -> SubmissionResult:
    """The submission of those who are in no team."""
    return result(name, points, origin=SubmissionOrigin("moodle", group=name))


def by_team(made: ExportResult, column: int = GRADE_MOODLE_TEAMS) -> dict[str, set[str]]:
    """What stands in a column, by team."""
    found: dict[str, set[str]] = {}
    for row in cells(made.files["worksheet.csv"])[1:]:
        found.setdefault(row[GROUP], set()).add(row[column])
    return found


def test_who_is_in_no_team_gets_no_page_and_the_export_says_so() -> None:
    made = export_teams(SHEETS["en"], result(RED, 1), default("Default group", 5))
    assert set(pages(made)) == {f"{RED}_assignfeedback_file/feedback.html"}
    (note,) = (one for one in made.notes if one.startswith("no page for"))
    assert "no page for Default group: in an assignment for teams" in note
    assert "A_b 12 van der Berg, Jr. (57)" in note


@pytest.mark.parametrize("number", ["72", "60", "067"])
def test_a_group_whose_number_is_a_participants_leads_to_that_participant_by_nothing(number: str) -> None:
    made = export_teams(SHEETS["en"], result(f"Team Blue_{number}", 2), result(RED, 1), match="number")
    assert by_team(made)["Team Blue"] == {"2"}
    assert by_team(made)["Team Red_1"] == {"1"}
    assert f"Team Blue_{number}_assignfeedback_file/feedback.html" in pages(made)


@pytest.mark.parametrize("number", ["67", "56"], ids=["the other Sam Smith", "the member"])
def test_a_team_called_as_a_student_whose_number_it_has_is_a_team(number: str) -> None:
    made = export_teams(SHEETS["en"], result(f"Sam Smith_{number}", 3), result(RED, 1), result(BLUE, 2))
    assert by_team(made)["Sam Smith"] == {"3"}
    assert by_team(made)["Team Blue"] == {"2"}
    assert f"Sam Smith_{number}_assignfeedback_file/feedback.html" in pages(made)


def test_a_students_own_work_for_another_assignment_is_not_that_of_a_team_called_as_the_student() -> None:
    made = export_teams(SHEETS["en"], result("Sam Smith_900", 20), result("Ada Lovelace_901", 20))
    assert set().union(*by_team(made).values()) == {""}
    assert len(made.unmatched) == 2


def test_teams_whose_names_a_download_cannot_tell_apart_are_left_to_a_human() -> None:
    renamed = _renamed({"Team Blue": "Grün, Gelb amp; OBlau"})
    made = export_teams(renamed, result(GREEN, 4), result(RED, 1), result(SAM, 3))
    assert by_team(made)["Grün, Gelb amp; OBlau"] | by_team(made)['Grün, "Gelb" & O\'Blau'] == {""}
    assert made.unmatched == (
        f"{GREEN}: no team or several teams of the worksheet match; check that it is of the same assignment",
    )
    assert GREEN not in str(pages(made).keys())


def test_teams_whose_names_differ_in_capitals_alone_are_two() -> None:
    made = export_teams(_renamed({"Team Blue": "team red_1"}), result(RED, 1), result("team red 1_2", 2))
    assert (by_team(made)["Team Red_1"], by_team(made)["team red_1"]) == ({"1"}, {"2"})


def test_a_team_called_as_a_status_gets_nobody_elses_row() -> None:
    made = export_teams(
        _renamed({"Team Blue": "Submitted for grading"}), result("Submitted for grading_2", 2), result(RED, 1)
    )
    assert by_team(made)["Submitted for grading"] == {"2"}
    assert by_team(made)["Team Red_1"] == {"1"}
    assert by_team(made)['Grün, "Gelb" & O\'Blau'] == {""}


def test_a_page_waits_where_a_member_has_two_results() -> None:
    made = export_teams(SHEETS["en"], result(RED, 1), result("ada@example.com", 20), result(BLUE, 2))
    assert set(pages(made)) == {f"{BLUE}_assignfeedback_file/feedback.html"}
    assert any(one.startswith("no page for Team Red 1_1: Moodle gives a page to every member") for one in made.notes)


@pytest.mark.parametrize("language", ["en", "de"])
def test_work_from_elsewhere_gets_no_page_because_nobody_says_the_groups_number(language: str) -> None:
    made = export_teams(SHEETS[language], result("ada@example.com", 7))
    assert pages(made) == {}
    assert any(one.startswith("no page for ada@example.com") for one in made.notes)


def _renamed(teams: dict[str, str]) -> bytes:
    rows = enumerate(cells(SHEETS["en"]))
    changed = {(place, GROUP): teams[row[GROUP]] for place, row in rows if row[GROUP] in teams}
    return with_cells(SHEETS["en"], changed)


def test_a_team_that_the_worksheet_does_not_name_is_nobodys_whatever_the_courses_list_says() -> None:
    row = {"Identifier": "Participant 67", "Email address": "sam1@example.com"}
    stranger = result("Team Green_67", 20, people=(row,))
    made = export_teams(SHEETS["en"], result(RED, 1), result(SAM, 3), stranger)
    assert by_team(made)["Team Blue"] == {""}
    assert made.unmatched == (
        "Team Green_67: no team or several teams of the worksheet match; check that it is of the same assignment",
    )


# ------------------------------------------------------------------ moodle feedback


# Comments


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
    comment = grades(export(EMPTY, result(ADA, 5, a_report(bonus=0.0))), COMMENT)["2"]
    assert comment == f"Autograder: 5 of 20 points. Look at this first: {SUSPECT.title}"


def test_a_bonus_that_fills_the_grade_up_does_not_hide_that_the_core_is_wrong() -> None:
    report = almost()
    assert grades(export(EMPTY, result(ADA, 20, report)), COMMENT)["2"] == (
        "Autograder: 20 of 20 points, of which 1.8 bonus; the core is not complete. "
        f"Look at this first: {SUSPECT.title}"
    )


def test_what_lateness_costs_stands_in_the_comment() -> None:
    report = msgspec.structs.replace(REPORTS["complete"], lateness=LATE)
    comment = grades(export(EMPTY, result(ADA, 18, report)), COMMENT)["2"]
    assert comment == f"Autograder: 18 of 20 points. {LATE.message} Everything holds."


def test_a_students_text_is_neither_markup_nor_a_second_line() -> None:
    status = msgspec.structs.replace(REPORTS["syntax_error"].status, message="</td><script>x</script>\n=1+1\x1b[31m")
    report = msgspec.structs.replace(REPORTS["syntax_error"], status=status)
    comment = grades(export(EMPTY, result(ADA, 0, report)), COMMENT)["2"]
    assert comment.endswith("&lt;/td&gt;&lt;script&gt;x&lt;/script&gt;\\n=1+1\\x1b[31m")


def test_a_comment_shows_nothing_that_the_course_hides() -> None:
    golden = REPORTS["overwrites"]
    report = shown(golden, "hidden")
    comment = grades(export(EMPTY, result(ADA, 16, report)), COMMENT)["2"]
    assert comment == "Autograder: 16 of 20 points. What lost points is not shown for this assignment."
    (page,) = pages(export(EMPTY, result(ADA, 16, report))).values()
    assert not [test.sentence for test in golden.tests if test.outcome != "passed" and test.sentence in page]


def test_a_setting_that_is_none_of_its_words_is_refused() -> None:
    with pytest.raises(CallerFault, match=r"unknown value 'yes' of match \(choose from name, number\)"):
        export(PLAIN, result(ADA, 3), match="yes")


def test_the_kits_own_comment_of_an_earlier_run_is_written_anew() -> None:
    first = export(EMPTY, result(ADA, 3))
    again = export(first.files["worksheet.csv"], result(ADA, 20, "complete"), written=kept_of(first))
    assert grades(again, COMMENT)["2"] == "Autograder: 20 of 20 points. Everything holds."


def test_a_second_run_changes_nothing() -> None:
    rows = [result(name, 3.14) for name in EVERYBODY]
    first = export(EMPTY, *rows)
    again = export(first.files["worksheet.csv"], *rows)
    assert again.files == first.files
    assert all(one.before == one.after for one in again.changes)


# Pages


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
