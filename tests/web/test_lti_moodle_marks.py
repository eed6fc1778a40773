"""A real Moodle has every mark and comment that was sent, but for those that its teachers hold."""

from __future__ import annotations

import random

import pytest

from tests.web.live_moodle import MoodleClass, put_all

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("moodle")]


def test_every_mark_and_comment_is_in_moodles_database_and_so_is_every_later_one(moodle_class: MoodleClass) -> None:
    chance = random.Random(1)
    for _ in range(3):  # at once, and again within the same second
        put_all(moodle_class, chance)
        assert {one.state for one in moodle_class.send().values()} == {"sent"}
        assert moodle_class.list_differences() == []


@pytest.mark.parametrize("points", [0.0, 20.0, 13.37, 6.666667])
def test_marks_are_scaled_to_the_points_there(moodle_class: MoodleClass, points: float) -> None:
    moodle_class.put("s0", points, "scaled")
    moodle_class.send()
    assert moodle_class.read("s0")["grade"] == pytest.approx(points / 20 * 10, abs=1e-4)


def test_a_comment_is_kept_when_only_the_points_change(moodle_class: MoodleClass) -> None:
    for points in (5.0, 6.0):
        moodle_class.put("s0", points, "look at line 3")
        moodle_class.send()
    assert (moodle_class.read("s0")["grade"], moodle_class.read("s0")["comment"]) == (3.0, "look at line 3")


def test_what_moodle_has_already_is_not_sent_again(moodle_class: MoodleClass) -> None:
    moodle_class.put("s0", 12.0, "the same")
    mark = moodle_class.send()["s0"]
    moodle_class.site.in_store(lambda store: store.mark_outbox.set_state_unless_sending(mark, "rejected", ""))
    moodle_class.site.in_store(lambda store: store.mark_outbox.requeue_unsent(mark.id))
    assert moodle_class.send()["s0"].state == "sent"
    sent = moodle_class.site.in_store(lambda store: store.mark_requests.list_requests(mark.id))
    assert sum(one.kind == "score" for one in sent) == 1


def test_a_mark_that_a_teacher_overrode_in_the_gradebook_stays_and_is_shown(moodle_class: MoodleClass) -> None:
    moodle_class.put("s0", 10.0, "ours")
    moodle_class.send()
    moodle_class.moodle.do("override", link=moodle_class.link, user=moodle_class.people["s0"], grade=9)
    moodle_class.put("s0", 12.0, "ours, again")
    mark = moodle_class.send()["s0"]
    assert (mark.state, mark.answer) == ("kept", "a person set 9 of 10 on the platform; last sent: 10 of 20")
    assert (moodle_class.read("s0")["grade"], moodle_class.read("s0")["overridden"]) == (9.0, True)


def test_replacing_an_overridden_mark_is_taken_and_kept_out_by_moodle_until_the_override_ends(
    moodle_class: MoodleClass,
) -> None:
    moodle_class.moodle.do("override", link=moodle_class.link, user=moodle_class.people["s0"], grade=9)
    moodle_class.put("s0", 12.0, "ours")
    mark = moodle_class.send()["s0"]
    assert mark.state == "kept"
    moodle_class.site.in_store(
        lambda store: store.mark_outbox.requeue_unsent(mark.id, may_overwrite_mark_of_person=True)
    )
    mark = moodle_class.send()["s0"]
    assert (mark.state, mark.answer) == ("rejected", "the platform took the mark but still shows 9 of 10")
    moodle_class.moodle.do("end_override", link=moodle_class.link, user=moodle_class.people["s0"])
    moodle_class.site.in_store(
        lambda store: store.mark_outbox.requeue_unsent(mark.id, may_overwrite_mark_of_person=True)
    )
    assert moodle_class.send()["s0"].state == "sent"
    assert moodle_class.list_differences() == []


def test_a_locked_mark_is_given_up_and_arrives_when_it_is_unlocked(moodle_class: MoodleClass) -> None:
    moodle_class.put("s0", 10.0, "first")
    moodle_class.send()
    moodle_class.moodle.do("lock", link=moodle_class.link, user=moodle_class.people["s0"], locked=True)
    moodle_class.put("s0", 12.0, "second")
    mark = moodle_class.send()["s0"]
    assert mark.state == "rejected"
    assert mark.answer.startswith("status 500")
    assert moodle_class.read("s0")["grade"] == 5.0
    moodle_class.moodle.do("lock", link=moodle_class.link, user=moodle_class.people["s0"], locked=False)
    moodle_class.site.in_store(lambda store: store.mark_outbox.requeue_unsent(mark.id))
    assert moodle_class.send()["s0"].state == "sent"
    assert moodle_class.list_differences() == []


@pytest.mark.parametrize("who", ["teacher", "s2"])
def test_who_gets_no_marks_there_is_rejected_at_once_with_moodles_answer(moodle_class: MoodleClass, who: str) -> None:
    if who == "s2":
        moodle_class.moodle.do("remove", course=moodle_class.course, user=moodle_class.people["s2"])
    moodle_class.put(who, 10.0, "not a student")
    mark = moodle_class.send()[who]
    assert (mark.state, mark.tries) == ("rejected", 1)
    assert mark.answer.startswith("status 4")
