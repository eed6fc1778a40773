"""A result is written once, whole, and by what decides it; so it is in SQLite and in PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import structs
from sqlalchemy import insert, select, text
from sqlalchemy.engine import URL

from autograder.faults import CallerFault, KitFault
from autograder.lateness import SubmissionTimes, TimedSubmission
from autograder.reports import ScoreReport, read_report_json
from autograder.store.connection import connect_and_migrate, make_store_url
from autograder.store.results.packed_result import (
    ObservationsForRegrade,
    PackedResult,
    pack_anonymous_result,
    unpack_report,
)
from autograder.store.results.result_key import (
    GradingRules,
    SubmissionContentKey,
    compute_submission_key,
)
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.session import StoreSession
from autograder.store.store import Store, open_or_create_store
from autograder.store.web.web_table_definitions import accounts
from autograder.submissions import Person, SubmissionOrigin
from tests.store.conftest import CounterCourse

RULES = GradingRules("counter", "v1", "0.1.0", "conditions", "known")
ALICE = SubmissionContentKey("a" * 64, "b" * 64)
LIMIT = 2**20
WHEN = datetime(2025, 11, 21, 11, tzinfo=UTC)
DATA = Path(__file__).parents[1] / "data" / "store"


@pytest.fixture
def store(url: URL) -> Iterator[Store]:
    with open_or_create_store(url) as opened:
        yield opened


@pytest.fixture(scope="module")
def right(graded_counter_course: CounterCourse) -> ScoreReport:
    """A report that says nothing of mistakes."""
    return read_report_json(graded_counter_course.root / "out" / "reports" / "alice.json")


@pytest.fixture(scope="module")
def wrong(graded_counter_course: CounterCourse) -> ScoreReport:
    """A report that does."""
    return read_report_json(graded_counter_course.root / "out" / "reports" / "bob.json")


def put(
    store: Store, report: ScoreReport, rules: GradingRules = RULES, who: SubmissionContentKey = ALICE
) -> int | None:
    return store.results.save_result_unless_final_one_is_kept(
        who, rules, report, pack_anonymous_result(report, {}, ObservationsForRegrade())
    )


def score(store: Store, rules: GradingRules = RULES) -> float | None:
    found = store.results.find_result(ALICE.identity, rules)
    return unpack_report(found.packed_report).score if found else None


def scored(report: ScoreReport, points: float) -> ScoreReport:
    return structs.replace(report, score=points)


def unfinished(report: ScoreReport, points: float) -> ScoreReport:
    """A report with a fault of the grader's."""
    tests = [structs.replace(report.tests[0], outcome="grader error"), *report.tests[1:]]
    return structs.replace(report, score=points, tests=tests)


# Results


def test_a_result_is_found_by_what_decides_it(store: Store, right: ScoreReport) -> None:
    put(store, right)
    assert score(store) == right.score


@pytest.mark.parametrize("part", ["assignment", "version", "kit", "environment_hash"])
def test_a_result_is_not_found_by_anything_else(store: Store, right: ScoreReport, part: str) -> None:
    put(store, right)
    assert score(store, replace(RULES, **{part: "other"})) is None


def test_a_result_that_speaks_of_mistakes_is_not_found_when_others_are_known(
    store: Store, wrong: ScoreReport
) -> None:
    put(store, wrong)
    assert score(store, replace(RULES, misconceptions_state="")) is None


def test_a_result_without_a_mistake_is_found_whatever_is_known(store: Store, right: ScoreReport) -> None:
    put(store, right)
    assert score(store, replace(RULES, misconceptions_state="")) == right.score


def test_a_result_is_written_once(store: Store, right: ScoreReport) -> None:
    assert put(store, scored(right, 7))
    assert not put(store, scored(right, 3))
    assert score(store) == 7


def test_a_result_with_a_fault_of_the_graders_gives_way_to_one_without(store: Store, right: ScoreReport) -> None:
    put(store, unfinished(right, 7))
    assert put(store, scored(right, 3))
    assert score(store) == 3
    assert not put(store, unfinished(right, 8))
    assert score(store) == 3


def test_a_result_holds_no_name(store: Store, right: ScoreReport) -> None:
    put(store, right)
    found = store.results.find_result(ALICE.identity, RULES)
    assert found is not None
    assert unpack_report(found.packed_report).submission.id == ""


def test_what_is_committed_is_there_when_it_is_opened_again(url: URL, right: ScoreReport) -> None:
    with open_or_create_store(url) as store:
        put(store, right)
        store.commit()
        with open_or_create_store(url) as other:
            assert score(other) == right.score


def test_what_was_put_is_on_the_disk_when_it_ends_with_an_error(url: URL, right: ScoreReport) -> None:
    def put_and_fail() -> None:
        with open_or_create_store(url) as store:
            put(store, right)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        put_and_fail()
    with open_or_create_store(url) as store:
        assert score(store) == right.score


def test_of_statements_that_belong_together_none_stays_when_one_fails(url: URL) -> None:
    def write_both(session: StoreSession) -> None:
        with session.group_statements_and_commit_if_due():
            session.execute(insert(accounts).values(login="ada", name="Ada", made_at=""))
            session.execute(text("insert into nowhere values (1)"))

    with connect_and_migrate(url) as connection:
        session = StoreSession(connection, url)
        with pytest.raises(KitFault):
            write_both(session)
        session.commit()
        assert session.fetch_one(select(accounts)) is None


def test_two_runs_may_write_the_same_results(url: URL, right: ScoreReport) -> None:
    with open_or_create_store(url) as one, open_or_create_store(url) as other:
        put(one, scored(right, 7))
        one.commit()
        put(other, scored(right, 7))
        put(other, right, who=SubmissionContentKey("c" * 64, ""))
        other.commit()
        assert (score(one), score(other)) == (7, 7)


def test_earlier_results_are_found_the_latest_first(store: Store, right: ScoreReport) -> None:
    for version in ("v1", "v2", "v3"):
        put(store, right, replace(RULES, version=version))
    earlier = store.results.list_recent_results(ALICE.identity, replace(RULES, version="v4"))
    assert [found.assignment_version for found in earlier] == ["v3", "v2", "v1"]
    assert store.results.list_versions_with_results("counter") == ["v1", "v2", "v3"]


def test_a_version_is_described_once(store: Store) -> None:
    store.versions.save_manifest_if_new(RULES, "first")
    store.versions.save_manifest_if_new(RULES, "second")
    assert store.versions.get_manifest_json_or_empty("counter", "v1", "known") == "first"
    assert store.versions.get_manifest_json_or_empty("counter", "v2", "known") == ""


def test_a_record_is_kept_to_the_byte(store: Store, right: ScoreReport) -> None:
    record = PackedResult(
        pack_anonymous_result(right, {}, ObservationsForRegrade()).packed_report,
        bytes(range(256)),
        b"\0kept",
    )
    store.results.save_result_unless_final_one_is_kept(ALICE, RULES, right, record)
    found = store.results.find_result(ALICE.identity, RULES)
    assert found is not None
    assert found.has_pytest_record
    assert store.results.load_packed_result(found) == record


# Classes


def test_a_class_is_what_it_was_begun_with_in_its_order(store: Store) -> None:
    names = [f"student {number}" for number in range(2500)]
    batch = store.classes.record_class_and_replace_entries(
        "", Path("class"), RULES, [StoredSubmissionEntry(name, Path(name)) for name in names]
    )
    assert [entry.name for entry in store.classes.iterate_entries(batch)] == names


def test_who_has_left_a_class_is_left_out(store: Store) -> None:
    store.classes.record_class_and_replace_entries(
        "", Path("class"), RULES, [StoredSubmissionEntry("alice", Path("a")), StoredSubmissionEntry("bob", Path("b"))]
    )
    batch = store.classes.record_class_and_replace_entries(
        "", Path("class"), RULES, [StoredSubmissionEntry("bob", Path("b"))]
    )
    assert [entry.name for entry in store.classes.iterate_entries(batch)] == ["bob"]


def test_what_was_handed_in_is_known_when_a_class_is_begun_again(store: Store) -> None:
    members = [StoredSubmissionEntry("alice", Path("a"))]
    store.classes.record_submission_key(
        store.classes.record_class_and_replace_entries("", Path("class"), RULES, members), "alice", ALICE
    )
    again = store.classes.record_class_and_replace_entries("", Path("class"), RULES, members)
    assert [entry.submission_identity for entry in store.classes.iterate_entries(again)] == [ALICE.identity]


def test_the_class_that_was_graded_last_is_found(store: Store) -> None:
    for name in ("one", "two"):
        store.classes.record_class_and_replace_entries("", Path(name), replace(RULES, assignment=name), [])
    found, one = store.classes.find_last_graded_class(""), store.classes.find_last_graded_class("", "one")
    assert (found and found.rules.assignment, one and one.rules.assignment) == ("two", "one")
    assert store.classes.find_last_graded_class("elsewhere") is None


@pytest.mark.parametrize(
    "name", ["größe_値", "no text \udce9", "a\0b", 'quote"', "back\\slash", "\ud800", "two\nlines"]
)
def test_any_name_comes_back_as_it_was(store: Store, name: str) -> None:
    batch = store.classes.record_class_and_replace_entries(
        name, Path("class"), RULES, [StoredSubmissionEntry(name, Path(name), name)]
    )
    store.classes.record_submission_key(batch, name, ALICE)
    (entry,) = store.classes.iterate_entries(batch)
    assert (entry.name, entry.path, entry.problem, entry.submission_identity) == (
        name,
        Path(name),
        name,
        ALICE.identity,
    )
    assert store.classes.find_last_graded_class(name) is not None


def test_an_origin_comes_back_as_it_was(store: Store) -> None:
    when = datetime(2026, 11, 20, 14, 0, tzinfo=UTC)
    person = Person("12345", "Lovelace, Ada", "ada@example.com", "ada")
    origin = SubmissionOrigin(
        "canvas", (person,), "Team \0 1", when, True, "2", ("größe\udce9.py",), ({"student": "小龙"},)
    )
    batch = store.classes.record_class_and_replace_entries(
        "", Path("class"), RULES, [StoredSubmissionEntry("ada", Path("a"), origin=origin)], "canvas"
    )
    (entry,) = store.classes.iterate_entries(batch)
    assert entry.origin == origin
    found = store.classes.find_last_graded_class("")
    assert found is not None
    assert found.platform_name == "canvas"


def test_those_who_handed_in_come_back_by_all_their_names(store: Store) -> None:
    members = (("ada \0", "größe@x", "no text \\udce9"), ("bob",))
    batch = store.classes.record_class_and_replace_entries(
        "", Path("class"), RULES, [StoredSubmissionEntry("a", Path("a")), StoredSubmissionEntry("b", Path("b"))]
    )
    told = SubmissionTimes({"a": TimedSubmission("ada + bob", WHEN, members), "b": TimedSubmission("eve", WHEN)})
    store.classes.replace_owners_and_times(batch, told)
    entries = store.classes.iterate_entries(batch)
    assert {one.name: one.timed_submission for one in entries} == dict(told.by_submission_id)


def test_who_handed_in_is_kept_until_the_submission_comes_from_somebody_else(store: Store) -> None:
    hand_in = TimedSubmission("ada", WHEN, (("ada", "ada@x"),))
    entry = StoredSubmissionEntry("a", Path("a"), origin=SubmissionOrigin("", (Person("1"),)))
    store.classes.record_class_and_replace_entries(
        "", Path("class"), RULES, [replace(entry, timed_submission=hand_in)]
    )
    for person, kept in (("1", hand_in.members), ("2", ())):
        now = replace(entry, origin=SubmissionOrigin("", (Person(person),)))
        batch = store.classes.record_class_and_replace_entries("", Path("class"), RULES, [now])
        (found,) = store.classes.iterate_entries(batch)
        assert found.timed_submission == replace(hand_in, members=kept)


# What is no store


def test_a_file_that_is_no_database_is_the_callers_mistake(tmp_path: Path) -> None:
    (tmp_path / "results.sqlite").write_bytes(b"so long, and thanks for all the fish" * 100)
    with (
        pytest.raises(CallerFault, match="is not a store of results"),
        open_or_create_store(make_store_url(tmp_path)),
    ):
        pass


def test_a_folder_that_is_missing_is_the_callers_mistake(tmp_path: Path) -> None:
    with (
        pytest.raises(CallerFault, match="cannot open the database"),
        open_or_create_store(make_store_url(tmp_path / "nowhere")),
    ):
        pass


def test_a_server_that_does_not_answer_is_the_callers_mistake() -> None:
    pytest.importorskip("psycopg")
    url = make_store_url(Path(), "postgresql://kit@127.0.0.1:1/none?connect_timeout=1")
    with pytest.raises(CallerFault, match="cannot open the database"), open_or_create_store(url):
        pass


@pytest.mark.parametrize("store", ["results.sqlite", "mysql://host/course", "://"])
def test_a_database_of_an_unknown_kind_is_the_callers_mistake(tmp_path: Path, store: str) -> None:
    with pytest.raises(CallerFault, match="--store") as caught:
        make_store_url(tmp_path, store)
    assert "write one such as" in caught.value.advice


def test_no_message_holds_the_password(tmp_path: Path) -> None:
    url = make_store_url(tmp_path, "postgresql://kit:secret@127.0.0.1:1/none?connect_timeout=1")
    with pytest.raises(CallerFault, match="cannot open the database") as caught, open_or_create_store(url):
        pass
    assert "secret" not in str(caught.value)


def test_a_disk_that_fails_is_not_the_students_fault(tmp_path: Path, right: ScoreReport) -> None:
    url = make_store_url(tmp_path)
    with open_or_create_store(url) as store:
        put(store, right)
        store.commit()
        with sqlite3.connect(str(url.database)) as other:
            other.execute("DROP TABLE results")
        with pytest.raises(KitFault, match="what is done stays done"):
            put(store, right, who=SubmissionContentKey("d" * 64, ""))


# What decides a result


def test_the_same_bytes_under_another_name_are_something_else(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x = 1")
    a, b = (compute_submission_key(tmp_path / name, "", LIMIT) for name in ("a.py", "b.py"))
    assert a.sha256 == b.sha256
    assert a.identity != b.identity


def test_the_same_files_of_two_students_are_the_same(tmp_path: Path) -> None:
    for name in ("alice", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "value.py").write_text("x = 1")
    assert compute_submission_key(tmp_path / "alice", "", LIMIT) == compute_submission_key(
        tmp_path / "bob", "", LIMIT
    )


def test_what_cannot_be_read_is_told_apart_by_why(tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    paths = ("link.py", "missing.py")
    identities = {compute_submission_key(tmp_path / path, "", LIMIT).identity for path in paths}
    identities.add(compute_submission_key(tmp_path / "missing.py", "It lies outside.", LIMIT).identity)
    assert len(identities) == 3
