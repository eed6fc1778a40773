"""A refusal is told for its student; a score whose answer was lost is not sent twice."""

from __future__ import annotations

import pytest

from autograder.store.last_exported_value import LastExportedValue, WrittenKey
from tests.platforms.canvas_class import of_canvas
from tests.platforms.canvas_stand_in import Canvas
from tests.platforms.canvas_uploads import ADA, BOB, EVE, MAX, upload
from tests.platforms.classes import result


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
    made = upload(canvas, ADA, EVE)
    assert len(made.failed) == 1
    with pytest.raises(AssertionError, match=rf"^Ada, A \(11\): .*{why}"):
        raise AssertionError(made.failed[0])
    assert [one.student for one in made.changes] == ["Eve, E (13)"]
    assert len(canvas.puts) == 2
    assert waits == []


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
        ("mark", "4711", "13"): LastExportedValue("1.00", "7.50", "2026-11-20T10:00:00Z"),
    }
    upload(canvas, EVE, overwrite=frozenset(), written=unanswered)
    assert canvas.students[13]["score"] == 7.5  # nothing had changed there since
    canvas.students[13].update(score=1.0, entered_score=1.0, graded_at="2026-11-21T10:00:00Z")
    assert upload(canvas, EVE, overwrite=frozenset(), written=unanswered).changes[0].wanted
