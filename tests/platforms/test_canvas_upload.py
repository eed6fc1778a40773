"""Uploads to Canvas: what arrives, and what is refused or lost."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from autograder.faults import CallerFault
from autograder.platforms import ExportChange, ExportOptions, require_platform
from autograder.platforms.canvas.score_upload import LONGEST, format_score_comment
from autograder.store.audit import LastExportedValue, WrittenKey
from tests.platforms.canvas_class import of_canvas
from tests.platforms.canvas_stand_in import Canvas
from tests.platforms.canvas_uploads import ADA, BOB, EVE, MAX, upload
from tests.platforms.classes import EVERYBODYS, Told, result
from tests.reports.sample import a_report

# ------------------------------------------------------------------ canvas upload


def test_a_new_score_and_its_comment_arrive(canvas: Canvas) -> None:
    made = upload(canvas, ADA)
    assert canvas.students[11]["score"] == 10.0
    assert canvas.comments(11) == [format_score_comment(ADA.report)]
    assert [(one.student, one.before, one.after) for one in made.changes] == [("Ada, A (11)", "", "10.00")]
    assert not made.failed


def test_students_on_later_pages_are_found(canvas: Canvas) -> None:
    assert not upload(canvas, EVE).failed
    assert canvas.students[13]["score"] == 7.5


def test_what_is_there_is_not_sent_again(canvas: Canvas) -> None:
    upload(canvas, ADA, BOB, EVE)
    count = len(canvas.puts)
    again = upload(canvas, ADA, BOB, EVE)
    assert count == 3
    assert len(canvas.puts) == count
    assert all(one.before == one.after for one in again.changes)


def test_only_what_changed_is_sent(canvas: Canvas) -> None:
    upload(canvas, BOB)
    ((_, first),) = canvas.puts
    assert {*first} == {"comment[text_comment]", "comment[group_comment]"}
    upload(canvas, result("bob", 6.0, BOB.origin, report=BOB.report))
    assert canvas.puts[1][1] == {"submission[posted_grade]": "6.00"}


def test_comments_can_be_left_out(canvas: Canvas) -> None:
    upload(canvas, ADA, BOB, settings={"comment": "no"})
    assert canvas.puts == [
        ("/api/v1/courses/101/assignments/4711/submissions/11", {"submission[posted_grade]": "10.00"})
    ]


def test_a_dry_run_shows_everything_and_sends_nothing(canvas: Canvas) -> None:
    made = upload(canvas, ADA, EVE, dry_run=True)
    assert [(one.before, one.after) for one in made.changes] == [("", "10.00"), ("1.00", "7.50")]
    assert made.missing == ("Bob, B (12)", "Max, M (14)")
    assert made.notes == ("new comments: 2",)
    assert not canvas.puts


@pytest.mark.parametrize("state", [{"excused": True}, {"assignment_visible": False}])
def test_who_is_excused_or_has_not_the_assignment_gets_nothing(canvas: Canvas, state: dict[str, bool]) -> None:
    canvas.students[11].update(state)
    made = upload(canvas, ADA)
    assert "left unchanged" in made.changes[0].note
    assert not canvas.puts


def test_what_canvas_took_off_for_lateness_is_no_change(canvas: Canvas) -> None:
    canvas.students[12].update(score=4.0, points_deducted=1.0)
    assert upload(canvas, BOB, settings={"comment": "no"}).changes[0].before == "5.00"
    assert not canvas.puts


def test_scores_are_scaled_to_the_assignment(canvas: Canvas) -> None:
    canvas.assignment["points_possible"] = 100.0
    assert upload(canvas, ADA).changes[0].after == "50.00"


@pytest.mark.parametrize("said", ["No", "none", "false"])
def test_a_word_that_might_mean_no_comments_sends_nothing(canvas: Canvas, said: str) -> None:
    with pytest.raises(CallerFault, match=rf"unknown value '{said}' of comment \(choose from yes, no\)"):
        upload(canvas, ADA, settings={"comment": said})
    assert not canvas.puts


def test_a_group_whose_members_are_known_gets_a_comment_each(canvas: Canvas) -> None:
    team = result("team", 4.0, None, {"login": "login11"}, {"login": "login14"})
    upload(canvas, team)
    assert [path.rpartition("/")[2] for path, _ in canvas.puts] == ["11", "14"]
    assert not any("comment[group_comment]" in put for _, put in canvas.puts)


def test_a_comment_says_the_points_and_what_to_look_at() -> None:
    said = format_score_comment(a_report())
    assert said.splitlines()[0] == "5 of 20 points and 1 of 4 bonus points"
    assert said.splitlines()[1] == "Gradients are assigned with `=` (accumulation) How often is a paid?"
    assert (
        said.splitlines()[2]
        == "accumulation, 5 of 15: It holds that second, as in `a + a`. failed: a.grad is 1.0 zebra"
    )
    assert len(format_score_comment(a_report("z" * 9000))) == LONGEST


# ------------------------------------------------------------------ canvas settings


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"course": "102"}, "Canvas shows no such course or assignment"),
        ({"course": ""}, r"missing setting --set course="),
        ({"assignment": "4711/../5"}, "is not a number"),
        ({"url": "http://canvas.example.edu"}, "the address does not begin with https"),
        ({"url": "canvas.example.edu"}, "the address does not begin with https"),
        ({"url": "http://127.0.0.1:9"}, "cannot reach Canvas"),
    ],
)
def test_a_wrong_setting_is_a_fault_before_anything_is_sent(
    canvas: Canvas, settings: dict[str, str], what: str
) -> None:
    with pytest.raises(CallerFault, match=what):
        upload(canvas, ADA, settings=settings)
    assert not canvas.puts


@pytest.mark.parametrize("token", ["", "wrong", "two\nlines", "schlüssel"])
def test_a_wrong_token_is_a_fault_and_is_not_repeated(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("CANVAS_TOKEN", token)
    with pytest.raises(CallerFault, match="New Access Token") as told:
        upload(canvas, ADA)
    assert not token or token not in str(told.value)


def test_without_canvasapi_it_is_said_how_to_get_it(canvas: Canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "canvasapi", None)
    with pytest.raises(CallerFault, match=r"pip install .*\[canvas\]'"):
        upload(canvas, ADA)


def test_another_server_is_told_to_be_no_canvas(canvas: Canvas) -> None:
    canvas.answers = [(200, {}, "<html>Log in</html>")]
    with pytest.raises(CallerFault, match="does not answer as Canvas does"):
        upload(canvas, ADA)


def test_an_assignment_without_points_is_refused(canvas: Canvas) -> None:
    canvas.assignment["grading_type"] = "pass_fail"
    with pytest.raises(CallerFault, match="HW1: the assignment is not graded in points"):
        upload(canvas, ADA)


def checked(canvas: Canvas, **settings: str) -> list[str]:
    checker = require_platform("canvas").checker
    assert checker is not None
    return [*checker(ExportOptions(settings={"url": canvas.url, "course": "101", "assignment": "4711", **settings}))]


def test_a_check_says_address_account_course_and_assignment_and_sends_nothing(canvas: Canvas) -> None:
    assert checked(canvas) == [
        f"address: {canvas.url}",
        "token: of Kim Teacher (7)",
        "course: 101, in which marks may be set",
        "assignment: HW1 (4711), 20 points",
        "students: 5",
    ]
    assert {method for method, _, _ in canvas.requests} == {"GET"}


def test_a_check_tells_a_token_that_may_not_grade(canvas: Canvas) -> None:
    canvas.may_grade = False
    with pytest.raises(CallerFault, match="the token's owner may not set marks"):
        checked(canvas)


# ------------------------------------------------------------------ canvas refusals


@pytest.mark.parametrize(
    ("status", "text", "why"),
    [
        (404, '{"errors":[]}', "Not Found"),
        (422, '{"errors":{"grade":"is not a number"}}', "is not a number"),
        (403, '{"errors":"closed grading period"}', "closed grading period"),
        (401, '{"status":"unauthorized","errors":[{"message":"not permitted"}]}', "not permitted"),
        (400, "bad\x1b[31m", r"bad\\x1b"),
    ],
)
def test_a_refusal_is_told_for_its_student_and_the_others_go_on(
    canvas: Canvas, status: int, text: str, why: str
) -> None:
    canvas.refused[11] = (status, text)
    made = upload(canvas, ADA, EVE)
    assert len(made.failed) == 1
    with pytest.raises(AssertionError, match=rf"^Ada, A \(11\): .*{why}"):
        raise AssertionError(made.failed[0])
    assert [one.student for one in made.changes] == ["Eve, E (13)"]
    assert len(canvas.puts) == 2


def test_what_may_have_arrived_is_not_sent_again_by_itself_nor_by_the_next_upload(canvas: Canvas) -> None:
    canvas.lost.add(11)
    made = upload(canvas, ADA)
    assert "Canvas did not confirm the change" in made.failed[0]
    assert len(canvas.puts) == 1
    canvas.lost.clear()
    assert not upload(canvas, ADA).failed
    assert len(canvas.puts) == 1
    assert len(canvas.comments(11)) == 1


def test_after_three_lost_answers_in_a_row_it_ends(canvas: Canvas) -> None:
    canvas.refused = dict.fromkeys((11, 12, 13, 14), (500, "{}"))
    made = upload(canvas, ADA, BOB, EVE, MAX)
    assert len(canvas.puts) == 3
    assert made.failed[-1] == "1 more were not sent; upload once more"


def test_lost_answers_that_are_not_in_a_row_end_nothing(canvas: Canvas) -> None:
    canvas.refused = dict.fromkeys((11, 12, 14), (500, "{}"))
    canvas.add(16, "Zoe, Z")
    zoe = result("zoe", 1.0, of_canvas("zoe_16_1_value.py"))
    assert len(upload(canvas, ADA, BOB, EVE, MAX, zoe).failed) == 3
    assert canvas.students[16]["score"] == 1.0


def test_a_token_that_is_taken_back_ends_it(canvas: Canvas) -> None:
    canvas.puts_answers = [(401, {"WWW-Authenticate": "Bearer"}, '{"errors":[{"message":"Revoked access token."}]}')]
    made = upload(canvas, ADA, EVE)
    assert "Canvas no longer accepts the token" in made.failed[0]
    assert made.failed[1] == "1 more were not sent; upload once more"
    assert len(canvas.puts) == 1


def test_after_a_lost_answer_what_canvas_holds_tells_whether_it_arrived(canvas: Canvas) -> None:
    canvas.students[13]["graded_at"] = "2026-11-20T10:00:00Z"
    unanswered: dict[WrittenKey, LastExportedValue] = {
        ("mark", "4711", "13"): LastExportedValue("1.00", "7.50", "2026-11-20T10:00:00Z")
    }
    upload(canvas, EVE, overwrite=frozenset(), written=unanswered)
    assert canvas.students[13]["score"] == 7.5  # nothing had changed there since
    canvas.students[13].update(score=1.0, entered_score=1.0, graded_at="2026-11-21T10:00:00Z")
    assert upload(canvas, EVE, overwrite=frozenset(), written=unanswered).changes[0].wanted


# ------------------------------------------------------------------ canvas waits


def test_a_score_is_not_sent_twice_because_canvas_is_busy(canvas: Canvas) -> None:
    canvas.puts_answers = [(503, {}, "busy")]
    assert "upload once more" in upload(canvas, ADA).failed[0]
    assert len(canvas.puts) == 1


def test_reading_is_tried_again_while_canvas_is_busy(canvas: Canvas) -> None:
    canvas.answers = [(503, {}, "busy")]
    assert not upload(canvas, ADA).failed


THROTTLED = [(429, {}, ""), (403, {"X-Rate-Limit-Remaining": "0"}, "403 Forbidden (Rate Limit Exceeded)")]


@pytest.mark.parametrize("answer", THROTTLED)
def test_a_score_for_which_canvas_was_busy_is_refused_and_the_next_one_goes_on(
    canvas: Canvas, answer: tuple[int, dict[str, str], str]
) -> None:
    canvas.puts_answers = [answer]
    told = Told()
    made = upload(canvas, ADA, EVE, settings={"comment": "no"}, told=told)
    assert "Canvas received too many requests" in made.failed[0]
    assert [row[5] for row in told.rows] == ["refused", "taken"]


def test_after_three_students_for_whom_canvas_was_busy_it_ends(canvas: Canvas) -> None:
    canvas.puts_answers = [THROTTLED[0]] * 4
    made = upload(canvas, ADA, BOB, EVE, MAX)
    assert made.failed[-1] == "1 more were not sent; upload once more"


# ------------------------------------------------------------------ decisions of people


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
