"""A wrong address, token, course or assignment of Canvas is a fault before anything is sent."""

from __future__ import annotations

import sys

import pytest

from autograder.faults import CallerFault
from autograder.platforms import ExportOptions, require_platform
from tests.platforms.canvas_stand_in import Canvas
from tests.platforms.canvas_uploads import ADA, upload


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


@pytest.mark.parametrize("settings", [{"course": "102"}, {"assignment": "5"}, {"url": "http://127.0.0.1:9"}])
def test_a_check_tells_what_is_wrong(canvas: Canvas, settings: dict[str, str]) -> None:
    with pytest.raises(CallerFault, match=r"Canvas shows no such course or assignment|cannot reach Canvas"):
        checked(canvas, **settings)
