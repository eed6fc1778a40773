"""Map a person's LTI roles in a course on a platform to a role here.

Vocabulary: https://www.imsglobal.org/spec/lti/v1p3#role-vocabularies. Launches name roles by URI, Moodle's list of
members by the last word alone. System and institution roles are ignored: the administrator of an LMS has no role here
without a role in a course.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder.store.web.account_tables import Role

MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
TEST_USER = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"


def find_role_for_lti_roles(lti_roles: Iterable[str]) -> Role | None:
    """Return the role here that follows from a person's LTI roles; None if none does.

    A teaching assistant is an instructor with a sub-role, and has both roles. The administrator of a course becomes
    an instructor here: administrators of this server are made on its command line alone.

    >>> find_role_for_lti_roles([f"{MEMBERSHIP}#Instructor", f"{MEMBERSHIP}/Instructor#TeachingAssistant"])
    'teaching assistant'
    """
    names = {_find_name(role) for role in lti_roles}
    if "TeachingAssistant" in names:
        return "teaching assistant"
    if names & {"Instructor", "Administrator"}:
        return "instructor"
    return "student" if "Learner" in names else None


def is_test_user(lti_roles: Iterable[str]) -> bool:
    """Return whether a platform marks this as a test user, such as the student view of Canvas."""
    return TEST_USER in lti_roles


def _find_name(role: str) -> str:
    """Return the name of a role in a course; empty for a role elsewhere."""
    space, _, name = role.rpartition("#")
    if not space:
        return name if "/" not in name and ":" not in name else ""
    if space == MEMBERSHIP:
        return name
    principal = space.removeprefix(f"{MEMBERSHIP}/")
    if principal == space:
        return ""
    return "TeachingAssistant" if (principal, name) == ("Instructor", "TeachingAssistant") else principal
