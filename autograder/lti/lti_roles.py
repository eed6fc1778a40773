"""Read what somebody is in a course of a platform.

Vocabulary: https://www.imsglobal.org/spec/lti/v1p3#role-vocabularies. Launches name roles by URI, Moodle's list of
members by the last word alone. System and institution roles say nothing of a course: the administrator of an LMS is
nobody here until a course says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder.store.account_enrolment_sign_in_tables import Role

MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
TEST_USER = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"


def find_role_for_lti_roles(lti_roles: Iterable[str]) -> Role | None:
    """Return what somebody is here by their roles there; None if they are nothing here.

    A teaching assistant is an instructor with a sub-role, and says both. Somebody who administers a course is its
    instructor here: administrators of this server are made by its command line alone.

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
    """Return whether a platform says that this is nobody, such as the student view of Canvas."""
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
