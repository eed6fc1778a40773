"""Check the connection between a platform and this tool, without changing anything there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from autograder.english_wording import format_count
from autograder.faults import Fault, ServiceFault
from autograder.lti.course_member_sync import fetch_members
from autograder.lti.line_item_results import RESULTS_TYPE
from autograder.lti.line_items import ITEM_TYPE
from autograder.lti.lti_tool import LtiTool
from autograder.lti.platform_client import (
    LINE_ITEM,
    LINE_ITEM_READ_ONLY,
    MEMBERS_READ_ONLY,
    RESULT_READ_ONLY,
    append_path_segment_to_url,
)
from autograder.store.lti.lti_context_table import LtiContext
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.store import Store


@dataclass(frozen=True, slots=True)
class ConnectionCheckStepResult:
    """The result of one step of a connection check."""

    name: str
    works: bool
    text: str


def iterate_connection_checks(
    store: Store, course: str, tool: LtiTool, platform: LtiPlatform
) -> Iterator[ConnectionCheckStepResult]:
    """Check the platform's keys, an access token, and each link's line item and results; yield each step's result."""
    yield _try_step(
        "keys of the platform",
        lambda: f"{len(tool.platform_keys.fetch_fresh_keys(platform))} found",
    )
    contexts = [
        context for context in store.lti_contexts.list_contexts_of_course(course) if context.platform == platform.id
    ]
    scopes = sorted({scope for context in contexts for scope in context.scopes})
    if not scopes:  # a platform that offers members alone refuses a token for anything else
        scopes = [MEMBERS_READ_ONLY if any(context.members_url for context in contexts) else LINE_ITEM_READ_ONLY]
    yield _try_step("access token", lambda: _get_token(tool, platform, scopes))
    for context in contexts:
        if context.members_url:
            yield _try_step(
                f"members of {context.label}",
                partial(_read_members, tool, platform, context),
            )
    context_ids = {context.id for context in contexts}
    links = [
        link
        for link in store.lti_links.list_in_connected_courses(course)
        if link.context in context_ids and link.line_item_url
    ]
    for link in links:
        read_part = partial(_read_line_item, tool, platform, link)
        yield _try_step(f"line item of {link.assignment}", partial(read_part, "", ITEM_TYPE))
        yield _try_step(f"results of {link.assignment}", partial(read_part, "results", RESULTS_TYPE))
    if not links:
        yield ConnectionCheckStepResult(
            "line items", False, "no line item is known yet: open an assignment from a connected course first"
        )


def _try_step(name: str, action: Callable[[], str]) -> ConnectionCheckStepResult:
    try:
        return ConnectionCheckStepResult(name, True, action())
    except Fault as fault:
        return ConnectionCheckStepResult(name, False, str(fault))


def _get_token(tool: LtiTool, platform: LtiPlatform, scopes: list[str]) -> str:
    tool.tokens.forget_cached_token(platform, scopes)
    tool.tokens.get_token(platform, scopes)
    return f"given for {format_count(len(scopes), 'scope')}"


def _read_members(tool: LtiTool, platform: LtiPlatform, context: LtiContext) -> str:
    return f"{len(fetch_members(tool.make_platform_client(platform), context.members_url))} listed"


def _read_line_item(tool: LtiTool, platform: LtiPlatform, link: LtiResourceLink, part: str, accept: str) -> str:
    wanted_scopes = (RESULT_READ_ONLY,) if part else (LINE_ITEM, LINE_ITEM_READ_ONLY)
    scopes = [scope for scope in wanted_scopes if scope in link.scopes][:1]
    if not scopes:
        raise ServiceFault(
            "the platform does not let the tool read this", advice="allow it in the tool's settings there"
        )
    url = append_path_segment_to_url(link.line_item_url, part) if part else link.line_item_url
    response = tool.make_platform_client(platform).send_authorized_request("GET", url, scopes, accept=accept)
    if not response.is_ok:
        raise ServiceFault(
            f"the platform answers with status {response.status}", advice="check the tool's permissions there"
        )
    return "read"
