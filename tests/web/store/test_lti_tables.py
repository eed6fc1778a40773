"""What LTI keeps: platforms, tickets that work once, people, and courses with their links."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

from sqlalchemy.engine import URL

from autograder.web.store.lti.platforms import LtiPlatform
from autograder.web.store.server_store import ServerStore, open_or_create_store

MOODLE = LtiPlatform(
    "moodle", "https://lms.example", "client", "https://lms.example/auth", "https://lms.example/token",
    "https://lms.example/keys", ("1", "2"), "moodle",
)  # fmt: skip
MINUTE = timedelta(minutes=1)


def test_a_platform_comes_back_as_it_was_kept(store: ServerStore) -> None:
    saved = store.lti_platforms.save_platform(replace(MOODLE, token_audience="urn:x", allow_private=True))
    assert store.lti_platforms.list_active() == [saved]
    assert replace(saved, id=0) == replace(MOODLE, token_audience="urn:x", allow_private=True)


def test_a_platform_that_is_saved_again_keeps_its_number_and_has_the_deployments_of_now(store: ServerStore) -> None:
    first = store.lti_platforms.save_platform(MOODLE)
    second = store.lti_platforms.save_platform(replace(MOODLE, deployments=("3",), client_id="new"))
    assert (second.id, second.deployments, second.client_id) == (first.id, ("3",), "new")


def test_client_ids_tell_the_platforms_of_one_issuer_apart(store: ServerStore) -> None:
    for name in ("a", "b"):
        store.lti_platforms.save_platform(replace(MOODLE, name=name, client_id=name))
    assert [one.name for one in store.lti_platforms.list_active(issuer=MOODLE.issuer)] == ["a", "b"]
    assert [one.name for one in store.lti_platforms.list_active(issuer=MOODLE.issuer, client_id="b")] == ["b"]
    assert store.lti_platforms.list_active(issuer="https://other.example") == []


def test_a_removed_platform_is_found_no_more_and_its_name_is_free(store: ServerStore) -> None:
    first = store.lti_platforms.save_platform(MOODLE)
    store.lti_platforms.retire(first)
    assert store.lti_platforms.list_active() == store.lti_platforms.list_active(issuer=MOODLE.issuer) == []
    assert store.lti_platforms.find_active(id=first.id) is None
    other = store.lti_platforms.save_platform(replace(MOODLE, client_id="other"))
    assert other.id != first.id


def test_a_removed_platform_that_comes_back_still_knows_its_people(store: ServerStore) -> None:
    first = store.lti_platforms.save_platform(MOODLE)
    store.lti_platforms.retire(first)
    assert store.lti_platforms.save_platform(replace(MOODLE, name="new name")).id == first.id


def test_a_ticket_works_once_and_for_its_kind_alone(store: ServerStore) -> None:
    store.lti_tickets.add("login", "t", {"nonce": "n"}, MINUTE)
    assert store.lti_tickets.take_ticket_data_or_none("sign-in", "t") is None
    assert store.lti_tickets.find_ticket_data("login", "t") == {"nonce": "n"}
    assert store.lti_tickets.take_ticket_data_or_none("login", "t") == {"nonce": "n"}
    assert store.lti_tickets.take_ticket_data_or_none("login", "t") is None
    assert store.lti_tickets.find_ticket_data("login", "t") is None


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
    together = Barrier(4)

    def use(_: int) -> object:
        with open_or_create_store(url) as opened:
            together.wait()
            return opened.lti_tickets.take_ticket_data_or_none("login", "t")

    with ThreadPoolExecutor(4) as threads:
        found = [*threads.map(use, range(4))]
    assert sorted(map(str, found)) == ["None"] * 3 + ["{'nonce': 'n'}"]


def test_somebody_is_who_they_are_in_one_deployment_of_one_platform(store: ServerStore) -> None:
    platform = store.lti_platforms.save_platform(MOODLE)
    own, roster = (store.accounts.upsert_enrolment("", login, "student") for login in ("moodle-7", "lee"))
    person = store.lti_people.add(platform.id, "1", "7", own.account, roster.account)
    assert store.lti_people.find(platform=platform.id, deployment="1", subject="7") == person
    assert store.lti_people.find(platform=platform.id, deployment="2", subject="7") is None
    assert (person.account, person.state, person.proposed_account) == (own.account, "proposed", roster.account)


def test_a_proposal_changes_nothing_until_somebody_agrees(store: ServerStore) -> None:
    platform = store.lti_platforms.save_platform(MOODLE)
    own, roster = (store.accounts.upsert_enrolment("", login, "student") for login in ("moodle-7", "lee"))
    person = store.lti_people.add(platform.id, "1", "7", own.account, roster.account)
    store.lti_people.link_to_proposed_account(person)
    assert [one.state for one in store.lti_people.list_all(account=roster.account)] == ["linked"]
    store.lti_people.refuse_proposed_account(person)
    (kept,) = store.lti_people.list_all(account=own.account)
    assert (kept.state, kept.proposed_account) == ("own", None)
    assert store.lti_people.list_all(state="proposed") == []


def test_a_course_of_a_platform_is_not_connected_until_somebody_connects_it(store: ServerStore) -> None:
    platform = store.lti_platforms.save_platform(MOODLE)
    context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "autograd", title="Micrograd\0 101")
    assert (context.is_connected, context.title, context.course) == (False, "Micrograd\0 101", "autograd")
    store.lti_links.add_or_update(context.id, "link", "toy", line_item_url="https://x/1?type_id=1")
    assert store.lti_links.list_in_connected_courses("autograd") == []
    store.lti_contexts.set_connected(context.id, is_connected=True)
    store.lti_contexts.add_or_update_context(
        platform.id, "1", "2", "another", members_url="https://x/members", scopes=["b", "a"]
    )
    (kept,) = store.lti_contexts.list_all(course="autograd")
    assert (kept.is_connected, kept.members_url, kept.scopes) == (True, "https://x/members", ("b", "a"))
    assert [one.line_item_url for one in store.lti_links.list_in_connected_courses("autograd", "toy")] == [
        "https://x/1?type_id=1"
    ]


def test_a_link_is_one_row_whatever_it_leads_to(store: ServerStore) -> None:
    platform = store.lti_platforms.save_platform(MOODLE)
    context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "autograd")
    first = store.lti_links.add_or_update(context.id, "link", "toy", line_item_url="https://x/1", scopes=["s"])
    second = store.lti_links.add_or_update(context.id, "link", "other", line_item_url="https://x/2")
    assert (second.id, second.assignment, second.line_item_url, second.scopes) == (
        first.id, "other", "https://x/2", ("s",),
    )  # fmt: skip
