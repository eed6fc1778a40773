"""Fill in the addresses that follow from a platform's kind, its own address and the tool's client id.

Moodle's are from a running Moodle 4.3; Canvas's and Blackboard's are from their documentation, for their clouds.
Other platforms show their addresses on the page where a tool is set up.
"""

from __future__ import annotations

from autograder.lti.address_guard import get_origin
from autograder.store.lti.lti_platform_table import PlatformKind

CANVAS = "https://canvas.instructure.com"
BLACKBOARD = "https://developer.blackboard.com/api/v1"


def get_known_addresses(platform_kind: PlatformKind, platform_url_or_empty: str, client_id: str) -> dict[str, str]:
    """Return the known ones of ``issuer``, ``login_url``, ``token_url`` and ``keys_url``.

    Args:
        platform_kind: the kind of platform.
        platform_url_or_empty: its address, such as ``https://moodle.uni.example``; empty if unknown.
        client_id: the id of this tool on the platform.

    >>> get_known_addresses("moodle", "https://moodle.uni.example/", "c")["token_url"]
    'https://moodle.uni.example/mod/lti/token.php'
    """
    base = platform_url_or_empty.rstrip("/")
    if platform_kind == "moodle" and get_origin(base):
        return {
            "issuer": base,
            "login_url": f"{base}/mod/lti/auth.php",
            "token_url": f"{base}/mod/lti/token.php",
            "keys_url": f"{base}/mod/lti/certs.php",
        }
    if platform_kind == "canvas":
        canvas_url = base or CANVAS
        return {
            "issuer": CANVAS,
            "login_url": f"{canvas_url}/api/lti/authorize_redirect",
            "token_url": f"{canvas_url}/login/oauth2/token",
            "keys_url": f"{canvas_url}/api/lti/security/jwks",
        }
    if platform_kind == "blackboard":
        return {
            "issuer": "https://blackboard.com",
            "login_url": f"{BLACKBOARD}/gateway/oidcauth",
            "token_url": f"{BLACKBOARD}/gateway/oauth2/jwttoken",
            "keys_url": f"{BLACKBOARD}/management/applications/{client_id}/jwks.json",
        }
    return {"issuer": base} if base else {}
