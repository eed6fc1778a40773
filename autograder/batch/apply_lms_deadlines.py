"""Put the deadlines that an LMS says in the place of those of ``grading.yml``, where the staff decided so."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from autograder.course.deadline_and_attempt_rules import DeadlineAndAttemptRules
from autograder.store.store import Store
from autograder.student_name_comparison import normalize_student_name_keeping_case


def apply_lms_deadlines_if_chosen(
    store: Store, class_name: str, assignment_name: str, deadline_rules: DeadlineAndAttemptRules
) -> DeadlineAndAttemptRules:
    """Return the deadlines that count.

    Where several courses of LMSs say different ones, the latest is the general one, and students whom an LMS told
    another one have their own. Extensions of ``grading.yml`` stay as far as they give more time. Where no LMS says
    anything, the deadline of ``grading.yml`` counts.

    Args:
        store: keeps what LMSs said, and whose deadline counts.
        class_name: the class.
        assignment_name: the assignment.
        deadline_rules: the deadlines of ``grading.yml``.
    """
    if store.lti_deadlines.get_authoritative_deadline_source(class_name, assignment_name) != "LMS":
        return deadline_rules
    said = store.lti_deadlines.list_general_and_personal_platform_deadlines(class_name, assignment_name)
    if not said:
        return deadline_rules
    zone = deadline_rules.default_zone or (deadline_rules.deadline.tzinfo if deadline_rules.deadline else None) or UTC
    of_students: dict[str, datetime] = {}
    for one in said:
        name, moment = normalize_student_name_keeping_case(one.login), one.moment.astimezone(zone)
        if name:
            of_students[name] = max(moment, of_students.get(name, moment), key=datetime.timestamp)
    general = [one.moment.astimezone(zone) for one in said if not one.login]
    general = general or ([deadline_rules.deadline] if deadline_rules.deadline else [*of_students.values()])
    latest = max(general, key=datetime.timestamp)
    extensions = [
        (name, moment)
        for name, moment in deadline_rules.extensions
        if moment.timestamp() > of_students.get(name, latest).timestamp()
    ]
    own = sorted((name, moment) for name, moment in of_students.items() if moment != latest)
    return replace(deadline_rules, deadline=latest, extensions=tuple(extensions), deadlines_of_students=tuple(own))
