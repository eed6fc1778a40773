"""Scores and comments go to Canvas's web service one by one, and only what changes."""

from __future__ import annotations

import pytest

from autograder.faults import CallerFault
from autograder.platforms.canvas.score_comment import LONGEST, format_score_comment
from tests.platforms.canvas_stand_in import Canvas
from tests.platforms.canvas_uploads import ADA, BOB, EVE, upload
from tests.platforms.classes import result
from tests.reports.sample import a_report


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
