"""Record in the audit table which final marks other deadlines in ``grading.yml`` change."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from autograder.batch.mark_change_audit import make_audit_event_of_mark_change
from autograder.batch.mark_changes import get_final_points_and_bonus
from autograder.batch.personalized_reports import (
    iterate_entry_result_and_is_current,
    load_report_context,
    personalize_report,
)
from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules
from autograder.store.audit_log import AuditContext, AuditEvent, get_os_user_name
from autograder.store.graded_class_table import StoredGradedClass
from autograder.store.packed_result import unpack_report
from autograder.store.store import Store
from autograder.store.stored_deadline_rules import (
    describe_deadline_rules,
    serialize_deadline_rules,
    try_parse_deadline_rules,
)


def record_deadline_changes(store: Store, class_name: str, assignment: Assignment) -> None:
    """Add a row for rules that are not those of the last time, and one for each final mark that follows from them.

    The rules are kept with the class, all of it or nothing, and by one of several processes that find the change.
    Nothing is done for a class that was never graded.

    Args:
        store: where results are kept.
        class_name: the class's name.
        assignment: the assignment, with its deadlines as they are now.

    Raises:
        KitFault: the database fails.
    """
    stored_class = store.classes.find_last_graded_class(class_name, assignment.name)
    if stored_class is None:
        return
    now_json = serialize_deadline_rules(assignment.deadline_rules)
    before_json = store.classes.load_deadline_rules_json(stored_class)
    if now_json == before_json:
        return
    with store.group():
        if not store.classes.replace_deadline_rules_json(stored_class, now_json, expected_before=before_json):
            return
        before = try_parse_deadline_rules(before_json)
        if before is not None:
            events = _iterate_events(store, stored_class, before, assignment.deadline_rules)
            action = AuditContext("deadlines", get_os_user_name(), "", class_name, assignment.name, uuid.uuid4().hex)
            store.audit.add_events_and_commit_if_due(action, [*events], "decided")


def _iterate_events(
    store: Store, stored_class: StoredGradedClass, before: DeadlineRules, now: DeadlineRules
) -> Iterator[AuditEvent]:
    yield AuditEvent(
        "deadlines", "", "", "everyone", "", describe_deadline_rules(before), describe_deadline_rules(now)
    )
    contexts = [load_report_context(store, stored_class, rules) for rules in (before, now)]
    for entry, found, _ in iterate_entry_result_and_is_current(store, stored_class):
        if found:
            report = unpack_report(found.packed_report)
            old, new = (
                get_final_points_and_bonus(personalize_report(report, entry.name, context)) for context in contexts
            )
            if old != new:
                yield make_audit_event_of_mark_change(entry.name, old, new)
