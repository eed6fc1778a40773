"""Open edX's own code takes the marks that the tool sends: each test sends them as the server does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
import requests

from autograder.course import load_course
from autograder.web.lms.sync import LineItemKeeper, refresh_line_item_deadline
from autograder.web.lti import results
from autograder.web.lti.line_items import find_or_make_line_item_url
from autograder.web.lti.mark_sender import QueuedMarkSender
from autograder.web.store.lti.deadlines import PlatformDeadline
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark
from autograder.web.store.server_store import ServerStore
from tests.web.conftest import Site
from tests.web.lti.referee_process import Referee
from tests.web.lti.sending_process import make_test_tool
from tests.web.test_lti_openedx import begin, live  # noqa: F401  # a fixture

pytestmark = pytest.mark.thorough

PATIENCE = 30.0
"""Seconds for an answer: a busy machine is no fault of Open edX."""


@dataclass
class Sent:
    """A student who came in from Open edX, and what is sent for them."""

    site: Site
    referee: Referee
    line_item: int
    url: str
    person: int
    subject: str

    def put(self, points: float, comment: str) -> None:
        value = MarkWithComment(points, 20.0, comment, "2026-11-20T13:58:00+00:00")
        self.site.in_store(
            lambda store: store.mark_outbox.add_or_replace_mark(self.line_item, self.person, self.url, value)
        )

    def send(self) -> OutboxMark:
        tool = make_test_tool(self.site.settings.location.output_folder, PATIENCE)

        def action(store: ServerStore) -> OutboxMark:
            sender, end = QueuedMarkSender(store, "", tool, "sender"), time.monotonic() + 300
            while True:
                (mark,) = store.mark_outbox.list_marks("")
                if mark.state not in ("queued", "sending"):
                    return mark
                assert time.monotonic() < end, mark
                sender.try_process_next_mark()

        found: OutboxMark = self.site.in_store(action)
        return found

    def scores(self) -> list[dict[str, Any]]:
        return [one for one in self.referee.show()["scores"] if one["user_id"] == self.subject]


@pytest.fixture
def sent(live: tuple[Site, Referee], monkeypatch: pytest.MonkeyPatch) -> Sent:  # noqa: F811
    monkeypatch.setattr(results, "FIRST_SECONDS", 0.05)
    site, referee = live
    session = requests.Session()
    assert session.post(*begin(session, referee.start_url(7)), timeout=300).status_code == 200

    def find(store: ServerStore) -> Sent:
        finder = LineItemKeeper(make_test_tool(site.settings.location.output_folder, PATIENCE), "outbox")
        finder.update_line_items(store, "", load_course(site.settings.course).assignments)
        (link,) = store.lti_links.list_in_connected_courses("", "toy")
        assert link.line_item_url, store.faults.list_latest_faults("", 3)
        (person,) = store.lti_people.list_all()
        return Sent(site, referee, link.id, link.line_item_url, person.id, person.subject)

    found: Sent = site.in_store(find)
    return found


def test_a_column_is_made_once_and_a_later_launch_does_not_forget_it(sent: Sent) -> None:
    assert "/lti-ags/" in sent.url
    session = requests.Session()
    assert session.post(*begin(session, sent.referee.start_url(7)), timeout=300).status_code == 200
    (link,) = sent.site.in_store(lambda store: store.lti_links.list_in_connected_courses("", "toy"))
    assert link.line_item_url == sent.url
    platform = sent.site.in_store(lambda store: store.lti_platforms.list_active()[0])
    client = make_test_tool(sent.site.settings.location.output_folder, PATIENCE).make_platform_client(platform)
    assert find_or_make_line_item_url(client, link, 10.0, "toy") == sent.url


def test_a_new_column_has_the_deadline_of_grading_yml_and_open_edx_says_it_again(sent: Sent) -> None:
    tool = make_test_tool(sent.site.settings.location.output_folder, PATIENCE)

    def read(store: ServerStore) -> list[PlatformDeadline]:
        (link,) = store.lti_links.list_in_connected_courses("", "toy")
        refresh_line_item_deadline(store, link, tool)
        return store.lti_deadlines.list_platform_deadlines("", "toy")

    (said,) = sent.site.in_store(read)
    assert (said.deadline, said.login, said.said_by) == (datetime(2099, 1, 1, 11, tzinfo=UTC), "", "line item")


def test_a_mark_and_its_comment_arrive_in_open_edx_and_so_does_every_later_one(sent: Sent) -> None:
    for points, comment in ((15.5, "tanh <b>backward</b> wrong"), (15.5, "小龙: look again"), (0.0, "all of it")):
        sent.put(points, comment)
        assert sent.send().state == "sent"
        (score,) = sent.scores()
        assert (score["score_given"], score["score_maximum"], score["comment"]) == (points, 20.0, comment)
        assert score["grading_progress"] == "FullyGraded"


def test_what_open_edx_has_already_is_not_sent_again(sent: Sent) -> None:
    sent.put(12.0, "the same")
    before = sent.send()
    stamp = sent.scores()[0]["timestamp"]
    sent.site.in_store(lambda store: store.mark_outbox.set_state_unless_sending(before, "rejected", ""))
    sent.site.in_store(lambda store: store.mark_outbox.requeue_unsent(before.id))
    assert sent.send().state == "sent"
    assert sent.scores()[0]["timestamp"] == stamp


def test_a_token_that_open_edx_no_longer_accepts_is_renewed(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    sent.put(7.0, "renewed")
    tool = make_test_tool(sent.site.settings.location.output_folder, PATIENCE)
    given: list[str] = []
    real = tool.tokens.get_token

    def get(*arguments: Any) -> str:
        given.append(real(*arguments))
        return given[-1] if len(given) > 1 else given[-1][:-4] + "AAAA"

    monkeypatch.setattr(tool.tokens, "get_token", get)
    sent.site.in_store(lambda store: QueuedMarkSender(store, "", tool, "sender").try_process_next_mark())
    assert len(given) > 2
    assert sent.scores()[0]["comment"] == "renewed"
