"""A class comes back in its order, with every name, origin and time as it was; so in SQLite and in PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from autograder.lateness import SubmissionTime, SubmissionTimes
from autograder.store.results.graded_class_table import StoredGradedClass, StoredSubmissionEntry
from autograder.store.results.result_model import GradingRules, SubmissionDigests
from autograder.store.store import Store
from autograder.submissions import Person, SubmissionOrigin

RULES = GradingRules("counter", "v1", "0.1.0", "conditions", "known")
ALICE = SubmissionDigests("a" * 64, "b" * 64)
WHEN = datetime(2025, 11, 21, 11, tzinfo=UTC)


def record(store: Store, *entries: StoredSubmissionEntry, name: str = "", platform: str = "") -> StoredGradedClass:
    """Record a class, or the same class anew."""
    return store.classes.record_class_and_replace_entries(name, Path("class"), RULES, entries, platform)


def submission(name: str, **settings: Any) -> StoredSubmissionEntry:
    return StoredSubmissionEntry(name, Path(name), **settings)


def test_a_class_is_what_it_was_begun_with_in_its_order(store: Store) -> None:
    names = [f"student {number}" for number in range(2500)]
    batch = record(store, *map(submission, names))
    assert [entry.name for entry in store.classes.iterate_entries(batch)] == names


@pytest.mark.first_cases(4)
@pytest.mark.parametrize(
    "name", ["größe_値", "no text \udce9", "a\0b", 'quote"', "back\\slash", "\ud800", "two\nlines"]
)
def test_any_name_comes_back_as_it_was(store: Store, name: str) -> None:
    batch = record(store, submission(name, problem=name), name=name)
    store.classes.record_submission_digests(batch, name, ALICE)
    (entry,) = store.classes.iterate_entries(batch)
    assert entry == submission(name, problem=name, submission_identity=ALICE.identity)
    assert store.classes.find_last_graded_class(name) is not None


def test_an_origin_comes_back_as_it_was(store: Store) -> None:
    when = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)
    person = Person("12345", "Lovelace, Ada", "ada@example.com", "ada")
    origin = SubmissionOrigin(
        "canvas", (person,), "Team \0 1", when, True, "2", ("größe\udce9.py",), ({"student": "小龙"},)
    )
    batch = record(store, submission("ada", origin=origin), platform="canvas")
    (entry,) = store.classes.iterate_entries(batch)
    assert entry.origin == origin
    found = store.classes.find_last_graded_class("")
    assert found is not None
    assert found.platform_name == "canvas"


def test_those_who_handed_in_come_back_by_all_their_names(store: Store) -> None:
    members = (("ada \0", "größe@x", "no text \\udce9"), ("bob",))
    batch = record(store, submission("a"), submission("b"))
    told = SubmissionTimes({"a": SubmissionTime("ada + bob", WHEN, members), "b": SubmissionTime("eve", WHEN)})
    store.classes.replace_owners_and_times(batch, told)
    entries = store.classes.iterate_entries(batch)
    assert {one.name: one.submission_time for one in entries} == dict(told.by_submission_id)


def test_who_handed_in_is_kept_until_the_submission_comes_from_somebody_else(store: Store) -> None:
    hand_in = SubmissionTime("ada", WHEN, (("ada", "ada@x"),))
    record(store, submission("a", origin=SubmissionOrigin("", (Person("1"),)), submission_time=hand_in))
    for person, kept in (("1", hand_in.members), ("2", ())):
        batch = record(store, submission("a", origin=SubmissionOrigin("", (Person(person),))))
        (found,) = store.classes.iterate_entries(batch)
        assert found.submission_time == replace(hand_in, members=kept)
