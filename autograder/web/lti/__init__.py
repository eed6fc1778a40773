"""Speak LTI 1.3 Advantage with learning management systems ("platforms").

``tool_keys``, ``http_client`` and ``access_tokens`` are what every conversation needs, and ``platform_client``
combines them. ``oidc_login`` and ``launch_message`` handle the sign-in; ``deep_linking_response``,
``course_member_sync`` and ``registration`` implement the further services. The pages are in ``web``, and the tables
are in ``store``.
"""

from importlib.util import find_spec

PACKAGES = ("jwt", "cryptography", "requests")
"""The packages of the extra ``lti``. Without them, LTI is unavailable and everything else works."""


def are_packages_installed() -> bool:
    """Return whether the extra ``lti`` is installed."""
    return all(find_spec(name) for name in PACKAGES)
