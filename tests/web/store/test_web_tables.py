"""Accounts and hand-ins in both databases: what is claimed by whom, in which order, and what a lost worker leaves."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

import pytest
from sqlalchemy import URL, create_engine, inspect

from autograder.course.deadline_rules import DeadlineRules
from autograder.store.store import open_or_create_store as open_store_of_shell
from autograder.store.tables import utc_now
from autograder.web.store import hand_ins
from autograder.web.store.accounts import Role
from autograder.web.store.hand_ins import (
    MOST_TRIES,
    AttemptLimitReached,
    GradingTimes,
    HandIn,
    NewHandIn,
    QueuePlace,
)
from autograder.web.store.mails import MailTable
from autograder.web.store.server_store import ServerStore, open_or_create_store
from autograder.web.store.staff_actions import HandInTrialOutcome
from tests.web.store.at_once import call_in_stores_at_once

PEOPLE: tuple[tuple[str, Role], ...] = (("ada", "student"), ("tess", "instructor"))


def hand_in(
    store: ServerStore, *logins: str, content: bytes = b"x", assignment: str = "toy", is_import: bool = False
) -> HandIn:
    members = [store.accounts.upsert_enrolment("", login, "student") for login in logins]
    new = NewHandIn("", assignment, members, "value.py", content, is_import=is_import)
    return store.hand_ins.add_hand_in_unless_duplicate(new)


def claim(store: ServerStore, worker: str = "w", assignment: str = "") -> str:
    claimed = store.grading_queue.try_claim_next_hand_in("", worker, assignment)
    return claimed.submission if claimed else ""


GRADE_IN_A_SHELL = """
import sys
from pathlib import Path
from sqlalchemy import make_url
from autograder.store.results.result_model import GradingRules
from autograder.store.store import open_or_create_store

with open_or_create_store(make_url(sys.argv[1])) as store:
    rules = GradingRules("toy", "v", "1", "c", "k")
    store.classes.record_class_and_replace_entries("", Path("class"), rules, [])
"""


def test_a_store_of_the_shell_gets_the_tables_of_a_server_when_one_opens_it(url: URL) -> None:
    text = url.render_as_string(hide_password=False)
    subprocess.run([sys.executable, "-c", GRADE_IN_A_SHELL, text], check=True)
    engine = create_engine(url)
    assert {*inspect(engine).get_table_names()} == {
        "autograder_schema",
        "results",
        "batches",
        "members",
        "audit",
        "decisions",
        "course_settings",
    }
    with open_or_create_store(url) as store:
        hand_in(store, "ada")
        assert store.classes.find_last_graded_class("", "toy")
    with open_store_of_shell(url) as opened:
        assert opened.has_hand_ins("", "toy")
    engine.dispose()


def grade_next(store: ServerStore) -> str:
    claimed = store.grading_queue.try_claim_next_hand_in("", "w")
    assert claimed
    store.grading_queue.record_outcome(claimed)
    return claimed.submission


def test_students_with_many_hand_ins_take_turns_with_those_who_come_later(url: URL) -> None:
    with open_or_create_store(url) as store:
        for number in range(4):
            hand_in(store, "ada", content=b"%d" % number, assignment=f"a{number % 2}")
        assert grade_next(store) == "ada-1"
        hand_in(store, "bob")
        hand_in(store, "cy")
        hand_in(store, "bob", content=b"y")
        ahead = [store.grading_queue.count_hand_ins_ahead(one) for one in store.hand_ins.list_hand_ins("", "toy")]
        assert ahead == [1, 2, 4]
        graded = [grade_next(store) for _ in range(6)]
    assert graded == ["ada-1", "bob-1", "cy-1", "ada-2", "bob-2", "ada-2"]


def test_imports_and_regrades_wait_behind_what_students_just_sent(store: ServerStore) -> None:
    old = hand_in(store, "ada")
    assert grade_next(store) == "ada-1"
    hand_in(store, "bob", is_import=True)
    store.grading_queue.requeue_ended(old)
    hand_in(store, "cy")
    assert [grade_next(store) for _ in range(3)] == ["cy-1", "ada-1", "bob-1"]


def test_hand_ins_are_claimed_in_the_order_of_arrival_and_one_of_an_owner_at_a_time(store: ServerStore) -> None:
    first, _ = hand_in(store, "ada"), hand_in(store, "ada", content=b"y")
    hand_in(store, "bob")
    assert [claim(store), claim(store), claim(store)] == ["ada-1", "bob-1", ""]
    store.grading_queue.record_outcome(first)
    assert [claim(store), claim(store)] == ["ada-2", ""]


def test_the_next_hand_in_is_left_alone_if_it_is_to_another_assignment(store: ServerStore) -> None:
    hand_in(store, "ada", assignment="first")
    hand_in(store, "bob", assignment="second")
    assert store.grading_queue.get_next_assignment("") == "first"
    assert claim(store, assignment="second") == ""
    assert claim(store, assignment="first") == "ada-1"
    assert store.grading_queue.get_next_assignment("") == "second"


def test_a_hand_in_is_claimed_by_one_of_many_workers(url: URL) -> None:
    with open_or_create_store(url) as store:
        for number in range(12):
            hand_in(store, f"s{number}")

    def work(store: ServerStore, name: int) -> list[str]:
        return [found for _ in range(12) if (found := claim(store, str(name)))]

    claimed = [one for found in call_in_stores_at_once(url, work) for one in found]
    assert sorted(claimed) == sorted(f"s{number}-1" for number in range(12))


def test_attempts_that_arrive_at_once_get_numbers_of_their_own(url: URL) -> None:
    with open_or_create_store(url) as store:
        ada = store.accounts.upsert_enrolment("", "ada", "student")

    def send(store: ServerStore, number: int) -> str:
        new = NewHandIn("", "toy", [ada], "v.py", bytes([number]))
        return store.hand_ins.add_hand_in_unless_duplicate(new).submission

    assert sorted(call_in_stores_at_once(url, send)) == ["ada-1", "ada-2", "ada-3", "ada-4"]


def test_of_attempts_that_arrive_at_once_as_many_are_kept_as_are_left(url: URL) -> None:
    with open_or_create_store(url) as store:
        ada = store.accounts.upsert_enrolment("", "ada", "student")

    def send(store: ServerStore, number: int) -> bool:
        new = NewHandIn("", "toy", [ada], "v.py", bytes([number]))
        try:
            store.hand_ins.add_hand_in_unless_duplicate(new, DeadlineRules(most_attempts=2))
        except AttemptLimitReached as refused:
            return bool(refused.allowance.left)
        return True

    assert sorted(call_in_stores_at_once(url, send)) == [False, False, True, True]
    with open_or_create_store(url) as store:
        assert len(store.hand_ins.list_hand_ins("", "toy")) == 2


def move_clock(monkeypatch: pytest.MonkeyPatch, offset: timedelta) -> None:
    """Move the clock that the queue reads."""
    monkeypatch.setattr(hand_ins, "utc_now", lambda: utc_now() + offset)


def test_a_clock_put_forward_has_no_worker_claim_again_what_it_is_grading(
    store: ServerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(store, "ada")
    assert claim(store, "one") == "ada-1"
    move_clock(monkeypatch, timedelta(days=1))
    assert [claim(store, "one"), claim(store, "two")] == ["", "ada-1"]


def test_a_clock_put_back_does_not_keep_what_a_lost_worker_had(
    store: ServerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(store, "ada")
    assert claim(store, "lost") == "ada-1"
    move_clock(monkeypatch, timedelta(days=-1))
    assert claim(store, "other") == "ada-1"


def test_what_a_lost_worker_had_is_claimed_once_its_lease_is_over(
    store: ServerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(store, "ada")
    assert [claim(store, "lost"), claim(store, "other")] == ["ada-1", ""]
    monkeypatch.setattr(hand_ins, "LEASE", timedelta(seconds=-1))
    store.grading_queue.extend_leases("lost")
    assert claim(store, "other") == "ada-1"


def test_a_worker_that_starts_again_takes_over_at_once(store: ServerStore) -> None:
    hand_in(store, "ada")
    claim(store, "one")
    store.grading_queue.expire_leases_of_worker("two")
    assert claim(store, "one") == ""
    store.grading_queue.expire_leases_of_worker("one")
    assert claim(store, "one") == "ada-1"


def test_a_hand_in_that_costs_worker_after_worker_is_shown_to_people(store: ServerStore) -> None:
    kept = hand_in(store, "ada")
    for _ in range(MOST_TRIES):
        assert claim(store) == "ada-1"
        store.grading_queue.expire_leases_of_worker("w")
    assert claim(store) == ""
    found = store.hand_ins.find_hand_in("", kept.key)
    assert found
    assert found.state == "failed"
    assert "workers were lost" in found.problem
    store.grading_queue.requeue_ended(found)
    assert claim(store) == "ada-1"


def test_what_has_cost_a_worker_goes_behind_what_has_not(store: ServerStore) -> None:
    kept = [hand_in(store, login) for login in ("ada", "bob", "cy")]
    assert claim(store) == "ada-1"
    assert [store.grading_queue.count_hand_ins_ahead(one) for one in kept] == [0, 1, 2]
    store.grading_queue.expire_leases_of_worker("w")
    store.grading_queue.extend_leases("w")
    assert [store.grading_queue.count_hand_ins_ahead(one) for one in kept] == [2, 0, 1]
    assert [claim(store), claim(store), claim(store)] == ["bob-1", "cy-1", "ada-1"]


def test_trouble_that_is_no_hand_ins_counts_as_no_try(store: ServerStore) -> None:
    hand_in(store, "ada")
    for _ in range(MOST_TRIES + 2):
        assert claim(store) == "ada-1"
        store.grading_queue.requeue_claims_without_counting_try("w")


def test_an_account_is_somebody_else_in_another_course(store: ServerStore) -> None:
    store.accounts.upsert_enrolment("one", "ada", "student", "Ada")
    store.accounts.upsert_enrolment("two", "ada", "instructor")
    assert [(one.login, one.name, one.role) for one in store.accounts.list_enrolments("two")] == [
        ("ada", "Ada", "instructor")
    ]
    ada = store.accounts.find_enrolment("one", "ada")
    assert ada
    assert ada.role == "student"
    assert store.accounts.find_enrolment("three", "ada") is None


def test_of_two_browsers_that_use_a_link_at_once_one_is_signed_in(url: URL) -> None:
    with open_or_create_store(url) as store:
        ada = store.accounts.upsert_enrolment("", "ada", "student")
        store.accounts.replace_invitation(ada.account, "t" * 64, timedelta(days=1))
    used = call_in_stores_at_once(url, lambda store, _: store.accounts.try_redeem_invitation("t" * 64))
    assert sorted(used, key=str) == [ada.account, None, None, None]


def test_questions_that_are_asked_at_once_are_one_inquiry(url: URL) -> None:
    with open_or_create_store(url) as store:
        kept = hand_in(store, "ada", "bob")

    def ask(store: ServerStore, number: int) -> str:
        person = store.accounts.find_enrolment("", ("ada", "bob")[number % 2])
        assert person
        return store.inquiries.open_or_join_inquiry(kept, "toy.double", person, f"question {number}").key

    assert len({*call_in_stores_at_once(url, ask)}) == 1
    with open_or_create_store(url) as store:
        (found,) = store.inquiries.list_inquiries("")
        texts = [one.text for one in store.inquiries.load_events(found)]
    assert sorted(texts) == [f"question {number}" for number in range(4)]


def test_of_two_answers_to_the_same_question_one_is_kept(url: URL) -> None:
    with open_or_create_store(url) as store:
        ada, tess = (store.accounts.upsert_enrolment("", *who) for who in PEOPLE)
        inquiry = store.inquiries.open_or_join_inquiry(hand_in(store, "ada"), "", ada, "why?")

    def answer(store: ServerStore, number: int) -> bool:
        return store.inquiries.add_entry_unless_outdated("", inquiry, tess, "answer", f"answer {number}")

    assert sorted(call_in_stores_at_once(url, answer)) == [False, False, False, True]
    with open_or_create_store(url) as store:
        assert store.inquiries.count_unread_answers("", ada.account) == 1
        assert store.inquiries.count_open_inquiries("") == 0
        assert [one.event.after for one in store.audit.load_audit_rows("", "toy")] == ["open", "answered"]


def test_an_answer_whose_mail_cannot_be_queued_is_not_kept_either(url: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("killed here")

    with open_or_create_store(url) as store:
        ada, tess = (store.accounts.upsert_enrolment("", *who) for who in PEOPLE)
        inquiry = store.inquiries.open_or_join_inquiry(hand_in(store, "ada"), "", ada, "why?")
        monkeypatch.setattr(MailTable, "queue_inquiry_answer_mails", fail)
        with pytest.raises(OSError, match="killed here"):
            store.inquiries.add_entry_unless_outdated("", inquiry, tess, "answer", "so", with_mail_to_students=True)
    with open_or_create_store(url) as store:
        assert [one.text for one in store.inquiries.load_events(inquiry)] == ["why?"]
        assert [one.event.after for one in store.audit.load_audit_rows("", "toy")] == ["open"]


def test_a_trial_waits_until_something_is_known_of_each_of_its_hand_ins(store: ServerStore) -> None:
    ines = store.accounts.upsert_enrolment("", "ines", "instructor")
    first, second = hand_in(store, "ada"), hand_in(store, "bob")
    trial = store.regrade_trials.queue_trial("", "toy", "v", [first, second], ines)
    assert store.regrade_trials.find_oldest_unfinished_trial("") == trial
    (waiting,) = store.regrade_trials.list_hand_in_outcomes(trial, "waiting", 1)
    assert waiting == HandInTrialOutcome(first)
    known = [
        HandInTrialOutcome(first, "tried", -5.0, is_lowered=True, lines=("ada-1: 5 -> 0", "\0ß")),
        HandInTrialOutcome(second, "failed"),
    ]
    store.regrade_trials.record_outcomes(trial, known)
    store.regrade_trials.record_outcomes(
        trial, [HandInTrialOutcome(first, "tried", 1.0)]
    )  # by a worker that was slower
    assert store.regrade_trials.find_oldest_unfinished_trial("") is None
    assert store.regrade_trials.list_hand_in_outcomes(trial) == known
    assert [store.regrade_trials.try_mark_carried_out(trial) for _ in range(2)] == [True, False]


def test_the_wait_is_told_from_what_the_last_ones_of_the_assignment_took(
    store: ServerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = utc_now()
    for module in ("hand_ins", "staff_actions"):
        monkeypatch.setattr(f"autograder.web.store.{module}.utc_now", lambda: now)
    for login, seconds in (("ada", 40), ("bob", 90), ("cy", 600)):
        hand_in(store, login)
        now += timedelta(seconds=5)
        claimed = store.grading_queue.try_claim_next_hand_in("", "w")
        assert claimed
        now += timedelta(seconds=seconds)
        store.grading_queue.record_outcome(claimed)
    times = store.grading_queue.load_grading_times("", "toy")
    assert times == GradingTimes(3, timedelta(seconds=5), timedelta(seconds=90))
    waiting = [hand_in(store, f"s{number}") for number in range(5)]
    assert store.grading_queue.find_place(waiting[4]) == QueuePlace(4, None)  # as nothing is graded now
    assert store.grading_queue.find_place(waiting[0]) == QueuePlace(0, None)  # as no worker runs
    store.workers.record_start("", "w", "namespaces", "1", "3.11")
    assert store.grading_queue.find_place(waiting[0]) == QueuePlace(0, timedelta(seconds=90))
    store.workers.record_end("", "w")
    assert [claim(store), claim(store)] == ["s0-1", "s1-1"]
    places = [store.grading_queue.find_place(one) for one in waiting]
    waits = [None, None, *(timedelta(seconds=90) * factor for factor in (2, 2.5, 3))]
    assert places == [QueuePlace(*pair) for pair in zip((0, 0, 2, 3, 4), waits, strict=True)]
    hand_in(store, "ada", content=b"y", assignment="new")
    (new,) = store.hand_ins.list_hand_ins("", "new")
    assert store.grading_queue.find_place(new) == QueuePlace(5, None)


def test_imports_and_regrades_are_not_what_a_student_waits_for(store: ServerStore) -> None:
    kept = hand_in(store, "ada")
    grade_next(store)
    assert store.grading_queue.load_grading_times("")
    store.grading_queue.requeue_ended(kept)
    hand_in(store, "bob", is_import=True)
    assert [grade_next(store), grade_next(store)] == ["ada-1", "bob-1"]
    assert store.grading_queue.load_grading_times("") is None


def test_a_store_from_before_times_were_kept_is_brought_up(url: URL) -> None:
    with open_or_create_store(url) as store:
        hand_in(store, "ada")
    engine = create_engine(url)
    with engine.begin() as connection:
        for name in ("queued_at", "begun_at", "ended_at"):
            connection.exec_driver_sql(f"ALTER TABLE web_hand_ins DROP COLUMN {name}")
        connection.exec_driver_sql("DROP TABLE web_publications")
        connection.exec_driver_sql("CREATE TABLE web_publications (id INTEGER PRIMARY KEY)")
        connection.exec_driver_sql("UPDATE autograder_schema SET version = 1")
    engine.dispose()
    with open_or_create_store(url) as store:
        assert grade_next(store) == "ada-1"
        assert store.grading_queue.load_grading_times("") is None
        hand_in(store, "bob")
        grade_next(store)
        assert store.grading_queue.load_grading_times("")
