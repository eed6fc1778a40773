"""Find the destination of a mark: its line item, its platform, and the person's id there."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.lti.link_place import find_context_and_platform
from autograder.lti.lti_tool import LtiTool
from autograder.lti.platform_client import RESULT_READ_ONLY, SCORE, PlatformClient
from autograder.store.lti.lti_person_table import LtiPerson
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.lti.outbox_mark import OutboxMark
from autograder.store.store import Store


@dataclass(frozen=True, slots=True)
class MarkDestination:
    """The link, platform and person that a mark goes to."""

    link: LtiResourceLink
    platform: LtiPlatform
    client: PlatformClient
    person: LtiPerson
    """Who gets the mark."""

    @property
    def token_scopes(self) -> list[str]:
        """Return the scopes to request a token for; platforms refuse tokens for scopes that they did not grant."""
        return [scope for scope in (RESULT_READ_ONLY, SCORE) if scope in self.link.scopes]


def is_line_item_missing(store: Store, course: str, mark: OutboxMark) -> bool:
    """Return whether the link of a mark is connected and has no line item any more."""
    links = store.lti_links.list_in_connected_courses(course)
    return any(link.id == mark.resource_link_id and not link.line_item_url for link in links)


def find_mark_destination(store: Store, course: str, tool: LtiTool, mark: OutboxMark) -> MarkDestination | None:
    """Return the destination of a mark; None if its line item changed or is disconnected, or its platform is gone."""
    links = store.lti_links.list_in_connected_courses(course)
    link = next((link for link in links if link.id == mark.resource_link_id and link.line_item_url == mark.url), None)
    person = store.lti_people.find_by_id(mark.person)
    if link is None or person is None:
        return None
    _, platform = find_context_and_platform(store, link)
    if platform is None:
        return None
    return MarkDestination(link, platform, tool.make_platform_client(platform), person)
