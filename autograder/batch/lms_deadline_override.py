"""Replace the deadlines of ``grading.yml`` by those of an LMS, if the staff chose them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from autograder.course.deadline_rules import DeadlineRules
from autograder.store.store import Store
from autograder.student_name_comparison import normalize_student_name_keeping_case


def apply_lms_deadlines_if_chosen(
    store: Store, class_name: str, assignment_name: str, deadline_rules: DeadlineRules
) -> DeadlineRules:
    """Return the deadlines that count.

    If courses of LMSs state different general deadlines, the latest one counts. Students with another personal
    deadline from an LMS keep that one. Extensions of ``grading.yml`` stay if they give more time. If no LMS states a
    deadline, the one of ``grading.yml`` counts.

    Args:
        store: holds the LMSs' deadlines, and whose deadline counts.
        class_name: the class.
        assignment_name: the assignment.
        deadline_rules: the deadlines of ``grading.yml``.
    """
    if store.lti_deadlines.get_deadline_source(class_name, assignment_name) != "LMS":
        return deadline_rules
    said = store.lti_deadlines.list_platform_deadlines(class_name, assignment_name)
    if not said:
        return deadline_rules
    zone = deadline_rules.default_zone or (deadline_rules.deadline.tzinfo if deadline_rules.deadline else None) or UTC
    of_students: dict[str, datetime] = {}
    for one in said:
        name, moment = normalize_student_name_keeping_case(one.login), one.deadline.astimezone(zone)
        if name:
            of_students[name] = max(moment, of_students.get(name, moment), key=datetime.timestamp)
    general = [one.deadline.astimezone(zone) for one in said if not one.login]
    general = general or ([deadline_rules.deadline] if deadline_rules.deadline else [*of_students.values()])
    latest = max(general, key=datetime.timestamp)
    extensions = [
        (name, moment)
        for name, moment in deadline_rules.extensions
        if moment.timestamp() > of_students.get(name, latest).timestamp()
    ]
    own = sorted((name, moment) for name, moment in of_students.items() if moment != latest)
    return replace(deadline_rules, deadline=latest, extensions=tuple(extensions), deadlines_of_students=tuple(own))
