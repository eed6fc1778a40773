"""Help the commands of ``autograder lti``: find a platform, escape its texts, and name who runs the command."""

from __future__ import annotations

from autograder.faults import CallerFault
from autograder.safe_text import escape_for_display
from autograder.store.audit_log import get_os_user_name
from autograder.store.lti.lti_audit_events import LtiActor
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.store.store import Store


def make_os_user_actor() -> LtiActor:
    """Return who runs the command, for the audit log."""
    return LtiActor(get_os_user_name())


def get_lti_platform_by_name(store: Store, platform_name: str) -> LtiPlatform:
    """Return the platform of a name.

    Raises:
        CallerFault: there is none.
    """
    found = store.lti_platforms.find_active_by_name(platform_name)
    if found is None:
        names = ", ".join(one.name for one in store.lti_platforms.list_active())
        raise CallerFault(
            f"unknown platform '{escape_and_shorten_for_terminal(platform_name)}'",
            advice=f"choose from {names}" if names else "add it first",
        )
    return found


def escape_and_shorten_for_terminal(text: str) -> str:
    """Return a platform's text, escaped and shortened for a terminal."""
    return escape_for_display(text, 300)
