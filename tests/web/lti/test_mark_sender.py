"""Marks arrive in a gradebook that behaves like Moodle, Open edX or Canvas, whatever happens on the way."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.store.connection import make_store_url
from autograder.web.lti import mark_sender, results
from autograder.web.lti.line_items import COLUMN_DELETED, describe_line_item_problem
from autograder.web.lti.mark_sender import QueuedMarkSender
from autograder.web.lti.results import has_equivalent_points, parse_platform_results
from autograder.web.lti.tool import RESULT_READ_ONLY, SCORE
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark
from autograder.web.store.server_store import ServerStore, open_or_create_store
from tests.web.lti.fake_gradebook import FakeGradebook, Place, connect, serve_gradebook
from tests.web.lti.sending_process import make_test_tool

DATA = Path(__file__).parents[2] / "data" / "lti"
WHEN = "2026-11-20T13:58:00+00:00"


@dataclass
class Class:
    """A class whose marks go to a gradebook."""

    store: ServerStore
    fake: FakeGradebook
    place: Place
    sender: QueuedMarkSender

    def put(self, student: int, points: float, comment: str = "Well done.") -> None:
        self.store.mark_outbox.add_or_replace_mark(
            self.place.line_item, self.place.people[student], self.fake.line_item_url,
            MarkWithComment(points, 20.0, comment, WHEN),
        )  # fmt: skip

    def send(self, seconds: float = 300.0) -> None:
        """Send until nothing waits."""
        end = time.monotonic() + seconds
        while any(one.state in ("queued", "sending") for one in self.marks):
            assert time.monotonic() < end, [one for one in self.marks if one.state == "queued"]
            if not self.sender.try_process_next_mark():
                time.sleep(0.01)

    @property
    def marks(self) -> list[OutboxMark]:
        return self.store.mark_outbox.list_marks("")

    @property
    def states(self) -> list[str]:
        return [one.state for one in self.marks]

    def differences(self) -> list[str]:
        """Whose mark or comment is another in the gradebook."""
        found = []
        for number, mark in enumerate(self.marks):
            there = self.fake.grades.get(f"u{number}")
            share = mark.value.points / mark.value.maximum * self.fake.maximum
            if there is None or abs(there[0] - share) > 0.005 or there[1] != mark.value.comment:
                found.append(f"u{number}: {there} and not {mark.value} ({mark.state})")
        return found


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for hundredths of what a server waits."""
    monkeypatch.setattr(results, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(results, "LONGEST_SECONDS", 1.0)
    monkeypatch.setattr(results, "GROWTH", 1.3)
    monkeypatch.setattr(mark_sender, "PAUSE", mark_sender.PAUSE / 500)


@pytest.fixture
def opened(tmp_path: Path, quick: None, request: pytest.FixtureRequest) -> Iterator[Class]:
    """A class of three."""
    settings: dict[str, Any] = getattr(request, "param", {})
    tool = make_test_tool(tmp_path)
    with (
        serve_gradebook(tool.keys, **settings) as fake,
        open_or_create_store(make_store_url(tmp_path, f"sqlite:///{tmp_path / 'kept.sqlite'}")) as store,
    ):
        place = connect(store, fake, 3)
        yield Class(store, fake, place, QueuedMarkSender(store, "", tool, "sender", lambda: 0.5))


rules = pytest.mark.parametrize(
    "opened", [{"kind": "moodle"}, {"kind": "openedx"}, {"kind": "canvas"}], indirect=True
)
clocks = pytest.mark.parametrize(
    "opened",
    [{"kind": kind, "ahead": ahead} for kind in ("moodle", "openedx", "canvas") for ahead in (-60.0, 60.0)],
    indirect=True,
)


@rules
def test_marks_and_comments_arrive(opened: Class) -> None:
    for student, points in enumerate((0.0, 15.5, 20.0)):
        opened.put(student, points)
    opened.send()
    assert opened.states == ["sent"] * 3
    assert opened.differences() == []


@pytest.mark.first_cases(2)
@clocks
def test_a_mark_that_changes_at_once_arrives_although_clocks_differ(opened: Class) -> None:
    for points in (1.0, 2.0, 3.0):
        opened.put(0, points, f"{points}")
        opened.send()
    assert opened.differences() == []
    stamps = [one.message["timestamp"] for one in opened.fake.log if one.what == "score"]
    assert stamps == sorted({*stamps})


@pytest.mark.first_cases(2)
@rules
@pytest.mark.parametrize("fault", ["drop after", "hang after"])
def test_after_a_lost_answer_results_are_read_before_anything_is_sent_again(opened: Class, fault: Any) -> None:
    if fault == "hang after":
        opened.sender.tool.http._read_seconds = 3.0
    opened.put(0, 15.5)
    opened.fake.faults = ["", fault]
    opened.send()
    assert [one.what for one in opened.fake.log] == ["results", "score", "results"]
    assert opened.states == ["sent"]
    assert opened.differences() == []


@rules
def test_a_message_that_arrives_late_does_not_undo_a_later_one(opened: Class) -> None:
    late: list[Callable[[], object]] = []
    opened.fake.later = late.append
    opened.put(0, 5.0, "early")
    opened.fake.faults = ["", "late"]
    while not any(one.in_doubt for one in opened.marks):
        opened.sender.try_process_next_mark()
    opened.put(0, 20.0, "later")
    opened.send()
    late.pop()()
    assert [one.fault for one in opened.fake.log if one.what == "score"][-1] == "late"
    assert opened.differences() == []


@pytest.mark.first_cases(7)
@rules
@pytest.mark.parametrize("fault", ["401", "403", "409", "429", "500", "503", "drop before"])
def test_a_fault_that_passes_costs_no_mark(opened: Class, fault: Any) -> None:
    opened.put(0, 15.5)
    opened.fake.faults = [fault, fault, "", fault]
    opened.send()
    assert opened.states == ["sent"]
    assert opened.differences() == []


def test_a_key_that_is_replaced_in_the_middle_costs_no_mark(opened: Class) -> None:
    opened.put(0, 15.5)
    opened.send()
    opened.sender.tool.keys.rotate_key()
    opened.fake.tokens.clear()
    for student in range(3):
        opened.put(student, 10.0)
    opened.send()
    assert opened.differences() == []


@pytest.mark.parametrize("opened", [{"teachers": frozenset({"u0"})}], indirect=True)
def test_who_gets_no_marks_there_is_shown_with_the_platforms_answer(opened: Class) -> None:
    opened.put(0, 15.5)
    opened.send()
    (mark,) = opened.marks
    assert (mark.state, mark.answer, mark.tries) == ("rejected", "status 400: []", 1)
    kinds = [(one.kind, one.status) for one in opened.store.mark_requests.list_requests(mark.id)]
    assert kinds == [("results", 200), ("score", 400)]


@pytest.mark.parametrize("opened", [{"locked": {"u0"}}], indirect=True)
def test_a_locked_mark_is_given_up_and_sent_when_staff_tries_again(opened: Class) -> None:
    opened.put(0, 15.5)
    opened.send()
    assert opened.states == ["rejected"]
    opened.fake.locked.clear()
    opened.store.mark_outbox.requeue_unsent(opened.marks[0].id)
    opened.send()
    assert opened.differences() == []


@rules
def test_a_mark_that_a_person_set_stays_and_is_shown(opened: Class) -> None:
    opened.put(0, 10.0)
    opened.send()
    opened.fake.override("u0", 90.0)
    opened.put(0, 12.0)
    opened.send()
    assert opened.states == ["kept"]
    assert opened.marks[0].answer == "a person set 90 of 100 on the platform; last sent: 10 of 20"
    assert sum(one.what == "score" for one in opened.fake.log) == 1


def test_staff_may_replace_a_persons_mark_and_is_told_where_the_platform_keeps_it(opened: Class) -> None:
    opened.fake.override("u0", 90.0)
    opened.put(0, 12.0)
    opened.send()
    opened.store.mark_outbox.requeue_unsent(opened.marks[0].id, may_overwrite_mark_of_person=True)
    opened.send()
    assert opened.marks[0].answer == "the platform took the mark but still shows 90 of 100"
    opened.fake.overridden.clear()
    opened.store.mark_outbox.requeue_unsent(opened.marks[0].id, may_overwrite_mark_of_person=True)
    opened.send()
    assert opened.differences() == []
    assert not opened.marks[0].overwrites


def test_nothing_of_a_platforms_answer_is_shown_as_it_came(opened: Class) -> None:
    opened.fake.judge = lambda message: (400, "<b>\x1b[31m" + "x" * 5000)  # type: ignore[method-assign]
    opened.put(0, 1.0)
    opened.send()
    assert "\x1b" not in opened.marks[0].answer
    assert len(opened.marks[0].answer) < 600


def test_without_a_right_to_read_marks_are_sent_all_the_same(opened: Class) -> None:
    opened.store.lti_links.add_or_update(opened.place.context, "link", "toy", scopes=[SCORE])
    opened.put(0, 15.5)
    opened.fake.faults = ["drop after", "409"]
    opened.send()
    assert {one.what for one in opened.fake.log} == {"score"}
    assert opened.differences() == []


def test_a_mark_of_a_course_that_is_no_longer_connected_stays_here(opened: Class) -> None:
    opened.put(0, 15.5)
    opened.store.lti_contexts.set_connected(opened.place.context, is_connected=False)
    assert opened.sender.try_process_next_mark()
    assert opened.states == ["withheld"]
    assert opened.fake.log == []


def put_three_and_delete(opened: Class) -> None:
    for student in range(3):
        opened.put(student, 10.0)
    opened.fake.is_deleted = True
    opened.send()


@pytest.mark.parametrize("scopes", [[RESULT_READ_ONLY, SCORE], [SCORE]])
def test_no_other_mark_is_tried_where_the_line_item_was_deleted(opened: Class, scopes: list[str]) -> None:
    opened.store.lti_links.add_or_update(opened.place.context, "link", "toy", scopes=scopes)
    put_three_and_delete(opened)
    assert {(one.state, one.answer) for one in opened.marks} == {("skipped", COLUMN_DELETED)}
    assert {one.user for one in opened.fake.log} <= {"u0", ""}
    (link,) = opened.store.lti_links.list_in_connected_courses("")
    assert link.line_item_url == ""
    assert "make it anew" in describe_line_item_problem(opened.store, "", link)


def test_a_404_for_one_persons_mark_leaves_the_line_item(opened: Class) -> None:
    opened.fake.judge = lambda message: (404, "no such user")  # type: ignore[method-assign]
    opened.put(0, 10.0)
    opened.send()
    assert opened.marks[0].answer == "status 404: no such user"
    (link,) = opened.store.lti_links.list_in_connected_courses("")
    assert link.line_item_url == opened.fake.line_item_url


def test_a_mark_of_a_line_item_that_another_sender_found_deleted_is_not_called_hidden(opened: Class) -> None:
    opened.put(0, 10.0)
    (link,) = opened.store.lti_links.list_in_connected_courses("")
    opened.store.lti_links.remove_line_item_url(link)
    assert opened.sender.try_process_next_mark()
    assert [(one.state, one.answer) for one in opened.marks] == [("skipped", COLUMN_DELETED)]
    assert opened.fake.log == []


def test_a_link_with_marks_and_requests_can_be_forgotten(opened: Class) -> None:
    put_three_and_delete(opened)
    opened.store.line_item_send_policies.save_send_policy(opened.place.line_item, "on publishing")
    opened.store.lti_links.delete_link(opened.place.line_item)
    assert opened.store.lti_links.list_in_connected_courses("") == []
    assert opened.marks == []


@pytest.mark.parametrize("opened", [{"kind": "canvas"}], indirect=True)
def test_canvas_gets_a_comment_once_and_is_asked_to_keep_what_people_set(opened: Class) -> None:
    for points, comment in ((1.0, "one"), (2.0, "one"), (3.0, "two")):
        opened.put(0, points, comment)
        opened.send()
    messages = [one.message for one in opened.fake.log if one.what == "score"]
    assert [one.get("comment") for one in messages] == ["one", None, "two"]
    assert messages[0]["https://canvas.instructure.com/lti/submission"] == {
        "prioritize_non_tool_grade": True, "preserve_score": True,
    }  # fmt: skip
    assert {one["submission"]["submittedAt"] for one in messages} == {WHEN}


@pytest.mark.parametrize("platform", ["moodle", "edx"])
def test_a_message_has_the_keys_that_real_platforms_took(opened: Class, platform: str) -> None:
    golden = json.loads((DATA / f"{platform}_score_request.json").read_text(encoding="utf-8"))
    opened.put(0, 15.5)
    opened.send()
    sent = next(one.message for one in opened.fake.log if one.what == "score")
    assert {*golden} == {*sent} - {"submission"}
    assert sent["gradingProgress"] == golden["gradingProgress"]
    assert golden["scoreGiven"] == 15.5


@pytest.mark.parametrize(("file", "count"), [("moodle_results.json", 4), ("edx_results_user.json", 1)])
def test_results_of_real_platforms_are_read(file: str, count: int) -> None:
    found = parse_platform_results((DATA / file).read_bytes())
    assert len(found) == count
    assert has_equivalent_points(found[-1], MarkWithComment(15.5, 20.0, ""))


# Killed


@pytest.mark.thorough
@pytest.mark.parametrize(("students", "kills"), [(60, 3), (300, 50)])
@pytest.mark.parametrize("kind", ["moodle", "openedx"])
def test_no_mark_is_lost_when_the_sender_is_killed_again_and_again(
    tmp_path: Path, kind: Any, students: int, kills: int
) -> None:
    chance = random.Random(kills)
    tool = make_test_tool(tmp_path)
    url = f"sqlite:///{tmp_path / 'kept.sqlite'}"
    with (
        serve_gradebook(tool.keys, kind=kind, fault_rate=0.1) as fake,
        open_or_create_store(make_store_url(tmp_path, url)) as store,
    ):
        sent = Class(store, fake, connect(store, fake, students), QueuedMarkSender(store, "", tool, "sender"))
        for student in range(students):
            sent.put(student, chance.randrange(41) / 2, f"comment {student}")
        for _ in range(kills):
            run_until(tmp_path, url, fake, len(fake.log) + chance.randint(1, 2 * students // kills))
            sent.put(chance.randrange(students), chance.randrange(41) / 2, f"regraded {chance.random()}")
        run_until(tmp_path, url, fake, until_sent=sent)
        time.sleep(2)  # what is still on its way
        assert sent.differences() == []
        assert {*sent.states} == {"sent"}
        check_log(fake)


def run_until(
    folder: Path, url: str, fake: FakeGradebook, requests: int = 0, until_sent: Class | None = None
) -> None:
    """Run a sender, and kill it in the middle of whatever it does then."""
    command = [sys.executable, "-m", "tests.web.lti.sending_process", url, str(folder)]
    with subprocess.Popen(command, cwd=Path(__file__).parents[3]) as process:
        end = time.monotonic() + 180
        while (len(fake.log) < requests) if until_sent is None else {*until_sent.states} != {"sent"}:
            assert process.poll() is None
            assert time.monotonic() < end, until_sent and [one for one in until_sent.marks if one.state != "sent"]
            time.sleep(0.002 if until_sent is None else 0.2)
        os.kill(process.pid, signal.SIGKILL)


def check_log(fake: FakeGradebook) -> None:
    """Before each message of a student, the gradebook was asked since the last one; timestamps grow."""
    asked: set[str] = set()
    stamps: dict[str, str] = {}
    for one in fake.log:
        if one.what == "results" and one.status == 200:
            asked.add(one.user)
        elif one.what == "score" and one.status != 401 and one.fault != "late":
            assert one.user in asked, one
            asked.discard(one.user)
            assert one.message["timestamp"] > stamps.get(one.user, "")
            stamps[one.user] = one.message["timestamp"]
