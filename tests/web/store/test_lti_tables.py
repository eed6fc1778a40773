"""What LTI keeps: platforms, tickets that work once, people, and courses with their links."""

from __future__ import annotations

from dataclasses import replace

from autograder.web.store.lti.platforms import LtiPlatform
from autograder.web.store.server_store import ServerStore

MOODLE = LtiPlatform(
    "moodle", "https://lms.example", "client", "https://lms.example/auth", "https://lms.example/token",
    "https://lms.example/keys", ("1", "2"), "moodle",
)  # fmt: skip


def test_a_removed_platform_that_comes_back_still_knows_its_people(store: ServerStore) -> None:
    first = store.lti_platforms.save_platform(MOODLE)
    store.lti_platforms.retire(first)
    assert store.lti_platforms.save_platform(replace(MOODLE, name="new name")).id == first.id


def test_a_link_is_one_row_whatever_it_leads_to(store: ServerStore) -> None:
    platform = store.lti_platforms.save_platform(MOODLE)
    context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "autograd")
    first = store.lti_links.add_or_update(context.id, "link", "toy", line_item_url="https://x/1", scopes=["s"])
    second = store.lti_links.add_or_update(context.id, "link", "other", line_item_url="https://x/2")
    assert (second.id, second.assignment, second.line_item_url, second.scopes) == (
        first.id, "other", "https://x/2", ("s",),
    )  # fmt: skip
