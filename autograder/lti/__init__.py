"""Speak LTI 1.3 Advantage with learning management systems ("platforms").

``tool_keys``, ``http_client`` and ``access_tokens`` are what every conversation needs, and ``platform_service``
puts them together. ``oidc_login`` and ``launch_message`` take people in; ``deep_linking_response``,
``course_member_sync`` and ``registration`` are the services beside it. Pages are in ``web``, and what is kept is in
``store``.
"""

from importlib.util import find_spec

PACKAGES = ("jwt", "cryptography", "requests")
"""Those of the extra ``lti``. Without them nobody comes in from an LMS, and everything else is as before."""


def are_packages_installed() -> bool:
    """Return whether the extra ``lti`` is installed."""
    return all(find_spec(name) for name in PACKAGES)
