"""A student is taken out of a store of either kind: own rows go, shared ones lose the name, others stay."""

from __future__ import annotations

import os
import re
import zipfile
from unittest.mock import Mock

import pytest
from click.testing import CliRunner
from sqlalchemy import URL

from autograder.batch.batch_location import BatchLocation
from autograder.cli.main import main
from autograder.faults import CallerFault
from autograder.lateness import SubmissionTime
from autograder.store.results.deadline_rules_snapshot import (
    try_parse_deadline_rules,
)
from autograder.store.results.graded_class_table import StoredSubmissionEntry
from autograder.store.tables import metadata
from autograder.web.retention.erasure import carry_out_erasure, plan_person_erasure
from autograder.web.store.people.erasure import CourseStudentEraser
from autograder.web.store.server_store import open_or_create_store, open_server_store
from tests.cli.commands import run, succeeded
from tests.store.conftest import RIGHT, CounterCourse, open_counter_class
from tests.web.store.two_people import DAY, LocationOfUnnamedCourse, dump, erase


def test_no_row_of_any_table_names_an_erased_student(two_people_location: BatchLocation, url: URL) -> None:
    left = erase(two_people_location, url, "ada")
    assert "secret" not in left
    for name in ("ada", "Ada", "what ada says"):
        assert name not in left
    assert "'upload'" in left
    with open_or_create_store(url) as store:
        class_of_toy = store.classes.find_last_graded_class("", "toy")
        assert class_of_toy is not None
        kept = try_parse_deadline_rules(store.classes.load_deadline_rules_json(class_of_toy))
    assert kept is not None
    assert [name for name, _ in kept.restore(["ada", "bob"]).extensions] == ["bob"]


def test_a_shared_hand_in_is_the_others_now(two_people_location: BatchLocation, url: URL) -> None:
    left = erase(two_people_location, url, "ada")
    assert "what bob says" in left
    assert "nothing to do with it" in left
    with open_or_create_store(url) as store:
        bob = store.accounts.find_enrolment("", "bob")
        assert bob is not None
        (kept,) = store.hand_ins.list_hand_ins("", "toy", bob.account)
        assert store.hand_ins.load_content(kept) == b"together"
        assert kept.submission.endswith(" + bob-1")
        assert store.accounts.find_enrolment("", "ada") is None


def test_an_account_that_another_course_has_stays_there(two_people_location: BatchLocation, url: URL) -> None:
    with open_or_create_store(url) as store:
        store.accounts.upsert_enrolment("other", "ada", "student")
    erase(two_people_location, url, "ada")
    with open_or_create_store(url) as store:
        assert store.accounts.find_enrolment("", "ada") is None
        assert store.accounts.find_enrolment("other", "ada") is not None


def test_an_erasure_that_fails_erases_no_row(two_people_location: BatchLocation, url: URL) -> None:
    with open_or_create_store(url) as store:
        before = dump(store)
        plan = plan_person_erasure(
            store, LocationOfUnnamedCourse(two_people_location.output_folder, two_people_location.store_option), "ada"
        )
        assert store.grading_queue.try_claim_next_hand_in("", "w")  # begins between the question and the yes
        with pytest.raises(CallerFault, match="is being graded"):
            store.erase_person(plan.person, plan.name_replacer)
    with open_or_create_store(url) as store:
        assert len(dump(store).splitlines()) == len(before.splitlines())
        assert store.accounts.find_enrolment("", "ada") is not None


def test_an_erasure_that_ends_before_the_rows_are_gone_can_be_repeated_and_forgets_no_file(
    counter_course: CounterCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    mention = counter_course.root / "out" / "versions" / "v" / "overview.html"
    mention.parent.mkdir(parents=True)
    mention.write_text("as bob says", encoding="utf-8")
    place = BatchLocation(counter_course.root / "out")
    monkeypatch.setattr(CourseStudentEraser, "erase", Mock(side_effect=KeyboardInterrupt))
    with open_server_store(place, must_exist=True) as store:
        plan = plan_person_erasure(store, place, "bob")
        with pytest.raises(KeyboardInterrupt):
            carry_out_erasure(store, place, plan)
    assert not mention.exists()
    monkeypatch.undo()
    succeeded(run("people", "erase", "bob", "--yes", "--out", "out", cwd=counter_course.root))


def test_a_whole_term_goes_and_its_staff_stays(two_people_location: BatchLocation, url: URL) -> None:
    with open_or_create_store(url) as store:
        store.accounts.upsert_enrolment("", "ines", "instructor")
        with pytest.raises(CallerFault, match="waits to be graded"):
            store.terms.erase_student_records("")
        while claimed := store.grading_queue.try_claim_next_hand_in("", "w"):
            store.grading_queue.record_outcome(claimed)
        store.terms.erase_student_records("")
        left = dump(store)
        assert "ines" in left
        for name in ("ada", "bob", "secret", "together", "upload"):
            assert name not in left


def test_a_student_of_a_batch_is_erased_and_the_download_is_named(counter_course: CounterCourse) -> None:
    done = CliRunner().invoke(main, ["people", "erase", "bob", "--yes", "--out", str(counter_course.root / "out")])
    assert done.exit_code == 0, done.output
    assert re.search(r"not touched, since it lies outside the results: .*/students/bob\.py", done.stdout)
    assert "bob" not in counter_course.reports()
    assert len(counter_course.reports()) == 5
    assert b"bob" not in counter_course.gradebook()
    assert b"bob" not in (counter_course.root / "out" / "results.sqlite").read_bytes()
    counter_course.batch()  # grading the download again brings the student back, as the documentation says
    assert "bob" in counter_course.reports()


def test_a_file_that_two_classes_name_in_two_ways_is_listed_once(counter_course: CounterCourse) -> None:
    counter_course.batch()
    link = counter_course.root / "link"
    link.symlink_to(counter_course.students)
    entry = StoredSubmissionEntry("bob again", link / "bob.py", submission_time=SubmissionTime("bob", DAY))
    with open_counter_class(counter_course) as opened:
        opened.store.classes.add_entry_or_update_path(opened.stored_class, entry)
    location = BatchLocation(counter_course.root / "out")
    with open_server_store(location) as store:
        plan = plan_person_erasure(store, location, "bob")
    assert plan.untouched == ((counter_course.students / "bob.py").resolve(),)


def test_a_file_whose_name_is_not_text_is_exported(counter_course: CounterCourse) -> None:
    (counter_course.root / "students" / "grace").mkdir()
    (counter_course.root / "students" / "grace" / "value.py").write_text(RIGHT, encoding="utf-8")
    (counter_course.root / "students" / "grace" / os.fsdecode(b"n\xe4.txt")).write_text("notes", encoding="utf-8")
    counter_course.batch()
    out, packed = str(counter_course.root / "out"), counter_course.root / "grace.zip"
    done = CliRunner().invoke(main, ["people", "export", "grace", "--out", out, "--to", str(packed)])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(packed) as archive:
        assert archive.read("files/counter/grace/n%E4.txt") == b"notes"


def test_every_reference_to_an_account_or_a_hand_in_is_followed_from_a_number_that_it_has() -> None:
    """A table of tomorrow that refers to people is deleted from, and what refers to that table in turn."""
    for table in metadata.tables.values():
        for column in table.c:
            for key in column.foreign_keys:
                assert key.column.name == "id", f"{table.name}.{column.name}"
