"""Say in the audit log what was changed of a platform, its courses and its links."""

from __future__ import annotations

from autograder.lti.link_place import format_link_place
from autograder.store.audit_model import AuditEvent
from autograder.store.lti.lti_audit_events import make_lti_change_event
from autograder.store.lti.lti_context_table import LtiContext
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.store import Store


def make_course_connection_event(store: Store, context: LtiContext, *, is_connected: bool) -> AuditEvent:
    """Return the audit event of a platform's course being connected or disconnected."""
    platform = store.lti_platforms.find_active_by_id(context.platform)
    location = f"{platform.name if platform else 'removed'}: {context.label}"
    words = ("connected", "not connected")
    return make_lti_change_event(
        "course", words[is_connected], words[not is_connected], platform_or_lms_course=location
    )


def make_line_item_change_event(store: Store, link: LtiResourceLink, after: str) -> AuditEvent:
    """Return the audit event of what becomes of a link's line item: deleted in the LMS, or forgotten."""
    location = format_link_place(store, link)
    return make_lti_change_event(
        "column", link.line_item_url.partition("?")[0], after, platform_or_lms_course=location
    )


def make_platform_change_event(before: LtiPlatform | None, after: LtiPlatform | None) -> AuditEvent:
    """Return the audit event of a platform being added, changed or removed; its stored fields hold no secret."""
    name = (after or before).name  # type: ignore[union-attr]
    return make_lti_change_event(
        "platform", _describe_platform(before), _describe_platform(after), platform_or_lms_course=name
    )


def _describe_platform(platform: LtiPlatform | None) -> str:
    if platform is None:
        return ""
    urls = f"login {platform.login_url}, token {platform.token_url}, keys {platform.keys_url}"
    private_note = ", private addresses allowed" if platform.allow_private else ""
    deployments = ", ".join(platform.deployments)
    audience = f", audience {platform.token_audience}" if platform.token_audience else ""
    return (
        f"{platform.kind}, issuer {platform.issuer}, client id {platform.client_id}, deployments {deployments}, "
        f"{urls}{audience}{private_note}"
    )
