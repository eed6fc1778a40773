"""What people decided is kept, survives a regrade, shows wherever marks are shown, and can be undone."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, text

from autograder.batch.batch_location import BatchLocation
from autograder.batch.graded_class import RewriteOptions, rewrite_reports_and_gradebook
from autograder.decisions import EVERYONE, Decision, DecisionProvenance
from autograder.reports import ScoreReport
from autograder.store import session
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.result_model import GradingRules
from autograder.store.store import Store, open_or_create_store
from autograder.workers.grading_tasks import GradingTaskResult
from tests.store.conftest import RIGHT, CounterCourse, open_counter_class

KIM = DecisionProvenance("Kim", "kim")
LEA = DecisionProvenance("Léa \0", "lea")
TWICE = "counting.it-goes-up-twice"


def begin(store: Store) -> StoredGradedClass:
    return store.classes.record_class_and_replace_entries(
        "b", Path("class"), GradingRules("toy", "v", "1", "c", "k"), []
    )


def in_database(url: URL, query: str) -> list[tuple[object, ...]]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query))]
    engine.dispose()
    return found


def test_decisions_come_back_as_they_were_made(url: URL) -> None:
    made = [
        LEA.make_decision("comment", "ada", value="a\0b\ud800", sha256="0" * 64),
        KIM.make_decision("exempt", EVERYONE, "t"),
    ]
    with open_or_create_store(url) as store:
        kept = [one for decision in made for one in store.decisions.add_decisions(begin(store), "b", [decision], {})]
    with open_or_create_store(url) as store:
        assert store.decisions.list_all_decisions(begin(store)) == kept
    assert [one.id for one in kept] == [1, 2]
    assert [replace(one, id=0) for one in kept] == made


def test_every_decision_and_its_end_is_in_the_audit_table(url: URL) -> None:
    with open_or_create_store(url) as store:
        batch = begin(store)
        made = [
            KIM.make_decision("override", "ada", "tanh", "7", "appeal"),
            KIM.make_decision("exempt", EVERYONE, "t", "", "wrong"),
        ]
        kept = store.decisions.add_decisions(batch, "b", made, {("override", "ada"): "3.5"})
        store.decisions.undo_decisions(batch, "b", kept[:1], LEA, "a mistake")
    columns = "action, account, as_account, changed_item, target, student_label, before, after, state, answer"
    assert in_database(url, f"SELECT {columns} FROM audit ORDER BY id") == [
        ("decide", "kim", "Kim", "override", "tanh", "ada", "3.5", "7", "decided", "appeal"),
        ("decide", "kim", "Kim", "exempt", "t", "everyone", "", "exempt", "decided", "wrong"),
        ("undo", "lea", "Léa \\u0000", "override", "tanh", "ada", "7", "", "decided", "a mistake"),
    ]


def test_an_export_does_not_take_a_decision_for_a_mark_that_it_wrote(store: Store) -> None:
    store.decisions.add_decisions(begin(store), "b", [KIM.make_decision("override", "ada", value="7")], {})
    assert store.audit.map_last_exported_values("b", "toy", "canvas") == {}


def test_a_store_that_is_only_read_keeps_no_decision(url: URL) -> None:
    with open_or_create_store(url) as store:
        batch = begin(store)
    with open_or_create_store(url, dry_run=True) as store:
        assert (
            store.decisions.add_decisions(batch, "b", [KIM.make_decision("override", "ada", value="7")], {})[0].id
            == 0
        )
        assert store.decisions.list_all_decisions(batch) == []


# A class


def decide(counter_course: CounterCourse, *made: Decision) -> None:
    """Keep decisions, and write what people read."""
    with open_counter_class(counter_course) as one:
        one.save_and_number_decisions([*made])
    rewrite_reports_and_gradebook(
        BatchLocation(counter_course.root / "out"),
        "",
        lambda _: counter_course.assignment,
        RewriteOptions(with_student_pages=True),
    )


def row(counter_course: CounterCourse, name: str) -> dict[str, str]:
    rows = csv.DictReader(io.StringIO(counter_course.gradebook().decode()))
    return next(one for one in rows if one["submission"] == name)


def report(counter_course: CounterCourse, name: str) -> ScoreReport:
    return counter_course.reports()[name]


def page(counter_course: CounterCourse, name: str) -> str:
    return (counter_course.root / "out" / "feedback" / f"{name}.html").read_text(encoding="utf-8")


def test_a_decision_shows_in_report_gradebook_and_page(counter_course: CounterCourse) -> None:
    decide(
        counter_course,
        KIM.make_decision("override", "erin", value="7.5", reason="appeal"),
        KIM.make_decision("comment", "erin", value="Hi"),
    )
    assert report(counter_course, "erin").final.score == 7.5
    shown = row(counter_course, "erin")
    assert (shown["final_score"], shown["by_tests"]) == ("7.5", "5")
    assert shown["decisions"] == "score set to 7.5: appeal [Kim]; comment: Hi [Kim]"
    assert "The staff set the score to 7.5. The tests alone gave 5 of 10 points." in page(counter_course, "erin")
    assert "Hi</blockquote>" in page(counter_course, "erin")


def test_a_page_names_neither_the_reason_nor_who_decided(counter_course: CounterCourse) -> None:
    decide(counter_course, KIM.make_decision("override", "erin", value="7.5", reason="long illness"))
    assert "illness" not in page(counter_course, "erin")
    assert "Kim" not in page(counter_course, "erin")


def test_what_the_staff_writes_is_text(counter_course: CounterCourse) -> None:
    attack = '</blockquote><script>alert(1)</script>\n=HYPERLINK("x")'
    decide(
        counter_course,
        KIM.make_decision("comment", "erin", value=attack),
        KIM.make_decision("points", "erin", "<i>style</i>", "1", "=1+1"),
    )
    assert "<script>" not in page(counter_course, "erin")
    assert "<i>style" not in page(counter_course, "erin")
    assert not row(counter_course, "erin")["decisions"].startswith("=")


def test_a_decision_survives_a_regrade(counter_course: CounterCourse) -> None:
    decide(counter_course, KIM.make_decision("override", "erin", value="7.5", reason="appeal"))
    counter_course.change(counter_course.hidden / "test_counting.py", "assert got == 2", "assert got != 4")
    counter_course.regrade()
    assert report(counter_course, "erin").final.score == 7.5
    assert row(counter_course, "erin")["by_tests"] == "10"


def test_a_decision_about_earlier_files_stays_and_says_so(counter_course: CounterCourse) -> None:
    with open_counter_class(counter_course) as one:
        sha256 = next(e.report.submission.sha256 for e in one.load_personalized_entries() if e.entry.name == "erin")
    decide(counter_course, KIM.make_decision("override", "erin", value="7.5", reason="appeal", sha256=sha256))
    counter_course.hand_in(erin=RIGHT)
    counter_course.batch()
    assert report(counter_course, "erin").final.score == 7.5
    assert row(counter_course, "erin")["decisions"] == "score set to 7.5: appeal [Kim] (about earlier files)"
    assert "files that were handed in before" in page(counter_course, "erin")


def test_a_test_is_exempt_for_all(counter_course: CounterCourse) -> None:
    decide(counter_course, KIM.make_decision("exempt", EVERYONE, TWICE, reason="it is wrong"))
    scores = {name: one.score for name, one in counter_course.reports().items()}
    assert scores == {"alice": 10, "bob": 5, "carol": 0, "dave": 10, "erin": 10, "frank": 10}
    assert "A test gives its points whatever came of it: It goes up by one each time." in page(counter_course, "erin")


def test_what_is_undone_leaves_no_trace_in_what_people_read(counter_course: CounterCourse) -> None:
    rewrite_reports_and_gradebook(
        BatchLocation(counter_course.root / "out"),
        "",
        lambda _: counter_course.assignment,
        RewriteOptions(with_student_pages=True),
    )
    before = (counter_course.gradebook(), page(counter_course, "erin"), counter_course.reports())
    decide(
        counter_course,
        KIM.make_decision("override", "erin", value="7.5"),
        KIM.make_decision("comment", "erin", value="Hi"),
    )
    with open_counter_class(counter_course) as one:
        one.undo_decisions(one.load_decision_history(), KIM, "a mistake")
    decide(counter_course)
    assert (counter_course.gradebook(), page(counter_course, "erin"), counter_course.reports()) == before


# While the class is graded


def test_a_preview_is_of_the_same_results_though_a_batch_adds_others_meanwhile(counter_course: CounterCourse) -> None:
    counter_course.hand_in(zoe=RIGHT)

    def decided_later() -> Iterator[Decision]:
        counter_course.batch()
        yield KIM.make_decision("override", "erin", value="7.5")

    with open_counter_class(counter_course, dry_run=True) as one:
        before, after = one.preview_final_marks([], decided_later())
    assert before.keys() == after.keys()
    assert {name for name in after if before[name] != after[name]} == {"erin"}
    assert "zoe" in counter_course.reports()


def test_what_is_decided_while_the_class_is_graded_shows_in_its_reports_and_gradebook(
    counter_course: CounterCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_UNWRITTEN_SECONDS", 0)  # this process decides, and must not wait for itself
    counter_course.change(counter_course.hidden / "test_counting.py", "assert got == 2", "assert got in (2, 2.0)")

    def decide_after_alice(done: GradingTaskResult) -> None:
        if done.name == "alice":
            with open_counter_class(counter_course) as one:
                exempt = KIM.make_decision("exempt", EVERYONE, TWICE, reason="it is wrong")
                one.save_and_number_decisions([exempt, KIM.make_decision("override", "alice", value="3")])

    counter_course.batch(on_result=decide_after_alice)
    assert report(counter_course, "alice").final.score == float(row(counter_course, "alice")["final_score"]) == 3
    assert report(counter_course, "erin").score == float(row(counter_course, "erin")["score"]) == 10
