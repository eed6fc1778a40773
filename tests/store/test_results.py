"""A result is written once, whole, and by what decides it; so it is in SQLite and in PostgreSQL."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from sqlalchemy import insert, select, text
from sqlalchemy.engine import URL

from autograder.faults import KitFault
from autograder.reports import ScoreReport, read_report_json
from autograder.store.connection import connect_and_migrate, make_store_url
from autograder.store.results.result_model import (
    GradingRules,
    PackedResult,
    SubmissionDigests,
    pack_anonymous_result,
    unpack_report,
)
from autograder.store.session import StoreSession
from autograder.store.store import Store, open_or_create_store
from autograder.web.store import server_store  # noqa: F401 - with one of a server's tables come all
from autograder.web.store.tables import accounts
from tests.store.conftest import CounterCourse

RULES = GradingRules("counter", "v1", "0.1.0", "conditions", "known")
ALICE = SubmissionDigests("a" * 64, "b" * 64)


@pytest.fixture(scope="module")
def right(graded_counter_course: CounterCourse) -> ScoreReport:
    """A report that says nothing of mistakes."""
    return read_report_json(graded_counter_course.root / "out" / "reports" / "alice.json")


@pytest.fixture(scope="module")
def wrong(graded_counter_course: CounterCourse) -> ScoreReport:
    """A report that does."""
    return read_report_json(graded_counter_course.root / "out" / "reports" / "bob.json")


def put(store: Store, report: ScoreReport, rules: GradingRules = RULES, who: SubmissionDigests = ALICE) -> int | None:
    return store.results.save_result_unless_final(
        who, rules, {"the limits": "1"}, report, pack_anonymous_result(report, {})
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
        with session.group_statements():
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
        put(other, right, who=SubmissionDigests("c" * 64, ""))
        other.commit()
        assert (score(one), score(other)) == (7, 7)


def test_versions_with_results_are_listed_in_order(store: Store, right: ScoreReport) -> None:
    for version in ("v1", "v3", "v2"):
        put(store, right, replace(RULES, version=version))
    assert store.results.list_versions_with_results("counter") == ["v1", "v3", "v2"]


def test_a_record_is_kept_to_the_byte(store: Store, right: ScoreReport) -> None:
    record = PackedResult(pack_anonymous_result(right, {}).packed_report, bytes(range(256)))
    store.results.save_result_unless_final(ALICE, RULES, {"the limits": "1"}, right, record)
    found = store.results.find_result(ALICE.identity, RULES)
    assert found is not None
    assert (found.has_pytest_record, found.assignment_parts) == (True, '{"the limits":"1"}')
    assert store.results.load_packed_result(found) == record


def test_a_disk_that_fails_is_not_the_students_fault(tmp_path: Path, right: ScoreReport) -> None:
    url = make_store_url(tmp_path)
    with open_or_create_store(url) as store:
        put(store, right)
        store.commit()
        with sqlite3.connect(str(url.database)) as other:
            other.execute("DROP TABLE results")
        with pytest.raises(KitFault, match="what is done stays done"):
            put(store, right, who=SubmissionDigests("d" * 64, ""))
