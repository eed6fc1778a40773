"""Record in the audit table that the deadline rules of ``grading.yml`` changed, and the final marks that follow."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.batch.mark_change_audit import compute_final_mark, make_mark_change_event
from autograder.batch.personalized_reports import iterate_entry_results, load_report_context
from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules
from autograder.store.audit_log import get_os_user_name
from autograder.store.audit_model import AuditContext, AuditEvent
from autograder.store.results.deadline_rules_snapshot import (
    iterate_rule_differences,
    make_stored_deadline_rules,
    serialize_deadline_rules,
    try_parse_deadline_rules,
)
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.packed_result import unpack_report
from autograder.store.store import Store


def record_deadline_changes(
    store: Store, class_name: str, assignment: Assignment, *, with_marks: bool = True
) -> None:
    """Record the changes from the rules that the class's marks followed until now, and save the present rules.

    Rules and rows are committed in one transaction. If several processes find the change, one of them writes it.
    Nothing is done for a class that was never graded, and nothing is recorded the first time.

    Args:
        store: where results are kept.
        class_name: the class's name.
        assignment: the assignment, with its deadlines as they are now.
        with_marks: whether to add a row for each final mark that changes. If False, the caller has to record them; it
            gets the earlier rules from ``find_replaced_deadline_rules`` before.

    Raises:
        KitFault: the database fails.
    """
    stored_class = store.classes.find_last_graded_class(class_name, assignment.name)
    if stored_class is None:
        return
    now = make_stored_deadline_rules(assignment.deadline_rules)
    kept_json = store.classes.load_deadline_rules_json(stored_class)
    kept = try_parse_deadline_rules(kept_json)
    if kept == now:
        return
    events: list[AuditEvent] = []
    if kept is not None:
        events += (
            AuditEvent(changed_item=what, student_label="everyone", before=old, after=new)
            for what, old, new in iterate_rule_differences(kept, now)
        )
        if with_marks:
            before = kept.restore(_collect_student_names(store, stored_class))
            events += _iterate_mark_events(store, stored_class, before, assignment.deadline_rules)
    with store.group():
        if store.classes.replace_deadline_rules_json(
            stored_class, serialize_deadline_rules(now), expected_before=kept_json
        ):
            action = AuditContext("deadlines", get_os_user_name(), "", class_name, assignment.name)
            store.audit.add_events_uncommitted(action, events, "decided")
    store.commit()


def find_replaced_deadline_rules(store: Store, class_name: str, assignment: Assignment) -> DeadlineRules | None:
    """Return the rules that the class's marks followed until now, if others are in the course; write nothing.

    Args:
        store: where results are kept.
        class_name: the class's name.
        assignment: the assignment, with its deadlines as they are now.
    """
    stored_class = store.classes.find_last_graded_class(class_name, assignment.name)
    if stored_class is None:
        return None
    kept = try_parse_deadline_rules(store.classes.load_deadline_rules_json(stored_class))
    if kept is None or kept == make_stored_deadline_rules(assignment.deadline_rules):
        return None
    return kept.restore(_collect_student_names(store, stored_class))


def _collect_student_names(store: Store, stored_class: StoredGradedClass) -> set[str]:
    """Return every name under which an extension may count for a submission of the class."""
    timed = (entry.submission_time for entry in store.classes.iterate_entries(stored_class))
    return {
        name
        for one in timed
        if one is not None
        for names in ((one.student,), *one.members)
        for name in names
    }  # fmt: skip


def _iterate_mark_events(
    store: Store, stored_class: StoredGradedClass, before: DeadlineRules, now: DeadlineRules
) -> Iterator[AuditEvent]:
    contexts = [load_report_context(store, stored_class, rules) for rules in (before, now)]
    for entry, found, _ in iterate_entry_results(store, stored_class):
        if found:
            report = unpack_report(found.packed_report)
            old, new = (compute_final_mark(report, entry.name, context) for context in contexts)
            if old != new:
                yield make_mark_change_event(entry.name, old, new)
