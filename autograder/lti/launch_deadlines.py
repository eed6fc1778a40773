"""Request an assignment's deadline in launches, and read it from them.

Variables: https://www.imsglobal.org/spec/lti/v1p3#customproperty. A platform that does not know a variable (Moodle),
or has no deadline for it (Canvas), sends the variable's name unchanged; such a value is ignored.
"""

from __future__ import annotations

from datetime import UTC, datetime

from autograder.lti.launch_message import LaunchMessage
from autograder.store.lti.lti_person_table import LtiPerson
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.store import Store

DEADLINE, OWN_DEADLINE = "deadline", "own_deadline"
DEADLINE_VARIABLES = {
    DEADLINE: "$ResourceLink.submission.endDateTime",
    OWN_DEADLINE: "$ResourceLink.submission.user.endDateTime",
}
"""Custom parameters: the general deadline, and the personal deadline of the person who follows the link."""


def record_launch_deadline(
    store: Store, link: LtiResourceLink, message: LaunchMessage, person: LtiPerson, *, is_student: bool
) -> None:
    """Save the deadline that a launch states.

    Canvas sends a student's personal deadline as the general one. So a deadline from a student's launch is saved for
    that student alone.

    Args:
        store: the store.
        link: the link that was followed.
        message: the launch.
        person: who followed it.
        is_student: whether the person is a student; the general deadline is taken from the staff's launches.
    """
    custom = message.custom or {}
    general_text, own_text = (custom.get(name) for name in (DEADLINE, OWN_DEADLINE))
    if not is_student:
        if _is_deadline_or_empty_text(general_text):
            store.lti_deadlines.record_platform_deadline_unless_outranked(
                link, parse_platform_deadline_or_none(general_text), "launch"
            )
    elif _is_deadline_or_empty_text(general_text) or _is_deadline_or_empty_text(own_text):
        store.lti_deadlines.record_platform_deadline_unless_outranked(
            link,
            parse_platform_deadline_or_none(own_text) or parse_platform_deadline_or_none(general_text),
            "launch",
            person,
        )


def _is_deadline_or_empty_text(deadline_text: object) -> bool:
    """Return whether a text is a deadline, or is empty, by which a platform states that there is none."""
    return deadline_text == "" or parse_platform_deadline_or_none(deadline_text) is not None


def parse_platform_deadline_or_none(deadline_text: object) -> datetime | None:
    """Return a deadline as a platform writes it, ISO 8601; None for anything else.

    >>> parse_platform_deadline_or_none("2026-11-20T23:59:00.000Z")
    datetime.datetime(2026, 11, 20, 23, 59, tzinfo=datetime.timezone.utc)
    >>> parse_platform_deadline_or_none("$ResourceLink.submission.endDateTime")
    """
    if not isinstance(deadline_text, str) or len(deadline_text) > 64:
        return None
    try:
        moment = datetime.fromisoformat(deadline_text)
    except ValueError:
        return None
    if not 1970 <= moment.year < 9000:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
