"""Everything that changes or sends a mark has a row, which is completed when an answer comes and never goes."""

from __future__ import annotations

from sqlalchemy import URL, create_engine, text

from autograder.store.audit import AuditContext, AuditEvent, LastExportedValue
from autograder.store.store import open_or_create_store

UPLOAD = AuditContext("upload", "kim", "canvas", "class", "toy", "run 1")
EXPORT = AuditContext("export", "kim", "canvas", "class", "toy", "run 2")


def mark(after: str, student: str = "7", before: str = "", what: str = "mark") -> AuditEvent:
    return AuditEvent(
        changed_item=what,
        target="4711",
        student=student,
        student_label=f"Ada ({student})",
        submission="ada",
        before=before,
        after=after,
        platform_state_before="monday",
    )


def rows(url: URL, columns: str) -> list[tuple[object, ...]]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(f"SELECT {columns} FROM audit ORDER BY id"))]
    engine.dispose()
    return found


def test_a_row_says_what_was_sent_to_whom_by_whom_and_what_became_of_it(url: URL) -> None:
    with open_or_create_store(url) as store:
        sent = store.audit.add_events(UPLOAD, [mark("9.5")], "sending", "Kim (7)")
        store.audit.record_outcome(sent, "refused", "no \0 such\nstudent")
    columns = "action, account, as_account, run, changed_item, student, before, after, state, answer"
    assert rows(url, columns) == [
        ("upload", "kim", "Kim (7)", "run 1", "mark", "7", "", "9.5", "refused", "no \\u0000 such\\nstudent")
    ]
    ((when,),) = rows(url, "recorded_at")
    assert str(when).endswith("+00:00")


def test_a_row_is_on_the_disk_before_anything_is_sent(url: URL) -> None:
    with open_or_create_store(url) as store:
        store.audit.add_events(UPLOAD, [mark("9.5")], "sending")
        assert rows(url, "after, state") == [("9.5", "sending")]


def test_the_last_that_was_written_of_each_student_is_known(url: URL) -> None:
    with open_or_create_store(url) as store:
        store.audit.add_events(EXPORT, [mark("9"), mark("3", "8"), mark("well", what="comment")], "written")
        store.audit.add_events(EXPORT, [mark("9.5", before="9")], "written")
        assert store.audit.map_last_exported_values("class", "toy", "canvas") == {
            ("mark", "4711", "7"): LastExportedValue("9", "9.5", "monday"),
            ("mark", "4711", "8"): LastExportedValue("", "3", "monday"),
            ("comment", "4711", "7"): LastExportedValue("", "well", "monday"),
        }


def test_what_the_platform_took_is_known_to_have_arrived_and_what_it_refused_was_never_there(url: URL) -> None:
    with open_or_create_store(url) as store:
        taken = store.audit.add_events(UPLOAD, [mark("9")], "sending")
        store.audit.record_outcome(taken, "taken", "")
        refused = store.audit.add_events(UPLOAD, [mark("5")], "sending")
        store.audit.record_outcome(refused, "refused", "closed")
        (found,) = store.audit.map_last_exported_values("class", "toy", "canvas").values()
    assert found == LastExportedValue("", "9", "monday", was_confirmed=True)


def test_a_store_that_is_only_read_gets_no_row(url: URL) -> None:
    with open_or_create_store(url):
        pass
    with open_or_create_store(url, dry_run=True) as store:
        store.audit.record_outcome(store.audit.add_events(UPLOAD, [mark("9")], "sending"), "taken", "")
    assert rows(url, "id") == []
