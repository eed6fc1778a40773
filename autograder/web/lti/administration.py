"""Change what is known of a platform, its courses and its links, and say so in the audit log."""

from __future__ import annotations

from datetime import timedelta

from autograder.web.people import make_random_token
from autograder.web.store.lti.audit import LtiActor, record_lti_change
from autograder.web.store.lti.platforms import LtiContext, LtiPlatform, LtiResourceLink
from autograder.web.store.server_store import ServerStore


def find_context_and_platform(
    store: ServerStore, link: LtiResourceLink
) -> tuple[LtiContext | None, LtiPlatform | None]:
    """Return the course that a link is in, and its platform; None for a platform that was removed."""
    context = store.lti_contexts.find(id=link.context)
    return context, store.lti_platforms.find_active(id=context.platform) if context else None


def format_link_place(store: ServerStore, link: LtiResourceLink) -> str:
    """Return the platform of a link and the course there; ``removed`` stands for a platform that is gone."""
    context, platform = find_context_and_platform(store, link)
    return f"{platform.name if platform else 'removed'}: {context.label if context else ''}"


def set_course_connected(
    store: ServerStore, course: str, done_by: LtiActor, context: LtiContext, *, is_connected: bool
) -> None:
    """Connect a platform's course, or disconnect it."""
    if is_connected == context.is_connected:
        return
    platform = store.lti_platforms.find_active(id=context.platform)
    place = f"{platform.name if platform else 'removed'}: {context.label}"
    before, after = ("not connected", "connected") if is_connected else ("connected", "not connected")
    with store.group():
        store.lti_contexts.set_connected(context.id, is_connected=is_connected)
        record_lti_change(store.audit, course, done_by, "course", before, after, place=place)


def forget_link(store: ServerStore, course: str, done_by: LtiActor, link: LtiResourceLink) -> None:
    """Forget a link to an assignment, and what was sent there."""
    place, url = format_link_place(store, link), link.line_item_url.partition("?")[0]
    with store.group():
        store.lti_links.delete_link(link.id)
        record_lti_change(
            store.audit, course, done_by, "column", url, "link forgotten", place=place, assignment=link.assignment
        )


def save_platform(store: ServerStore, course: str, done_by: LtiActor, platform: LtiPlatform) -> LtiPlatform:
    """Add a platform, or replace the one of its name; return it with its number."""
    with store.group():
        old_platform = store.lti_platforms.find_active(name=platform.name)
        new_platform = store.lti_platforms.save_platform(platform)
        before, after = _describe_platform(old_platform) if old_platform else "", _describe_platform(new_platform)
        record_lti_change(store.audit, course, done_by, "platform", before, after, place=platform.name)
    return new_platform


def retire_platform(store: ServerStore, course: str, done_by: LtiActor, platform: LtiPlatform) -> None:
    """Refuse launches of a platform from now on; keep its people and line items."""
    with store.group():
        store.lti_platforms.retire(platform)
        before = _describe_platform(platform)
        record_lti_change(store.audit, course, done_by, "platform", before, "", place=platform.name)


def _describe_platform(platform: LtiPlatform) -> str:
    """Return a platform's stored fields, none of which is a secret."""
    urls = f"login {platform.login_url}, token {platform.token_url}, keys {platform.keys_url}"
    private_note = ", private addresses allowed" if platform.allow_private else ""
    audience = f", audience {platform.token_audience}" if platform.token_audience else ""
    return (
        f"{platform.kind}, issuer {platform.issuer}, client id {platform.client_id}, "
        f"deployments {', '.join(platform.deployments)}, {urls}{audience}{private_note}"
    )


LIFETIME = timedelta(days=1)


def create_registration_link(store: ServerStore, course: str, done_by: LtiActor, *, allow_private: bool) -> str:
    """Save a new link, and return its path.

    Args:
        store: keeps its digest.
        course: the course here.
        done_by: who makes it, for the audit log.
        allow_private: whether the platform's addresses may be plain HTTP and in a private network.
    """
    token = make_random_token()
    change = "private networks, too" if allow_private else "made"
    with store.group():
        store.lti_tickets.add("registration", token, {"allow_private": allow_private}, LIFETIME)
        record_lti_change(store.audit, course, done_by, "link to register", "", change)
    return f"/lti/register/{token}"
