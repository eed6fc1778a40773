"""A store with two students, and what is left of it when one of them was erased."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL, select

from autograder.batch.batch_location import BatchLocation
from autograder.course.deadline_rules import DeadlineRules
from autograder.store.audit import AuditContext, AuditEvent
from autograder.store.connection import try_vacuum_store
from autograder.store.results.deadline_rules_snapshot import (
    make_stored_deadline_rules,
    serialize_deadline_rules,
)
from autograder.store.results.result_model import GradingRules
from autograder.store.tables import metadata
from autograder.web.retention.erasure import carry_out_erasure, plan_person_erasure
from autograder.web.store.hand_ins import HandIn, NewHandIn
from autograder.web.store.server_store import ServerStore, open_or_create_store

DAY = datetime(2026, 11, 20, tzinfo=UTC)
UPLOAD = AuditContext("upload", "kim", "canvas", "", "toy", "run 1")


def hand_in(store: ServerStore, *logins: str, content: bytes) -> HandIn:
    members = [store.accounts.upsert_enrolment("", login, "student", login.title() + " Möller") for login in logins]
    return store.hand_ins.add_hand_in_unless_duplicate(NewHandIn("", "toy", members, f"{logins[0]}.py", content))


def dump(store: ServerStore) -> str:
    """All rows of all tables."""
    session = store.people._session
    return "\n".join(
        f"{table.name}: {row!r}" for table in metadata.sorted_tables for row in session.fetch_all(select(table))
    )


def make_store_of_two_people(url: URL, folder: Path) -> BatchLocation:
    """A store in which Ada handed in alone, and with Bob; what is about both of them, and about nobody."""
    place = BatchLocation(folder / "results", url.render_as_string(hide_password=False))
    (folder / "results").mkdir()
    with open_or_create_store(url) as store:
        own, shared = hand_in(store, "ada", content=b"secret"), hand_in(store, "bob", "ada", content=b"together")
        ada, bob = (store.accounts.find_enrolment("", login) for login in ("ada", "bob"))
        assert ada is not None
        assert bob is not None
        store.inquiries.open_or_join_inquiry(own, "", ada, "why?")
        asked = store.inquiries.open_or_join_inquiry(shared, "", ada, "what ada says")
        assert store.inquiries.add_entry_unless_outdated("", asked, bob, "question", "what bob says")
        store.audit.add_events(
            UPLOAD,
            [
                AuditEvent(
                    changed_item="mark",
                    target="4",
                    student="7",
                    student_label="Möller, Ada (7)",
                    submission="ada-1",
                    before="1",
                    after="2",
                    platform_state_before="ada",
                )
            ],
            "sending",
        )
        class_of_toy = store.classes.record_class_and_replace_entries(
            "", Path("class"), GradingRules("toy", "v", "1", "c", "k"), []
        )
        moment = datetime(2025, 11, 21, 12, tzinfo=UTC)
        extended = DeadlineRules(moment, extensions=(("ada", moment), ("bob", moment)))
        rules = serialize_deadline_rules(make_stored_deadline_rules(extended))
        assert store.classes.replace_deadline_rules_json(class_of_toy, rules, expected_before="")
        store.faults.record_fault("", "pages", "nothing to do with it")
        store.faults.record_fault("", "worker", "lost over ada-1")
    return place


def erase(place: BatchLocation, url: URL, login: str) -> str:
    """What is left of everything."""
    with open_or_create_store(url) as store:
        # the course of these tests has no name, as that of a store in its folder has none
        plan = plan_person_erasure(store, LocationOfUnnamedCourse(place.output_folder, place.store_option), login)
        assert carry_out_erasure(store, place, plan) == []
    assert try_vacuum_store(place.store_url)
    with open_or_create_store(url) as store:
        return re.sub(r"\b[0-9a-f]{32}\b|(?<=_erased-)[0-9a-f]+", "", dump(store))  # by chance, an id spells a name


class LocationOfUnnamedCourse(BatchLocation):
    @property
    def class_key_in_store(self) -> str:
        return ""
