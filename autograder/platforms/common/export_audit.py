"""Look up what earlier exports did, and record what one does now, in the audit table of the class's store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autograder.batch.batch_location import BatchLocation
from autograder.platforms.common.platform_model import ExportChange, ExportResult, Platform
from autograder.store.audit_event_state import AuditState
from autograder.store.audit_log import AuditLog, get_os_user_name
from autograder.store.audit_model import AuditAction, AuditContext, AuditEvent
from autograder.store.last_exported_value import LastExportedValue, WrittenKey


def load_last_exported_values(
    location: BatchLocation, platform: Platform, assignment_name: str
) -> Mapping[WrittenKey, LastExportedValue]:
    """Return what the kit wrote last for each student of a class.

    Raises:
        CallerFault: the store cannot be opened.
    """
    with location.open_existing_store(dry_run=True) as store:
        return store.audit.map_last_exported_values(location.class_key_in_store, assignment_name, platform.name)


def record_export(location: BatchLocation, platform: Platform, assignment_name: str, export: ExportResult) -> None:
    """Record each mark and comment that was written into files.

    Raises:
        KitFault: the database fails. The next export then treats these marks as set by people, and keeps them.
    """
    events = make_export_audit_events(export)
    if events:
        with location.open_existing_store() as store:
            store.audit.add_events(
                make_audit_context("export", location, platform, assignment_name), events, "written"
            )


def make_export_audit_events(export: ExportResult) -> list[AuditEvent]:
    """Return each mark and comment that an export writes, as events for the audit table."""
    return [
        _make_audit_event_of_change(change) for change in (*export.changes, *export.comments) if change.has_new_value
    ]


class AuditingUploadObserver:
    """Tells the audit table what an upload does, row by row as it happens.

    See ``common.platform_model.UploadObserver``.
    """

    def __init__(self, audit: AuditLog, action: AuditContext, report_progress: Callable[[int, int], None]) -> None:
        self._audit, self._action, self._progress = audit, action, report_progress

    def __call__(self, done: int, of: int) -> None:
        """Show how many of how many students are done."""
        self._progress(done, of)

    def begin(self, changes: Sequence[ExportChange], as_account: str) -> Sequence[int]:
        """Record changes that are about to be sent; a row without an answer shows that the upload was killed."""
        return self._audit.add_events(self._action, map(_make_audit_event_of_change, changes), "sending", as_account)

    def end(self, begun: Sequence[int], state: AuditState, answer: str) -> None:
        """Record the platform's answer."""
        self._audit.record_outcome(begun, state, answer)


def make_audit_context(
    action: AuditAction, location: BatchLocation, platform: Platform, assignment_name: str
) -> AuditContext:
    """Return what the rows of one command have in common."""
    return AuditContext(action, get_os_user_name(), platform.name, location.class_key_in_store, assignment_name)


def _make_audit_event_of_change(change: ExportChange) -> AuditEvent:
    """Return a change as an event for the audit table."""
    return AuditEvent(
        changed_item=change.what,
        target=change.place,
        student=change.student_key,
        student_label=change.student,
        submission=change.submission,
        before=change.before,
        after=change.after,
        platform_state_before=change.seen,
        overwrote=change.overwrites,
    )
