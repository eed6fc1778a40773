"""What LTI keeps: platforms, tickets that work once, people, and courses with their links."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlalchemy.engine import URL

from autograder.web.store.lti.platforms import LtiPlatform
from autograder.web.store.server_store import ServerStore, open_or_create_store
from tests.web.store.at_once import call_in_stores_at_once

MOODLE = LtiPlatform(
    "moodle", "https://lms.example", "client", "https://lms.example/auth", "https://lms.example/token",
    "https://lms.example/keys", ("1", "2"), "moodle",
)  # fmt: skip
MINUTE = timedelta(minutes=1)


def test_a_removed_platform_that_comes_back_still_knows_its_people(store: ServerStore) -> None:
    first = store.lti_platforms.save_platform(MOODLE)
    store.lti_platforms.retire(first)
    assert store.lti_platforms.save_platform(replace(MOODLE, name="new name")).id == first.id


def test_a_ticket_whose_time_is_over_does_not_work(store: ServerStore) -> None:
    store.lti_tickets.add("login", "t", {}, -MINUTE)
    assert (
        store.lti_tickets.find_ticket_data("login", "t")
        is store.lti_tickets.take_ticket_data_or_none("login", "t")
        is None
    )


def test_of_two_that_use_a_ticket_at_once_one_gets_it(url: URL) -> None:
    with open_or_create_store(url) as store:
        store.lti_tickets.add("login", "t", {"nonce": "n"}, MINUTE)
    found = call_in_stores_at_once(url, lambda store, _: store.lti_tickets.take_ticket_data_or_none("login", "t"))
    assert sorted(map(str, found)) == ["None"] * 3 + ["{'nonce': 'n'}"]


def test_a_link_is_one_row_whatever_it_leads_to(store: ServerStore) -> None:
    platform = store.lti_platforms.save_platform(MOODLE)
    context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "autograd")
    first = store.lti_links.add_or_update(context.id, "link", "toy", line_item_url="https://x/1", scopes=["s"])
    second = store.lti_links.add_or_update(context.id, "link", "other", line_item_url="https://x/2")
    assert (second.id, second.assignment, second.line_item_url, second.scopes) == (
        first.id, "other", "https://x/2", ("s",),
    )  # fmt: skip
