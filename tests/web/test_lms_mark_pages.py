"""The teachers' page on marks in an LMS: what it shows, and what its buttons do."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from autograder.web.lti.mark_sender import QueuedMarkSender
from autograder.web.store.server_store import ServerStore
from tests.web.conftest import TOKEN, Browser, Site
from tests.web.lti.fake_gradebook import serve_gradebook
from tests.web.lti.sending_process import make_test_tool
from tests.web.test_anonymous_grading import NAMES, pseudonyms, set_up
from tests.web.test_expected_marks import Linked, come_from

PAGE = "/class/toy/lms-marks"


@pytest.fixture
def linked(site: Site) -> Iterator[Linked]:
    with serve_gradebook(make_test_tool(site.settings.location.output_folder).keys) as fake:
        yield Linked(site, fake, come_from(site, fake))


@pytest.fixture
def ines(site: Site) -> Browser:
    return site.browser("ines")


def send(linked: Linked) -> None:
    """Send what waits, once each."""
    linked.sync(linked.site.settings.course_url)
    tool = make_test_tool(linked.site.settings.location.output_folder)

    def action(store: ServerStore) -> None:
        sender = QueuedMarkSender(store, "", tool, "sender")
        while sender.try_process_next_mark():
            pass

    linked.change(action)


def number(linked: Linked, login: str) -> int:
    return linked.marks()[login].id


def test_the_page_says_where_marks_go_and_how_far_each_is(linked: Linked, ines: Browser) -> None:
    linked.fake.teachers = frozenset({"there-bob"})
    send(linked)
    page = ines.get(PAGE).text
    assert "3 sent, 0 waiting, 1 rejected." in page
    assert "lms: Micrograd 101" in page
    assert "status 400: []" in page
    assert "Ada &lt;b&gt;Okafor&lt;/b&gt;" in page
    assert PAGE in ines.get("/class/toy").text


def test_a_mark_has_a_page_with_everything_that_was_asked(linked: Linked, ines: Browser) -> None:
    send(linked)
    page = ines.get(f"{PAGE}/{number(linked, 'ada')}").text
    assert page.count("read what stands there") == page.count("the mark was sent") == 1
    assert ines.get(f"{PAGE}/999").status_code == 404


def test_a_rejected_mark_is_sent_again_on_request_and_the_log_says_by_whom(linked: Linked, ines: Browser) -> None:
    linked.fake.teachers = frozenset({"there-bob", "there-ada"})
    send(linked)
    linked.fake.teachers = frozenset()
    assert ines.post(f"{PAGE}/{number(linked, 'bob')}/retry", PAGE).status_code == 303
    assert linked.marks()["ada"].state == "rejected"
    assert ines.post(f"{PAGE}/retry", PAGE).status_code == 303
    send(linked)
    assert {one.state for one in linked.marks().values()} == {"sent"}
    assert "to be tried again" in ines.get("/class/toy/log").text


def test_a_persons_mark_is_replaced_when_a_teacher_says_so(linked: Linked, ines: Browser) -> None:
    linked.fake.grades["there-bob"] = (99.0, "mine", linked.fake.now)
    send(linked)
    assert linked.fake.grades["there-bob"][0] == 99.0
    assert "a person set 99 of 100 on the platform; nothing was sent yet" in ines.get(PAGE).text
    answer = ines.post(f"{PAGE}/{number(linked, 'bob')}/retry", PAGE, overwrite="yes")
    assert answer.status_code == 303
    send(linked)
    assert linked.marks()["bob"].state == "sent"
    assert linked.fake.grades["there-bob"][0] < 99.0


def test_a_deleted_column_is_told_until_its_link_is_forgotten(linked: Linked, ines: Browser) -> None:
    linked.fake.is_deleted = True
    send(linked)
    page = ines.get(PAGE).text
    assert "the column for marks was deleted in the LMS; make it anew" in page
    assert "Try again" not in page
    requests = len(linked.fake.log)
    send(linked)
    assert len(linked.fake.log) == requests, "nothing is tried until there is another column"
    line_item = str(linked.place.line_item)
    assert ines.post(f"{PAGE}/forget", PAGE, line_item=line_item).status_code == 303
    assert "Marks go nowhere yet" in ines.get(PAGE).text
    log = ines.get("/class/toy/log").text
    assert "deleted in the LMS" in log
    assert "link forgotten" in log


def test_marks_go_to_the_column_that_was_made_anew(linked: Linked, ines: Browser) -> None:
    linked.fake.is_deleted = True
    send(linked)
    linked.fake.is_deleted = False
    linked.change(
        lambda store: store.lti_links.add_or_update(
            linked.place.context, "link", "toy", line_item_url=f"{linked.fake.line_item_url}&new=1"
        )
    )
    send(linked)
    assert {one.state for one in linked.marks().values()} == {"sent"}
    assert ines.post(f"{PAGE}/forget", PAGE, line_item=str(linked.place.line_item)).status_code == 404


def test_comparing_shows_every_difference_and_sends_nothing(linked: Linked, ines: Browser) -> None:
    send(linked)
    points, _, moment = linked.fake.grades["there-ada"]
    linked.fake.grades["there-ada"] = points, "Well done!", moment
    linked.fake.grades["there-bob"] = 1.0, "", moment
    del linked.fake.grades["there-cy"]
    before = len([one for one in linked.fake.log if one.what == "score"])
    page = ines.post(f"{PAGE}/compare", PAGE).text
    for verdict in (
        "the same points, another comment",
        "set by a person in the LMS; stays",
        "would be sent",
        "the same<",
    ):
        assert verdict in page
    assert len([one for one in linked.fake.log if one.what == "score"]) == before


def test_what_cannot_be_compared_is_said(linked: Linked, ines: Browser) -> None:
    linked.change(
        lambda store: store.lti_platforms.save_platform(
            replace(linked.place.platform, token_url="http://127.0.0.1:9/")
        )
    )
    assert "This could not be compared" in ines.post(f"{PAGE}/compare", PAGE).text


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("wrong", [{"when": "never"}, {"line_item": "999"}, {"line_item": "x"}])
def test_when_marks_are_sent_is_set_for_a_line_item(linked: Linked, ines: Browser, wrong: Any) -> None:
    fields = {"line_item": str(linked.place.line_item), "when": "on publishing"}
    assert ines.post(f"{PAGE}/when", PAGE, **fields).status_code == 303
    assert (
        linked.change(lambda store: store.line_item_send_policies.get_send_policy_or_default(linked.place.line_item))
        == "on publishing"
    )
    assert "on publishing" in ines.get("/class/toy/log").text
    assert ines.post(f"{PAGE}/when", PAGE, **{**fields, **wrong}).status_code == 404


def test_an_anonymously_graded_class_has_pseudonyms_beside_its_marks(linked: Linked) -> None:
    linked.fake.teachers = frozenset({"there-bob"})
    send(linked)
    anonymous = set_up(linked.site)
    ines = anonymous.browser("ines")
    mark = f"{PAGE}/{number(linked, 'ada')}"
    shown = [ines.get(PAGE), ines.get(mark), ines.get(f"{PAGE}.csv"), ines.post(f"{PAGE}/compare", PAGE)]
    made_up = pseudonyms(ines)
    random_text = re.compile("|".join((TOKEN.pattern, "there-", *made_up)), re.IGNORECASE)
    for answer in shown:
        assert answer.status_code == 200
        assert not NAMES.search(random_text.sub("", answer.text))
        assert any(one in answer.text.lower() for one in made_up)
    assert ines.post(f"{PAGE}/{number(linked, 'bob')}/retry", PAGE).status_code == 303
    assert linked.marks()["bob"].state == "queued"
    (event,) = [
        one.event
        for one in linked.change(lambda store: store.audit.load_audit_rows("", "toy"))
        if "to be tried again" in one.event.after
    ]
    assert (event.student_label, event.submission) == ("Bob", "bob"), "the log keeps who it was"


def test_the_marks_come_as_a_table_that_runs_no_formula(linked: Linked, ines: Browser) -> None:
    linked.change(lambda store: store.accounts.upsert_enrolment("", "bob", "student", "=cmd|' /C calc'!A0"))
    linked.sync()
    rows = [*csv.DictReader(io.StringIO(ines.get(f"{PAGE}.csv").data.decode("utf-8-sig")))]
    assert sorted(row["login"] for row in rows) == ["ada", "bob", "cy", "di"]
    bob = next(row for row in rows if row["login"] == "bob")
    assert not bob["student"].startswith("=")
    assert (bob["points"], bob["state"]) == ("5", "queued")
