"""Scores go to Canvas's web service one by one: only what changes, and every refusal is told."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

import pytest

from autograder.faults import CallerFault
from autograder.platforms import Export, Given, Result, platform_of
from autograder.platforms.canvas import patience
from autograder.platforms.canvas.comment import LONGEST, comment_on
from tests.platforms.canvas_class import a_class, of_canvas, result
from tests.platforms.canvas_stand_in import TOKEN, Canvas, running
from tests.reports.sample import a_report

ADA = result("ada", 10.0, of_canvas("adaa_11_67890_value.py"))
BOB = result("bob", 5.0, of_canvas("bobb_12_67891_value.py"))
EVE = result("eve", 7.5, of_canvas("evee_13_67892_value.py"))
THROTTLED = (403, {"X-Rate-Limit-Remaining": "0.0"}, "403 Forbidden (Rate Limit Exceeded)")


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[Canvas]:
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    held = Canvas()
    held.add(11, "Ada, A")
    held.add(12, "Bob, B", 5.0)
    held.add(13, "Eve, E", 1.0)
    held.add(14, "Max, M")
    held.add(15, "Student, Test")
    with running(held):
        yield held


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []

    monkeypatch.setattr(patience, "wait", waited.append)
    return waited


def sent(canvas: Canvas, *rows: Result, dry_run: bool = False, settings: Mapping[str, str] | None = None) -> Export:
    uploader = platform_of("canvas").uploader
    assert uploader is not None
    known = {"url": canvas.url, "course": "101", "assignment": "4711", **(settings or {})}
    return uploader(a_class(*rows), Given(settings=known), dry_run, lambda done, of: None)


def test_a_new_score_and_its_comment_arrive(canvas: Canvas) -> None:
    made = sent(canvas, ADA)
    assert canvas.students[11]["score"] == 10.0
    assert canvas.comments(11) == [comment_on(ADA.report)]
    assert [(one.student, one.before, one.after) for one in made.changes] == [("Ada, A (11)", "", "10.00")]
    assert not made.failed


def test_students_on_later_pages_are_found(canvas: Canvas) -> None:
    assert not sent(canvas, EVE).failed
    assert canvas.students[13]["score"] == 7.5


def test_what_is_there_is_not_sent_again(canvas: Canvas) -> None:
    sent(canvas, ADA, BOB, EVE)
    count = len(canvas.puts)
    again = sent(canvas, ADA, BOB, EVE)
    assert count == 3
    assert len(canvas.puts) == count
    assert all(one.before == one.after for one in again.changes)


def test_only_what_changed_is_sent(canvas: Canvas) -> None:
    sent(canvas, BOB)
    ((_, first),) = canvas.puts
    assert {*first} == {"comment[text_comment]", "comment[group_comment]"}
    sent(canvas, result("bob", 6.0, BOB.origin, report=BOB.report))
    assert canvas.puts[1][1] == {"submission[posted_grade]": "6.00"}


def test_comments_can_be_left_out(canvas: Canvas) -> None:
    sent(canvas, ADA, BOB, settings={"comment": "no"})
    assert canvas.puts == [
        ("/api/v1/courses/101/assignments/4711/submissions/11", {"submission[posted_grade]": "10.00"})
    ]


def test_a_dry_run_shows_everything_and_sends_nothing(canvas: Canvas) -> None:
    made = sent(canvas, ADA, EVE, dry_run=True)
    assert [(one.before, one.after) for one in made.changes] == [("", "10.00"), ("1.00", "7.50")]
    assert made.missing == ("Bob, B (12)", "Max, M (14)")
    assert made.notes == ("new comments: 2",)
    assert not canvas.puts


@pytest.mark.parametrize("state", [{"excused": True}, {"assignment_visible": False}])
def test_who_is_excused_or_has_not_the_assignment_gets_nothing(canvas: Canvas, state: dict[str, bool]) -> None:
    canvas.students[11].update(state)
    made = sent(canvas, ADA)
    assert "left alone" in made.changes[0].note
    assert not canvas.puts


def test_what_canvas_took_off_for_lateness_is_no_change(canvas: Canvas) -> None:
    canvas.students[12].update(score=4.0, points_deducted=1.0)
    assert sent(canvas, BOB, settings={"comment": "no"}).changes[0].before == "5.00"
    assert not canvas.puts


def test_scores_are_scaled_to_the_assignment(canvas: Canvas) -> None:
    canvas.assignment["points_possible"] = 100.0
    assert sent(canvas, ADA).changes[0].after == "50.00"


@pytest.mark.parametrize("said", ["No", "none", "false"])
def test_a_word_that_might_mean_no_comments_sends_nothing(canvas: Canvas, said: str) -> None:
    with pytest.raises(CallerFault, match=f"--set comment={said}: is not understood.*say yes or no"):
        sent(canvas, ADA, settings={"comment": said})
    assert not canvas.puts


def test_a_group_whose_members_are_known_gets_a_comment_each(canvas: Canvas) -> None:
    team = result("team", 4.0, None, {"login": "login11"}, {"login": "login14"})
    sent(canvas, team)
    assert [path.rpartition("/")[2] for path, _ in canvas.puts] == ["11", "14"]
    assert not any("comment[group_comment]" in put for _, put in canvas.puts)


def test_too_many_requests_are_waited_for(canvas: Canvas, waits: list[float]) -> None:
    canvas.answers = [THROTTLED, THROTTLED, (429, {"Retry-After": "7"}, "")]
    assert not sent(canvas, ADA).failed
    assert waits == [1, 2, 7]
    assert canvas.students[11]["score"] == 10.0


@pytest.mark.parametrize(
    "answer",
    [
        (403, {}, "403 Forbidden (Rate Limit Exceeded)"),
        (403, {"X-Rate-Limit-Remaining": "-12.5"}, ""),
        (403, {"X-Rate-Limit-Remaining": "0"}, ""),
    ],
)
def test_every_way_to_say_too_many_is_understood(
    canvas: Canvas, waits: list[float], answer: tuple[int, dict[str, str], str]
) -> None:
    canvas.puts_answers = [answer]
    assert not sent(canvas, ADA).failed
    assert waits == [1]


def test_a_score_is_not_sent_twice_because_canvas_is_busy(canvas: Canvas, waits: list[float]) -> None:
    canvas.puts_answers = [(503, {}, "busy")]
    assert "upload once more" in sent(canvas, ADA).failed[0]
    assert len(canvas.puts) == 1
    assert waits == []


def test_a_score_that_was_throttled_is_sent_once(canvas: Canvas, waits: list[float]) -> None:
    canvas.puts_answers = [THROTTLED]
    assert not sent(canvas, ADA).failed
    assert len(waits) == 1
    assert len(canvas.comments(11)) == 1


def test_canvas_is_waited_for_a_few_times_and_then_given_up(canvas: Canvas, waits: list[float]) -> None:
    canvas.answers = [THROTTLED] * 20
    with pytest.raises(CallerFault, match=r"does not say: .*Rate Limit.*try again later"):
        sent(canvas, ADA)
    assert len(waits) == len(patience.WAITS)


def test_reading_is_tried_again_while_canvas_is_busy(canvas: Canvas, waits: list[float]) -> None:
    canvas.answers = [(503, {}, "busy")]
    assert not sent(canvas, ADA).failed
    assert waits == [1]


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
    canvas: Canvas, waits: list[float], status: int, text: str, why: str
) -> None:
    canvas.refused[11] = (status, text)
    made = sent(canvas, ADA, EVE)
    assert len(made.failed) == 1
    with pytest.raises(AssertionError, match=rf"^Ada, A \(11\): .*{why}"):
        raise AssertionError(made.failed[0])
    assert [one.student for one in made.changes] == ["Eve, E (13)"]
    assert len(canvas.puts) == 2
    assert waits == []


def test_what_may_have_arrived_is_not_sent_again_by_itself_nor_by_the_next_upload(canvas: Canvas) -> None:
    canvas.lost.add(11)
    made = sent(canvas, ADA)
    assert "it is not known whether it arrived" in made.failed[0]
    assert len(canvas.puts) == 1
    canvas.lost.clear()
    assert not sent(canvas, ADA).failed
    assert len(canvas.puts) == 1
    assert len(canvas.comments(11)) == 1


def test_after_three_lost_answers_in_a_row_it_ends(canvas: Canvas) -> None:
    canvas.refused = dict.fromkeys((11, 12, 13, 14), (500, "{}"))
    max_ = result("max", 1.0, of_canvas("maxm_14_67893_value.py"))
    made = sent(canvas, ADA, BOB, EVE, max_)
    assert len(canvas.puts) == 3
    assert made.failed[-1] == "1 more: not tried; upload once more"


def test_lost_answers_that_are_not_in_a_row_end_nothing(canvas: Canvas) -> None:
    canvas.refused = dict.fromkeys((11, 12, 14), (500, "{}"))
    canvas.add(16, "Zoe, Z")
    max_, zoe = (result(name, 1.0, of_canvas(f"{name}_{id_}_1_value.py")) for name, id_ in (("max", 14), ("zoe", 16)))
    assert len(sent(canvas, ADA, BOB, EVE, max_, zoe).failed) == 3
    assert canvas.students[16]["score"] == 1.0


def test_a_token_that_is_taken_back_ends_it(canvas: Canvas) -> None:
    canvas.puts_answers = [(401, {"WWW-Authenticate": "Bearer"}, '{"errors":[{"message":"Revoked access token."}]}')]
    made = sent(canvas, ADA, EVE)
    assert "token does not count any more" in made.failed[0]
    assert made.failed[1] == "1 more: not tried; upload once more"
    assert len(canvas.puts) == 1


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"course": "102"}, "shows no such course or assignment"),
        ({"course": ""}, r"--set course=: is missing"),
        ({"assignment": "4711/../5"}, "is no id"),
        ({"url": "http://canvas.example.edu"}, "is no address that begins with https"),
        ({"url": "canvas.example.edu"}, "is no address that begins with https"),
        ({"url": "http://127.0.0.1:9"}, "cannot be reached"),
    ],
)
def test_a_wrong_setting_is_a_fault_before_anything_is_sent(
    canvas: Canvas, settings: dict[str, str], what: str
) -> None:
    with pytest.raises(CallerFault, match=what):
        sent(canvas, ADA, settings=settings)
    assert not canvas.puts


@pytest.mark.parametrize("token", ["", "wrong", "two\nlines", "schlüssel"])
def test_a_wrong_token_is_a_fault_and_is_not_repeated(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("CANVAS_TOKEN", token)
    with pytest.raises(CallerFault, match="New Access Token") as told:
        sent(canvas, ADA)
    assert not token or token not in str(told.value)


def test_without_canvasapi_it_is_said_how_to_get_it(canvas: Canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "canvasapi", None)
    with pytest.raises(CallerFault, match=r"pip install 'autograd-exercise-kit\[canvas\]'"):
        sent(canvas, ADA)


def test_another_server_is_told_to_be_no_canvas(canvas: Canvas) -> None:
    canvas.answers = [(200, {}, "<html>Log in</html>")]
    with pytest.raises(CallerFault, match="does not answer as Canvas does"):
        sent(canvas, ADA)


def test_an_assignment_without_points_is_refused(canvas: Canvas) -> None:
    canvas.assignment["grading_type"] = "pass_fail"
    with pytest.raises(CallerFault, match="HW1: is not graded in points"):
        sent(canvas, ADA)


def test_a_comment_says_the_points_and_what_to_look_at() -> None:
    said = comment_on(a_report())
    assert said.splitlines()[0] == "5 of 20 points + 1 bonus"
    assert "accumulation, 5 of 15: It holds that second" in said
    assert len(comment_on(a_report("z" * 9000))) == LONGEST
