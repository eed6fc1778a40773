"""Find the platform of a link and the course there, and name them."""

from __future__ import annotations

from autograder.store.lti.lti_context_table import LtiContext
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.store import Store


def find_context_and_platform(store: Store, link: LtiResourceLink) -> tuple[LtiContext | None, LtiPlatform | None]:
    """Return the course that a link is in, and its platform; None for a platform that was removed."""
    context = store.lti_contexts.find_by_id(link.context)
    return context, store.lti_platforms.find_active_by_id(context.platform) if context else None


def format_link_place(store: Store, link: LtiResourceLink) -> str:
    """Return the platform of a link and the course there; ``removed`` stands for a platform that is gone."""
    context, platform = find_context_and_platform(store, link)
    return f"{platform.name if platform else 'removed'}: {context.label if context else ''}"
