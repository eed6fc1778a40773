"""What a student reads in Moodle: one line of a comment, and a page under the name of the download."""

from __future__ import annotations

import msgspec
import pytest

from autograder.faults import CallerFault
from tests.platforms.classes import kept_of
from tests.platforms.moodle_class import COMMENT, GRADE, REPORTS, export, grades, pages, result, with_cells
from tests.platforms.moodle_sheets import ADA, BOB, EMPTY, EVERYBODY, PLAIN
from tests.reports.sample import LATE, SUSPECT, a_report, almost, shown

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


def test_what_a_teacher_wrote_stays_unless_the_caller_says_otherwise() -> None:
    sheet = with_cells(PLAIN, {(1, GRADE): ""})
    made = export(sheet, result(ADA, 3))
    assert "2" not in grades(made)
    assert any("--set comments=replace" in note for note in made.notes)
    assert grades(export(sheet, result(ADA, 3), comments="replace"), COMMENT)["2"].startswith("Autograder:")


def test_a_setting_that_is_none_of_its_words_is_refused() -> None:
    with pytest.raises(CallerFault, match=r"unknown value 'Replace' of comments \(choose from keep, replace\)"):
        export(PLAIN, result(ADA, 3), comments="Replace")
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
