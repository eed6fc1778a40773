"""A real Moodle has every mark in the end, whatever happens on the way."""

from __future__ import annotations

import random
import time

import pytest

from autograder.web.lti.tool import make_lti_tool
from autograder.web.store.server_store import ServerStore
from tests.web.live_moodle import STUDENTS, MoodleClass, put_all
from tests.web.lti.faulty_http import LATE_SECONDS, Accident
from tests.web.lti.killed_sender import KilledSender

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("moodle")]


@pytest.mark.parametrize("accident", ["drop before", "drop after", "403", "409", "429", "503"])
def test_an_accident_on_the_way_costs_no_mark(moodle_class: MoodleClass, accident: Accident) -> None:
    moodle_class.put("s0", 10.0, "before")
    moodle_class.send()
    moodle_class.put("s0", 15.5, "after")
    assert moodle_class.send(accident)["s0"].state == "sent"
    assert moodle_class.list_differences() == []


def test_after_a_lost_answer_moodle_is_asked_before_anything_is_sent_again(moodle_class: MoodleClass) -> None:
    moodle_class.put("s0", 15.5, "stored, and no answer came")
    mark = moodle_class.send("drop after")["s0"]
    asked = moodle_class.site.in_store(lambda store: store.mark_requests.list_requests(mark.id))
    assert [one.what for one in asked] == ["results", "score", "results"]
    assert moodle_class.list_differences() == []


def test_a_message_that_arrives_late_does_not_undo_a_later_one(moodle_class: MoodleClass) -> None:
    moodle_class.put("s0", 5.0, "early")
    moodle_class.send("late")
    moodle_class.put("s0", 20.0, "later")
    moodle_class.send()
    time.sleep(LATE_SECONDS + 1)
    assert moodle_class.list_differences() == []


def test_a_key_that_is_replaced_costs_no_mark(moodle_class: MoodleClass) -> None:
    moodle_class.put("s0", 5.0, "old key")
    moodle_class.send()
    make_lti_tool(moodle_class.site.settings.location.output_folder).keys.rotate_key()
    moodle_class.put("s0", 6.0, "new key")
    assert moodle_class.send()["s0"].state == "sent"
    assert moodle_class.list_differences() == []


def test_with_accidents_every_second_time_all_marks_arrive(moodle_class: MoodleClass) -> None:
    put_all(moodle_class, random.Random(2))
    moodle_class.send(rate=0.5)
    time.sleep(LATE_SECONDS + 1)
    retry_rejected(moodle_class)
    assert moodle_class.list_differences() == []


def test_no_mark_is_lost_when_the_sender_is_killed_again_and_again(moodle_class: MoodleClass) -> None:
    chance = random.Random(3)
    sender = KilledSender(moodle_class.site.settings.location, 0.1, chance)
    settle_others(moodle_class)
    put_all(moodle_class, chance)
    for number in range(10):
        sender.kill_in_the_middle()
        moodle_class.put(
            f"s{chance.randrange(STUDENTS)}", chance.randrange(81) / 4, f"regraded {number} {chance.random()}"
        )
    sender.send_the_rest(240)
    time.sleep(LATE_SECONDS + 1)
    assert moodle_class.list_differences() == []


def retry_rejected(moodle_class: MoodleClass) -> None:
    """Try again what was given up, as the staff does."""
    rejected = [one.id for one in moodle_class.list_marks().values() if one.state == "rejected"]
    moodle_class.site.in_store(lambda store: store.mark_outbox.requeue_unsent(*rejected))
    moodle_class.send()


def settle_others(moodle_class: MoodleClass) -> None:
    """Let no mark of another class wait for somebody."""

    def action(store: ServerStore) -> None:
        for one in store.mark_outbox.list_marks(""):
            store.mark_outbox.set_state_unless_sending(one, "sent", "")

    moodle_class.site.in_store(action)
