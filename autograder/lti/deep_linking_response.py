"""Build the signed response to a deep linking request: links to assignments, each with a gradebook column.

Format: https://www.imsglobal.org/spec/lti-dl/v2p0.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from autograder.lti.launch_deadlines import DEADLINE_VARIABLES
from autograder.lti.launch_message import CLAIM
from autograder.lti.tool_keys import ToolSigningKeyFile
from autograder.store.lti.lti_platform_table import LtiPlatform

LINK = "ltiResourceLink"
DL_CLAIM = "https://purl.imsglobal.org/spec/lti-dl/claim/"
LIFETIME = 300
TAG = "autograder"


@dataclass(frozen=True, slots=True)
class OfferedAssignment:
    """An assignment of this course, as the tool offers it to a platform that asks for content."""

    name: str
    title: str
    points: float
    deadline: datetime | None = None


def make_content_item(offered: OfferedAssignment, launch_url: str, *, with_line_item: bool) -> dict[str, Any]:
    """Return one link: where it leads, and the column that goes with it."""
    item: dict[str, Any] = {
        "type": LINK,
        "title": offered.title,
        "url": launch_url,
        "custom": {"assignment": offered.name, **DEADLINE_VARIABLES},
    }
    if with_line_item and offered.points > 0:
        item["lineItem"] = {
            "label": offered.title,
            "scoreMaximum": offered.points,
            "resourceId": offered.name,
            "tag": TAG,
        }
    if offered.deadline:
        item["submission"] = {"endDateTime": offered.deadline.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
    return item


def make_signed_deep_linking_response(
    tool_keys: ToolSigningKeyFile,
    platform: LtiPlatform,
    deployment_id: str,
    opaque_platform_data: str | None,
    content_items: Sequence[dict[str, Any]],
) -> str:
    """Return the signed response; ``opaque_platform_data`` is returned to the platform unchanged."""
    now = int(time.time())
    claims: dict[str, Any] = {
        "iss": platform.client_id,
        "aud": [platform.issuer],
        "iat": now,
        "exp": now + LIFETIME,
        "nonce": secrets.token_urlsafe(24),
        f"{CLAIM}deployment_id": deployment_id,
        f"{CLAIM}message_type": "LtiDeepLinkingResponse",
        f"{CLAIM}version": "1.3.0",
        f"{DL_CLAIM}content_items": list(content_items),
    }
    if opaque_platform_data is not None:
        claims[f"{DL_CLAIM}data"] = opaque_platform_data
    return tool_keys.sign_jwt(claims)
