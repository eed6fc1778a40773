"""The outbox in both databases: what waits, who sends it, and what becomes of it meanwhile."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import URL

from autograder.web.store.lti import outbox
from autograder.web.store.lti.platforms import LtiPlatform
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark
from autograder.web.store.server_store import ServerStore, open_or_create_store
from tests.web.store.at_once import call_in_stores_at_once

URL_THERE = "https://lms.example/items/2/lineitem?type_id=1"
FIRST, SECOND = (
    MarkWithComment(10.0, 20.0, "小龙\0 <b>\ud800"),
    MarkWithComment(20.0, 20.0, "All of it.", "2026-11-20T13:58:00Z"),
)


def connect(store: ServerStore, people: int = 1) -> tuple[int, list[int]]:
    """A line item, and people of its platform."""
    at = "https://lms.example"
    platform = store.lti_platforms.save_platform(
        LtiPlatform("lms", at, "client", f"{at}/auth", f"{at}/token", f"{at}/keys", ("1",))
    )
    context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "")
    item = store.lti_links.add_or_update(context.id, "link", "toy", line_item_url=URL_THERE)
    enrolled = [store.accounts.upsert_enrolment("", f"s{number}", "student").account for number in range(people)]
    return item.id, [store.lti_people.add(platform.id, "1", f"u{one}", one).id for one in enrolled]


def queue_mark(store: ServerStore) -> tuple[int, int]:
    """Queue a mark, and return its line item and its person."""
    item, (person,) = connect(store)
    store.mark_outbox.add_or_replace_mark(item, person, URL_THERE, FIRST)
    return item, person


def get_mark(store: ServerStore) -> OutboxMark:
    (found,) = store.mark_outbox.list_marks("")
    return found


def claim(store: ServerStore, worker: str = "w") -> OutboxMark:
    found = store.mark_outbox.try_claim_next_mark(worker)
    assert found is not None
    return found


def test_a_mark_is_claimed_by_one_of_many_senders(url: URL) -> None:
    with open_or_create_store(url) as store:
        item, people = connect(store, 12)
        for person in people:
            store.mark_outbox.add_or_replace_mark(item, person, URL_THERE, FIRST)

    def work(store: ServerStore, name: int) -> list[int]:
        return [found.person for _ in range(12) if (found := store.mark_outbox.try_claim_next_mark(str(name)))]

    claimed = [one for found in call_in_stores_at_once(url, work) for one in found]
    assert sorted(claimed) == sorted(people)


def test_what_was_about_to_be_sent_is_known_after_the_sender_was_lost(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = datetime(2026, 11, 24, 2, tzinfo=UTC)
    with open_or_create_store(url) as store:
        queue_mark(store)
        monkeypatch.setattr(outbox, "LEASE", timedelta(seconds=-1))
        lost = claim(store, "lost")
        store.mark_outbox.record_pending_send(replace(lost, in_doubt=(FIRST,), last_timestamp=moment))
    with open_or_create_store(url) as store:
        found = claim(store, "other")
        assert (found.in_doubt, found.last_timestamp) == ((FIRST,), moment)
        store.mark_outbox.save_claimed_progress(replace(lost, state="rejected"), "lost")
        assert get_mark(store).state == "sending"  # whoever took it over knows better


def test_a_sender_that_starts_again_takes_over_at_once(store: ServerStore) -> None:
    _, person = queue_mark(store)
    claim(store, "one")
    assert store.mark_outbox.try_claim_next_mark("one") is None
    store.mark_outbox.expire_leases_of_worker("one")
    assert claim(store, "two").person == person


def test_a_mark_that_changes_while_it_is_sent_is_queued_again_and_what_was_sent_is_known(store: ServerStore) -> None:
    item, person = queue_mark(store)
    taken = claim(store)
    store.mark_outbox.add_or_replace_mark(item, person, URL_THERE, SECOND)
    assert get_mark(store).state == "sending"
    store.mark_outbox.save_claimed_progress(replace(taken, state="sent", confirmed=FIRST, in_doubt=()), "w")
    found = get_mark(store)
    assert (found.state, found.value, found.confirmed) == ("queued", SECOND, FIRST)


def test_in_another_line_item_nothing_was_sent_yet(store: ServerStore) -> None:
    item, person = queue_mark(store)
    store.mark_outbox.save_claimed_progress(replace(claim(store), state="sent", confirmed=FIRST), "w")
    assert get_mark(store).confirmed == FIRST
    store.mark_outbox.add_or_replace_mark(item, person, "https://lms.example/items/3", FIRST)
    assert (get_mark(store).confirmed, get_mark(store).state) == (None, "queued")
    taken = claim(store)
    store.mark_outbox.add_or_replace_mark(item, person, "https://lms.example/items/4", FIRST)
    store.mark_outbox.save_claimed_progress(replace(taken, state="sent", confirmed=FIRST), "w")
    assert (get_mark(store).confirmed, get_mark(store).state) == (None, "queued")


def test_a_mark_that_waits_for_another_try_is_left_alone_until_then_or_until_staff_says_so(url: URL) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    with open_or_create_store(url) as store:
        queue_mark(store)
        store.mark_outbox.save_claimed_progress(replace(claim(store), state="queued", next_try=later, tries=3), "w")
        assert store.mark_outbox.try_claim_next_mark("w") is None
        store.mark_outbox.requeue_unsent(get_mark(store).id)
        assert claim(store).tries == 0


@pytest.mark.parametrize(("tries", "hours"), [(0, 0.01), (0, 1), (3, 3)])
def test_a_mark_queued_before_the_clock_was_put_back_is_not_kept_until_the_old_time(
    url: URL, tries: int, hours: float
) -> None:
    then = datetime.now(UTC) + timedelta(hours=hours)
    with open_or_create_store(url) as store:
        _, person = queue_mark(store)
        mark = replace(claim(store), state="queued", next_try=then, tries=tries)
        store.mark_outbox.save_claimed_progress(mark, "w")
        assert claim(store).person == person


def test_a_lease_given_before_the_clock_was_put_back_does_not_last_until_the_old_time(
    store: ServerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, person = queue_mark(store)
    with monkeypatch.context() as an_hour_later:
        an_hour_later.setattr(outbox, "LEASE", timedelta(hours=1))
        claim(store, "lost")
    assert claim(store, "other").person == person


def test_line_items_of_a_platform_that_rests_are_left_alone(store: ServerStore) -> None:
    item, _ = queue_mark(store)
    assert store.mark_outbox.try_claim_next_mark("w", [item]) is None
    assert claim(store).line_item == item


def test_a_mark_is_set_aside_unless_it_is_being_sent(store: ServerStore) -> None:
    item, person = queue_mark(store)
    store.mark_outbox.set_state_unless_sending(get_mark(store), "withheld", "not published")
    assert (get_mark(store).state, get_mark(store).answer) == ("withheld", "not published")
    assert store.mark_outbox.try_claim_next_mark("w") is None
    store.mark_outbox.add_or_replace_mark(item, person, URL_THERE, FIRST)
    taken = claim(store)
    store.mark_outbox.set_state_unless_sending(taken, "withheld", "not published")
    assert get_mark(store).state == "sending"
