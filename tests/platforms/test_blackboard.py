"""Blackboard: its downloads come in, the Grade Center's table goes out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given as example
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms import Download, ExportOptions
from autograder.platforms.blackboard import NAME, BlackboardDownloadReader, make_class_export, parse_receipt
from autograder.submissions import Person, SubmissionOrigin
from tests.platforms.classes import EVERYBODYS, a_class, by_name, entries, laid_out, result

WHEN = "2014-04-30-21-02-38"
START = f"Chapter 13 Problems_jdoe3_attempt_{WHEN}"
READER = BlackboardDownloadReader()
UNPRINTABLE_CATEGORIES = "There is no student submission text data for this assignment."
NO_COMMENTS = "There are no student comments for this assignment."


def receipt(
    name: str = "Jane Doe (jdoe3)", text: str = UNPRINTABLE_CATEGORIES, comments: str = NO_COMMENTS, **originals: str
) -> str:
    """As Blackboard writes it."""
    files = "".join(f"\tOriginal filename: {one}\n\tFilename: {stored}\n\n" for stored, one in originals.items())
    return (
        f"Name: {name}\nAssignment: Chapter 13 Problems\n"
        "Date Submitted: Wednesday, April 30, 2014 9:02:38 PM EDT\nCurrent Grade: Needs Grading\n\n"
        f"Submission Field:\n{text}\n\nComments:\n{comments}\n\nFiles:\n{files}"
    )


def table(*rows: str, separator: str = "\t") -> str:
    header = '"Last Name","First Name","Username","Student ID","HW1 [Total Pts: 10 Score] |1234"'
    header += ',"HW2 [Total Pts: 20 Score] |1235","Total [Total Pts: up to 30 Score] |1"'
    return "".join(line.replace('","', f'"{separator}"') + "\r\n" for line in (header, *rows))


EXPORTED = table(
    '"Lovelace","Ada","ada","1001","5.00","","5.00"',
    '"O\'Brien; jr","Bob","b_ob","1002","","3.00","3.00"',
    '"李","小龙","lee","1003","Needs Grading","",""',
    '"Doe","Jane","jdoe3","1004","Exempt","",""',
    '"Nobody","At all","zoe","1005","7.00","","7.00"',
)
UTF_16 = b"\xff\xfe" + EXPORTED.encode("utf-16-le")


def login(name: str) -> SubmissionOrigin:
    return SubmissionOrigin(NAME, (Person(name, login=name),))


# In


def test_a_download_becomes_a_class_under_the_names_that_students_gave(tmp_path: Path) -> None:
    stored = f"{START}_chapter_13.py"
    place = laid_out(
        tmp_path,
        {
            stored: "x = 1",
            f"{START}_helper.py": "y = 2",
            f"{START}.txt": receipt(**{stored: "chapter 13.py", f"{START}_helper.py": "helper.py"}),
        },
    )
    assert entries(place) == {f"jdoe3_{WHEN}": {"chapter 13.py": "x = 1", "helper.py": "y = 2"}}


def test_an_attempt_says_whose_it_is_and_when_it_came(tmp_path: Path) -> None:
    (found,) = READER.read(Download(laid_out(tmp_path, {f"{START}_value.py": "", f"{START}.txt": receipt()})))
    assert found.origin == SubmissionOrigin(
        NAME,
        (Person("jdoe3", "Jane Doe", login="jdoe3"),),
        handed_in=datetime(2014, 4, 30, 21, 2, 38),
        attempt=WHEN,
        names=(f"{START}.txt", f"{START}_value.py"),
    )


def test_a_login_with_underscores_is_known_from_the_text_file(tmp_path: Path) -> None:
    start = f"HW_1_j_doe_3_attempt_{WHEN}"
    laid_out(tmp_path, {f"{start}_value.py": "", f"{start}.txt": receipt("Jane (Joe) Doe (j_doe_3)")})
    (found,) = READER.read(Download(tmp_path))
    assert found.origin.people == (Person("j_doe_3", "Jane (Joe) Doe", login="j_doe_3"),)


def test_several_attempts_of_a_student_are_several_submissions(tmp_path: Path) -> None:
    again = START.replace("21-02", "22-02")
    files = {f"{one}{end}": receipt() for one in (START, again) for end in (".txt", "_value.py")}
    found = by_name(READER.read(Download(laid_out(tmp_path, files))))
    assert list(found) == [f"jdoe3_{WHEN}", "jdoe3_2014-04-30-22-02-38"]


def test_what_was_typed_is_the_submission_where_there_is_no_file(tmp_path: Path) -> None:
    code = "class Value:\n    def f(self):\n        return self.a < 1 and '<p>'.x"
    html = "<p>if a &lt; b:<br />&nbsp;&nbsp;x = 1</p><p>y = &quot;2&quot;</p>"
    place = laid_out(tmp_path, {f"{START}.txt": receipt(text=html), f"{START}_value.py": code})
    assert entries(place)[f"jdoe3_{WHEN}"] == {"value.py": code}
    (place / f"{START}_value.py").unlink()
    assert entries(place)[f"jdoe3_{WHEN}"] == {"value.py": 'if a < b:\n  x = 1\ny = "2"\n'}


def test_typed_text_without_markup_stays_as_it_is(tmp_path: Path) -> None:
    code = "class Value:\n\n    def f(self):\n        return self.a<1 and 2>1"
    place = laid_out(tmp_path, {f"{START}.txt": receipt(text=code)})
    assert entries(place)[f"jdoe3_{WHEN}"] == {"value.py": code}


def test_an_attempt_with_nothing_in_it_is_there_all_the_same(tmp_path: Path) -> None:
    assert entries(laid_out(tmp_path, {f"{START}.txt": receipt()})) == {f"jdoe3_{WHEN}": {}}


def test_a_file_called_like_anothers_attempt_poses_as_nobody(tmp_path: Path) -> None:
    file = f"HW_eve_attempt_{WHEN}_HW_ada_attempt_2014-01-01-00-00-00_value.py"
    laid_out(tmp_path, {file: "x = 1", f"HW_eve_attempt_{WHEN}.txt": receipt("Eve (eve)")})
    (found,) = READER.read(Download(tmp_path))
    assert found.origin.people == (Person("eve", "Eve", login="eve"),)
    assert list(found.files) == ["HW_ada_attempt_2014-01-01-00-00-00_value.py"]


def test_a_student_cannot_write_another_into_the_text_file(tmp_path: Path) -> None:
    start = f"HW_eve_attempt_{WHEN}"
    forged = f"Name: Ada (ada)\n\nFiles:\n\tOriginal filename: no.py\n\tFilename: {start}_value.py\n"
    text = receipt("Ada (ada) (eve)", forged, forged, **{f"{start}_value.py": "value.py"})
    laid_out(tmp_path, {f"{start}.txt": text, f"{start}_value.py": ""})
    (found,) = READER.read(Download(tmp_path))
    assert found.origin.people == (Person("eve", "Ada (ada)", login="eve"),)
    assert list(found.files) == ["value.py"]


@pytest.mark.parametrize(
    ("original", "name"),
    [
        ("../../x.py", "x.py"),
        ("C:\\work\\x.py", "x.py"),
        ("..", "a.py"),
        ("", "a.py"),
        ("con.py", "a.py"),
        ("x" * 300 + ".py", "a.py"),
        ("größe 小龙.py", "größe 小龙.py"),
    ],
)
def test_no_original_name_leaves_its_folder(original: str, name: str, tmp_path: Path) -> None:
    laid_out(tmp_path, {f"{START}_a.py": "", f"{START}.txt": receipt(**{f"{START}_a.py": original})})
    (found,) = READER.read(Download(tmp_path))
    assert list(found.files) == [name]


def test_two_files_of_one_name_are_both_kept(tmp_path: Path) -> None:
    both = {f"{START}_a.py": "value.py", f"{START}_b.py": "VALUE.py"}
    laid_out(tmp_path, {**dict.fromkeys(both, ""), f"{START}.txt": receipt(**both)})
    (found,) = READER.read(Download(tmp_path))
    assert found.files == {"value.py": f"{START}_a.py", "b.py": f"{START}_b.py"}


def test_a_time_that_is_none_leaves_the_submission_without_one(tmp_path: Path) -> None:
    laid_out(tmp_path, {"HW_eve_attempt_2014-02-31-25-02-38.txt": receipt("Eve (eve)")})
    (found,) = READER.read(Download(tmp_path))
    assert found.origin.handed_in is None


@example(st.binary(max_size=500))
def test_a_text_file_may_hold_anything(content: bytes) -> None:
    assert parse_receipt(content).text is not None


def test_what_is_none_of_blackboards_is_told(tmp_path: Path) -> None:
    with pytest.raises(CallerFault, match=r"'bob\.py' is not named as in a Blackboard download"):
        list(READER.read(Download(laid_out(tmp_path, {f"{START}.txt": "", "bob.py": ""}))))


# Out


def test_of_the_table_only_the_cells_of_one_column_change_and_it_stays_utf_16() -> None:
    class_ = a_class(
        result("a", 20, login("ada")), result("b", 7, login("b_ob")), result("l", 0, login("lee")), maximum=20
    )
    made = make_class_export(class_, ExportOptions(UTF_16, "/home/kim/gc_course.xls", overwrite=EVERYBODYS))
    after = EXPORTED.replace('"1001"\t"5.00"', '"1001"\t"10"').replace('"1002"\t""', '"1002"\t"3.5"')
    after = after.replace('"Needs Grading"', '"0"')
    assert made.files == {"gc_course.xls": b"\xff\xfe" + after.encode("utf-16-le")}
    assert made.missing == ("jdoe3", "zoe")


@pytest.mark.parametrize("column", ["HW2", "1235", "|1235", "HW2 [Total Pts: 20 Score] |1235"])
def test_a_column_is_chosen_by_title_id_or_header(column: str) -> None:
    sheet = table('"Lovelace","Ada","ada","1001","5.00","","5.00"', separator=",")
    made = make_class_export(
        a_class(result("a", 8, login("ada"))), ExportOptions(sheet.encode(), "gc.csv", {"column": column})
    )
    assert made.files["gc.csv"].decode() == sheet.replace('"5.00",""', '"5.00","8"')


def test_a_grade_that_is_there_already_stays_as_it_was_written() -> None:
    made = make_class_export(a_class(result("a", 10, login("ada"))), ExportOptions(UTF_16, "gc.xls"))
    assert made.files["gc.xls"] == UTF_16
    assert [(one.before, one.after) for one in made.changes] == [("5.00", "5.00")]


def test_somebody_who_is_excused_stays_so() -> None:
    made = make_class_export(a_class(result("j", 10, login("jdoe3"))), ExportOptions(UTF_16, "gc.xls"))
    assert made.files["gc.xls"] == UTF_16
    assert [one.note for one in made.changes] == ["excused; left unchanged"]


def test_what_blackboard_adds_up_itself_is_no_column_of_grades() -> None:
    with pytest.raises(CallerFault, match=r"no column for 'Total'.*'HW1', 'HW2'"):
        make_class_export(a_class(), ExportOptions(UTF_16, "gc.xls", {"column": "Total"}))


def test_a_decimal_comma_stays_one() -> None:
    sheet = UTF_16.replace("5.00".encode("utf-16-le"), "5,00".encode("utf-16-le"))
    made = make_class_export(a_class(result("b", 7, login("b_ob"))), ExportOptions(sheet, "gc.xls"))
    assert '"3,5"' in made.files["gc.xls"].decode("utf-16")


def test_more_than_full_marks_is_written_and_told() -> None:
    made = make_class_export(
        a_class(result("a", 22, login("ada"))), ExportOptions(UTF_16, "gc.xls", overwrite=EVERYBODYS)
    )
    assert '"11"' in made.files["gc.xls"].decode("utf-16")
    assert made.notes == ("1 mark above the 10 points of the column",)


def test_who_is_in_no_row_is_told() -> None:
    made = make_class_export(a_class(result("eve", 7, login("eve"))), ExportOptions(UTF_16, "gc.xls"))
    assert made.unmatched == ("eve: no row or several rows of gc.xls match eve",)
    assert made.files["gc.xls"] == UTF_16


@pytest.mark.parametrize(
    ("sheet", "says"),
    [(None, "download it with Work Offline > Download"), (b"Name,HW1 [Total Pts: 10] |1\n", "no column Username")],
)
def test_without_the_grade_centers_table_it_is_told_where_to_get_it(sheet: bytes | None, says: str) -> None:
    with pytest.raises(CallerFault, match=says):
        make_class_export(a_class(), ExportOptions(sheet, "gc.csv"))
