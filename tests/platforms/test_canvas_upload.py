"""Scores go to Canvas's web service one by one: only what changes, and every refusal is told."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from threading import Event

import pytest
import requests

from autograder.faults import CallerFault
from autograder.platforms import ClassExport, ExportOptions, GradeChange, StudentResult, get_platform
from autograder.platforms.canvas import request_retries, web_service
from autograder.platforms.canvas.score_comment import LONGEST, format_score_comment
from autograder.store.last_written_value import LastWrittenValue, WrittenKey
from tests.platforms.canvas_class import of_canvas
from tests.platforms.canvas_stand_in import TOKEN, Canvas, running
from tests.platforms.classes import EVERYBODYS, Told, a_class, result
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

    monkeypatch.setattr(request_retries, "wait", waited.append)
    return waited


def sent(
    canvas: Canvas,
    *rows: StudentResult,
    dry_run: bool = False,
    settings: Mapping[str, str] | None = None,
    overwrite: frozenset[str] = EVERYBODYS,
    written: Mapping[WrittenKey, LastWrittenValue] | None = None,
    told: Told | None = None,
) -> ClassExport:
    uploader = get_platform("canvas").uploader
    assert uploader is not None
    known = {"url": canvas.url, "course": "101", "assignment": "4711", **(settings or {})}
    given = ExportOptions(settings=known, overwrite=overwrite, written=written or {})
    return uploader(a_class(*rows), given, dry_run, told or Told())


def test_a_new_score_and_its_comment_arrive(canvas: Canvas) -> None:
    made = sent(canvas, ADA)
    assert canvas.students[11]["score"] == 10.0
    assert canvas.comments(11) == [format_score_comment(ADA.report)]
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
    assert len(waits) == len(request_retries.WAIT_SECONDS)


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
    said = format_score_comment(a_report())
    assert said.splitlines()[0] == "5 of 20 points and 1 of 4 bonus points"
    assert said.splitlines()[1] == "Gradients are assigned with `=` (accumulation) How often is a paid?"
    assert (
        said.splitlines()[2]
        == "accumulation, 5 of 15: It holds that second, as in `a + a`. failed: a.grad is 1.0 zebra"
    )
    assert len(format_score_comment(a_report("z" * 9000))) == LONGEST


# What people decided


def test_a_score_that_a_person_set_is_kept_and_nothing_is_said_to_the_student(canvas: Canvas) -> None:
    canvas.students[11].update(score=20.0, entered_score=20.0)
    own: dict[WrittenKey, LastWrittenValue] = {
        ("mark", "4711", "11"): LastWrittenValue("", "15.80", was_confirmed=True)
    }
    made = sent(canvas, ADA, overwrite=frozenset(), written=own)
    assert not canvas.puts
    assert [(one.before, one.after, one.wanted) for one in made.changes] == [("20.00", "20.00", "10.00")]


def test_a_score_that_the_kit_wrote_last_is_replaced(canvas: Canvas) -> None:
    own: dict[WrittenKey, LastWrittenValue] = {
        ("mark", "4711", "12"): LastWrittenValue("", "5.00", was_confirmed=True)
    }
    sent(canvas, result("bob", 6.0, BOB.origin), overwrite=frozenset(), written=own)
    assert canvas.students[12]["score"] == 6.0


def test_a_score_that_was_taken_away_stays_away(canvas: Canvas) -> None:
    own: dict[WrittenKey, LastWrittenValue] = {
        ("mark", "4711", "11"): LastWrittenValue("", "15.80", was_confirmed=True)
    }
    assert sent(canvas, ADA, overwrite=frozenset(), written=own).changes[0].wanted == "10.00"
    assert not canvas.puts


def test_a_score_that_is_set_while_the_upload_runs_is_kept(canvas: Canvas) -> None:
    canvas.meanwhile[11] = lambda: canvas.students[11].update(score=20.0, entered_score=20.0)
    made = sent(canvas, ADA, EVE, overwrite=EVERYBODYS)
    assert made.failed == ("Ada, A (11): somebody changed it a moment ago, which stays",)
    assert (canvas.students[11]["score"], canvas.students[13]["score"]) == (20.0, 7.5)


def test_after_a_lost_answer_what_canvas_holds_tells_whether_it_arrived(canvas: Canvas) -> None:
    canvas.students[13]["graded_at"] = "2026-11-20T10:00:00Z"
    unanswered: dict[WrittenKey, LastWrittenValue] = {
        ("mark", "4711", "13"): LastWrittenValue("1.00", "7.50", "2026-11-20T10:00:00Z"),
    }
    sent(canvas, EVE, overwrite=frozenset(), written=unanswered)
    assert canvas.students[13]["score"] == 7.5  # nothing had changed there since
    canvas.students[13].update(score=1.0, entered_score=1.0, graded_at="2026-11-21T10:00:00Z")
    assert sent(canvas, EVE, overwrite=frozenset(), written=unanswered).changes[0].wanted


# What is told of each student


def test_each_student_is_told_of_with_what_was_sent_as_whom_and_the_answer(canvas: Canvas) -> None:
    canvas.refused[13] = (403, '{"errors":"closed grading period"}')
    told = Told()
    sent(canvas, ADA, EVE, settings={"comment": "no"}, told=told)
    ada, eve = told.rows
    assert ada == ["mark", "11", "", "10.00", "Kim Teacher (7)", "taken", ""]
    assert eve[:6] == ["mark", "13", "1.00", "7.50", "Kim Teacher (7)", "refused"]
    assert "closed grading period" in eve[6]
    assert told.done == [(1, 2), (2, 2)]


def test_what_is_sent_is_told_before_it_leaves(canvas: Canvas) -> None:
    class Early(Told):
        def begin(self, changes: Sequence[GradeChange], as_account: str) -> Sequence[int]:
            assert not canvas.puts
            return super().begin(changes, as_account)

    told = Early()
    sent(canvas, ADA, told=told)
    assert told.rows
    assert canvas.puts


def test_a_comment_is_told_of_beside_its_score(canvas: Canvas) -> None:
    told = Told()
    sent(canvas, ADA, told=told)
    assert [row[:4] for row in told.rows] == [
        ["mark", "11", "", "10.00"],
        ["comment", "11", "", format_score_comment(ADA.report)],
    ]


def test_one_student_whose_answer_never_comes_does_not_hold_up_the_others(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_service, "SECONDS_FOR_A_STUDENT", 1.0)
    canvas.silent.add(11)
    told = Told()
    made = sent(canvas, ADA, EVE, settings={"comment": "no"}, told=told)
    assert "it is not known whether it arrived" in made.failed[0]
    assert canvas.students[13]["score"] == 7.5
    assert [row[5] for row in told.rows] == ["unknown", "taken"]


def test_what_comes_byte_by_byte_is_not_waited_for() -> None:
    never = Event()
    with pytest.raises(TimeoutError, match=r"no answer within 0\.05 seconds"):
        request_retries.run_with_time_limit(0.05, never.wait)
    never.set()


def test_a_score_whose_time_is_over_is_not_sent_later(canvas: Canvas) -> None:
    session = requests.Session()
    session.mount("http://", request_retries.RetryingAdapter())

    def late() -> None:
        request_retries.TIME_LIMIT.over = 0.0
        session.put(f"{canvas.url}/api/v1/x")

    with pytest.raises(requests.Timeout, match="its time was over"):
        request_retries.run_with_time_limit(60, late)
    assert not canvas.requests


def test_a_wait_that_is_longer_than_a_students_time_is_a_refusal(canvas: Canvas, waits: list[float]) -> None:
    canvas.puts_answers = [(429, {"Retry-After": "120"}, "")]
    told = Told()
    made = sent(canvas, ADA, EVE, settings={"comment": "no"}, told=told)
    assert "Canvas is asked too often" in made.failed[0]
    assert waits == []
    assert [row[5] for row in told.rows] == ["refused", "taken"]


def test_after_three_students_for_whom_canvas_was_busy_it_ends(canvas: Canvas, waits: list[float]) -> None:
    canvas.puts_answers = [(429, {"Retry-After": "120"}, "")] * 4
    max_ = result("max", 1.0, of_canvas("maxm_14_67893_value.py"))
    made = sent(canvas, ADA, BOB, EVE, max_)
    assert made.failed[-1] == "1 more: not tried; upload once more"


# A check


def checked(canvas: Canvas, **settings: str) -> list[str]:
    checker = get_platform("canvas").checker
    assert checker is not None
    return [*checker(ExportOptions(settings={"url": canvas.url, "course": "101", "assignment": "4711", **settings}))]


def test_a_check_says_address_account_course_and_assignment_and_sends_nothing(canvas: Canvas) -> None:
    assert checked(canvas) == [
        f"address: {canvas.url}",
        "token: of Kim Teacher (7)",
        "course: 101, in which scores may be set",
        "assignment: HW1 (4711), 20 points",
        "students: 5",
    ]
    assert {method for method, _, _ in canvas.requests} == {"GET"}


def test_a_check_tells_a_token_that_may_not_grade(canvas: Canvas) -> None:
    canvas.may_grade = False
    with pytest.raises(CallerFault, match="does not let this token's owner set scores"):
        checked(canvas)


@pytest.mark.parametrize("settings", [{"course": "102"}, {"assignment": "5"}, {"url": "http://127.0.0.1:9"}])
def test_a_check_tells_what_is_wrong(canvas: Canvas, settings: dict[str, str]) -> None:
    with pytest.raises(CallerFault, match=r"shows no such course or assignment|cannot be reached"):
        checked(canvas, **settings)
