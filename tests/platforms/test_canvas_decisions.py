"""A score that a person set in Canvas stays, and each score that is sent is put on record."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.platforms import ExportChange
from autograder.platforms.canvas.score_upload import format_score_comment
from autograder.store.audit import LastExportedValue, WrittenKey
from tests.platforms.canvas_stand_in import Canvas
from tests.platforms.canvas_uploads import ADA, BOB, EVE, upload
from tests.platforms.classes import EVERYBODYS, Told, result


def test_a_score_that_a_person_set_is_kept_and_nothing_is_said_to_the_student(canvas: Canvas) -> None:
    canvas.students[11].update(score=20.0, entered_score=20.0)
    own: dict[WrittenKey, LastExportedValue] = {
        ("mark", "4711", "11"): LastExportedValue("", "15.80", was_confirmed=True)
    }
    made = upload(canvas, ADA, overwrite=frozenset(), written=own)
    assert not canvas.puts
    assert [(one.before, one.after, one.wanted) for one in made.changes] == [("20.00", "20.00", "10.00")]


def test_a_score_that_the_kit_wrote_last_is_replaced(canvas: Canvas) -> None:
    own: dict[WrittenKey, LastExportedValue] = {
        ("mark", "4711", "12"): LastExportedValue("", "5.00", was_confirmed=True)
    }
    upload(canvas, result("bob", 6.0, BOB.origin), overwrite=frozenset(), written=own)
    assert canvas.students[12]["score"] == 6.0


def test_a_score_that_was_taken_away_stays_away(canvas: Canvas) -> None:
    own: dict[WrittenKey, LastExportedValue] = {
        ("mark", "4711", "11"): LastExportedValue("", "15.80", was_confirmed=True)
    }
    assert upload(canvas, ADA, overwrite=frozenset(), written=own).changes[0].wanted == "10.00"
    assert not canvas.puts


def test_a_score_that_is_set_while_the_upload_runs_is_kept(canvas: Canvas) -> None:
    canvas.meanwhile[11] = lambda: canvas.students[11].update(score=20.0, entered_score=20.0)
    made = upload(canvas, ADA, EVE, overwrite=EVERYBODYS)
    assert made.failed == ("Ada, A (11): the mark in Canvas changed during the upload and was left unchanged",)
    assert (canvas.students[11]["score"], canvas.students[13]["score"]) == (20.0, 7.5)


def test_each_student_is_told_of_with_what_was_sent_as_whom_and_the_answer(canvas: Canvas) -> None:
    canvas.refused[13] = (403, '{"errors":"closed grading period"}')
    told = Told()
    upload(canvas, ADA, EVE, settings={"comment": "no"}, told=told)
    ada, eve = told.rows
    assert ada == ["mark", "11", "", "10.00", "Kim Teacher (7)", "taken", ""]
    assert eve[:6] == ["mark", "13", "1.00", "7.50", "Kim Teacher (7)", "refused"]
    assert "closed grading period" in eve[6]
    assert told.done == [(1, 2), (2, 2)]


def test_what_is_sent_is_told_before_it_leaves(canvas: Canvas) -> None:
    class Early(Told):
        def begin(self, changes: Sequence[ExportChange], as_account: str) -> Sequence[int]:
            assert not canvas.puts
            return super().begin(changes, as_account)

    told = Early()
    upload(canvas, ADA, told=told)
    assert told.rows
    assert canvas.puts


def test_a_comment_is_told_of_beside_its_score(canvas: Canvas) -> None:
    told = Told()
    upload(canvas, ADA, told=told)
    assert [row[:4] for row in told.rows] == [
        ["mark", "11", "", "10.00"],
        ["comment", "11", "", format_score_comment(ADA.report)],
    ]
