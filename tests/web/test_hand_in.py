"""Students hand in: what is kept, what is refused before it is kept, and what they see of the result."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from autograder.faults import CourseWarning
from autograder.sandbox import choose_strongest_sandbox
from autograder.store.results.graded_class_table import GradedClassTables, StoredGradedClass
from autograder.store.store import Store
from autograder.store.web.hand_in_table import NewHandIn
from autograder.web.workers.hand_in_worker import CourseHandInWorker
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult
from tests.toy import HALF, RIGHT
from tests.web.conftest import DEADLINE, Site, grade_all, make_site, wait_until

NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {"cell_type": "code", "id": "a", "metadata": {}, "source": RIGHT, "outputs": [], "execution_count": None}
    ],
}


def zipped(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return packed.getvalue()


def change_grading(root: Path, more: str) -> Site:
    config = root / "course" / "grading.yml"
    config.write_text(config.read_text(encoding="utf-8") + more, encoding="utf-8")
    return make_site(root)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("value.py", RIGHT.encode()),
        ("My Work.IPYNB", json.dumps(NOTEBOOK).encode()),
        ("all.zip", zipped(**{"value.py": RIGHT})),
    ],
)
def test_a_receipt_says_when_and_what_before_anything_is_graded(site: Site, name: str, content: bytes) -> None:
    ada = site.browser("ada")
    answer = ada.hand_in(content, name)
    assert answer.status_code == 303
    receipt = ada.get(answer.headers["Location"]).text
    assert hashlib.sha256(content).hexdigest() in receipt
    assert "ada-3" in receipt
    assert "Next to be graded" in receipt
    assert 'http-equiv="refresh"' in receipt  # without a script, the result appears by itself
    assert ada.get(f"{answer.headers['Location']}/file").data == content


def test_pasted_code_is_kept_as_a_file(site: Site) -> None:
    ada = site.browser("ada")
    answer = ada.post("/assignments/toy", code=RIGHT.replace("\n", "\r\n"))
    assert ada.get(f"{answer.headers['Location']}/file").data == RIGHT.encode()


def test_whoever_has_many_before_them_asks_seldom(site: Site) -> None:
    def queue(store: Store) -> None:
        bob = store.accounts.find_enrolment("", "bob")
        assert bob is not None
        for number in range(40):
            store.hand_ins.add_hand_in_unless_same_still_waits(
                NewHandIn("", "toy", [bob], "value.py", f"{RIGHT}#{number}".encode())
            )

    for before, seconds in ((0, 3), (40, 10), (80, 20), (120, 20)):
        if before:
            site.in_store(queue)
        ada = site.browser("ada")
        receipt = ada.get(ada.hand_in(f"{RIGHT}# {before}\n").headers["Location"]).text
        assert f'<meta http-equiv="refresh" content="{seconds}">' in receipt


@pytest.mark.parametrize("path", ["/", "/assignments/toy", "/hand-ins/{}", "/hand-ins/{}/report"])
def test_a_students_page_reads_no_other_entry_of_the_class(
    site: Site, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, tess = site.browser("ada"), site.browser("tess")

    def refuse(table: GradedClassTables, stored_class: StoredGradedClass) -> None:
        raise AssertionError("the whole class was read, which takes the longer the larger it is")

    monkeypatch.setattr(GradedClassTables, "iterate_entries", refuse)
    assert ada.get(path.format(site.key("ada-1"))).status_code == 200
    assert tess.get("/class/toy").status_code == 500  # the staff's table needs all of them


def test_what_is_being_graded_keeps_nobody_from_handing_in(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite has one writer: a worker that kept a transaction open while it grades would hold up every receipt."""
    for login in ("ada", "bob"):
        site.browser(login).hand_in(f"{RIGHT}# {login}\n")
    free: list[str] = []

    def look(tasks: Iterator[GradingTask], *more: object) -> Iterator[None]:
        for task in tasks:
            with closing(sqlite3.connect(site.settings.place.output_folder / "results.sqlite", timeout=0)) as other:
                other.execute("BEGIN IMMEDIATE")
                other.rollback()
            free.append(task.name)
        return iter(())

    monkeypatch.setattr("autograder.web.workers.assignment_hand_in_grader.run_tasks", look)
    worker = CourseHandInWorker(
        site.settings, lambda one: choose_strongest_sandbox("process", None, one.packages), "one", 1
    )
    with worker.open_for_grading():
        worker.grade_next_hand_ins(lambda: False)
    assert free == ["ada-3", "bob-2"]


def test_a_worker_logs_what_keeps_mistakes_from_being_named(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    site.browser("ada").hand_in(f"{HALF}# once more\n")

    def answer(tasks: Iterator[GradingTask], *more: object) -> Iterator[GradingTaskResult]:
        for task in tasks:
            yield GradingTaskResult(task.name, kit_failure="ended", course_problem="diagnosis.py:2: this\nfile ends")

    monkeypatch.setattr("autograder.web.workers.assignment_hand_in_grader.run_tasks", answer)
    worker = CourseHandInWorker(
        site.settings, lambda one: choose_strongest_sandbox("process", None, one.packages), "one", 1
    )
    with worker.open_for_grading(), pytest.warns(CourseWarning, match="diagnosis"):
        worker.grade_next_hand_ins(lambda: False)
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told == ["toy: diagnosis.py:2: this\\nfile ends"]


def test_an_extension_is_in_the_audit_log_while_nobody_hands_in(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.web.workers.hand_in_worker.LEASE", timedelta(seconds=0.2))
    shutil.copytree(site.settings.course, tmp_path / "course")
    grading = tmp_path / "course" / "grading.yml"
    worker = CourseHandInWorker(
        replace(site.settings, course=tmp_path / "course"),
        lambda one: choose_strongest_sandbox("process", None, one.packages),
        "one",
        1,
    )

    def list_extensions(store: Store) -> list[str]:
        rows = store.audit.load_audit_rows("", "toy")
        return [one.event.after for one in rows if one.event.changed_item == "extensions"]

    with worker.open_for_grading():
        assert site.in_store(list_extensions) == []
        grading.write_text(
            grading.read_text(encoding="utf-8").replace(
                DEADLINE, f"{DEADLINE}    extensions: {{ada: 2099-01-02 12:00}}\n"
            ),
            encoding="utf-8",
        )
        wait_until(lambda: bool(site.in_store(list_extensions)), "a row")
    assert site.in_store(list_extensions) == ["1 (1 added, 0 moved, 0 removed)"]


def test_a_student_reads_how_many_are_graded_before(site: Site) -> None:
    site.browser("bob").hand_in(RIGHT)
    site.browser("cy").hand_in(HALF)
    ada = site.browser("ada")
    receipt = ada.hand_in(RIGHT).headers["Location"]
    assert "Being graded, 2 before you." in ada.get(receipt).text


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("value.py", b"", "is empty"),
        ("value.exe", b"MZ", "hand in .py, .ipynb or .zip"),
        ("value.py.html", b"<script>", "hand in .py, .ipynb or .zip"),
        ("value", b"x", "hand in .py, .ipynb or .zip"),
        ("value.py", b"\x7fELF\0\0\0", "is not text"),
        ("value.zip", RIGHT.encode(), "zip"),
        ("value.ipynb", RIGHT.encode(), "otebook"),
        ("value.ipynb", b"[" * 100_000, "otebook"),
        ("value.zip", zipped(**{f"f{number}.py": "" for number in range(10_000)}), "members"),
        ("value.zip", zipped(**{"..__..__value.py": RIGHT}), "zip"),
        ("value.zip", zipped(**{"readme.txt": "hello"}), "no Python file"),
        ("value.py", b"#" * (2 * 2**20), "kB"),
    ],
)
def test_what_is_not_what_it_says_is_refused_and_not_kept(
    site: Site, name: str, content: bytes, sentence: str
) -> None:
    ada, before = site.browser("ada"), site.hand_ins()
    answer = ada.hand_in(content, name)
    assert answer.status_code == 422
    assert "Nothing was handed in." in answer.text
    assert sentence in answer.text
    assert site.hand_ins() == before


def test_nothing_at_all_is_refused_with_a_sentence(site: Site) -> None:
    assert "choose a file, or paste" in site.browser("ada").post("/assignments/toy").text


def test_a_body_beyond_the_limit_is_refused_with_a_sentence(site: Site) -> None:
    ada, before = site.browser("ada"), site.hand_ins()
    answer = ada.hand_in(b"#" * (21 * 2**20))
    assert (answer.status_code, "At most 20 MB" in answer.text) == (413, True)
    assert site.hand_ins() == before


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/cron.d/value.py",
        "..\\..\\value.py",
        "/etc/value.py",
        "a\0b.py",
        "<img src=x>.py",
        ".py",
        "\u202evalue.py",
    ],
)
def test_a_name_of_a_file_is_never_a_path_nor_markup(site: Site, name: str) -> None:
    ada = site.browser("ada")
    answer = ada.hand_in(RIGHT, name)
    if answer.status_code == 422:
        assert "hand in .py" in answer.text
        assert "<img" not in answer.text
        return
    kept = site.hand_ins()[-1]
    assert not {*kept.file_name} & {*"/\\<>\0\u202e"}
    assert "<img" not in ada.get(answer.headers["Location"]).text


def test_the_same_file_sent_twice_while_it_waits_is_one_attempt(site: Site) -> None:
    ada = site.browser("ada")
    first, second = ada.hand_in(RIGHT), ada.hand_in(RIGHT)
    assert first.headers["Location"] == second.headers["Location"]
    assert ada.hand_in(HALF).headers["Location"] != first.headers["Location"]
    assert [one.attempt for one in site.hand_ins() if one.owner == "ada"] == [1, 2, 3, 4]


def test_a_form_from_another_site_hands_in_nothing(site: Site) -> None:
    ada, before = site.browser("ada"), site.hand_ins()
    for token in ("", "x", site.browser("bob").token("/")):
        data = {"csrf_token": token, "code": RIGHT}
        assert ada.client.post("/assignments/toy", data=data).status_code == 400
    assert site.hand_ins() == before


def test_nobody_hands_in_more_often_than_somebody_who_works(site: Site) -> None:
    ada = site.browser("ada")
    codes = [ada.post("/assignments/toy", code=f"{RIGHT}# {number}\n").status_code for number in range(11)]
    assert codes == [303] * 10 + [429]
    assert site.browser("bob").post("/assignments/toy", code=RIGHT).status_code == 303


def test_a_pair_hands_in_together(site: Site) -> None:
    di = site.browser("di")
    assert "You hand in together: Di, Cy" in di.get("/assignments/toy").text.replace("Cy, Di", "Di, Cy")
    receipt = di.hand_in(HALF).headers["Location"]
    assert "cy+di-2" in site.browser("cy").get(receipt).text


def test_who_leaves_a_pair_does_not_see_what_it_hands_in_then(site: Site) -> None:
    di, old = site.browser("di"), f"/hand-ins/{site.key('cy+di-1')}"
    site.in_store(lambda store: store.accounts.upsert_enrolment("", "di", "student"))
    new = site.browser("cy").hand_in(HALF).headers["Location"]
    assert (di.get(old).status_code, di.get(new).status_code) == (200, 404)


def test_the_result_is_the_page_of_the_report_with_what_its_student_may_see(site: Site) -> None:
    ada = site.browser("ada")
    page = ada.get(f"/hand-ins/{site.key('ada-1')}")
    assert f'src="/hand-ins/{site.key("ada-1")}/report"' in page.text
    report = ada.get(f"/hand-ins/{site.key('ada-1')}/report")
    assert "double gave 6" in report.text
    assert report.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_hidden_tests_are_in_nothing_that_a_student_gets(root: Path) -> None:
    site = change_grading(root, "feedback: {hidden_tests: hidden, diagnosis: hidden}\n")
    regrade(site)
    for login, is_told in (("ada", False), ("tess", True)):
        browser = site.browser(login)
        for path in ("", "/report", "/report.json"):
            text = browser.get(f"/hand-ins/{site.key('ada-1')}{path}").text
            assert ("test-double" in text or "double(x) is x twice" in text) == (is_told and path != "")


def regrade(site: Site) -> None:
    def again(store: Store) -> None:
        for one in store.hand_ins.list_hand_ins("", "toy"):
            store.grading_queue.requeue_graded_or_failed(one)

    site.in_store(again)
    grade_all(site)


def test_what_comes_with_the_due_date_waits_for_the_last_extension(root: Path) -> None:
    config = root / "course" / "grading.yml"
    text = config.read_text(encoding="utf-8").replace("2099-01-01 12:00", "2025-01-01 12:00")
    config.write_text(text + "feedback: {hidden_tests: after_due_date}\n", encoding="utf-8")
    site = make_site(root)
    regrade(site)
    path = f"/hand-ins/{site.key('ada-1')}/report"
    assert "double(x) is x twice" in site.browser("ada").get(path).text
    ines, page = site.browser("ines"), "/class/toy/students/bob"
    assert ines.post(f"{page}/extend", page=page, until="2099-01-01 12:00", reason="ill").status_code == 303
    assert "double(x) is x twice" not in site.browser("ada").get(path).text


def test_a_students_own_deadline_is_shown(site: Site) -> None:
    ines, page = site.browser("ines"), "/class/toy/students/cy"
    ines.post(f"{page}/extend", page=page, until="2 days", reason="ill")
    for login, day in (("ada", "2099-01-01"), ("cy", "2099-01-03"), ("di", "2099-01-03")):
        for path in ("/", "/assignments/toy"):
            assert f"Due {day} 12:00" in site.browser(login).get(path).text


@pytest.mark.parametrize(
    ("login", "path"), [("ada", "/"), ("tess", "/class/toy"), ("tess", "/class/toy/students/ada")]
)
def test_a_name_is_text_wherever_it_is_shown(site: Site, login: str, path: str) -> None:
    text = site.browser(login).get(path).text
    assert "Ada &lt;b&gt;Okafor&lt;/b&gt;" in text
    assert "<b>Okafor" not in text


@pytest.mark.parametrize(
    "path",
    [
        "/assignments/toy/files/..%2f..%2fgrading.yml",
        "/assignments/toy/files/value.pyc",
        "/assignments/../grading.yml",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/assignments/toy%2f..%2fhidden",
    ],
)
def test_no_path_leads_out_of_what_students_get(site: Site, path: str) -> None:
    assert site.browser("ada").get(path).status_code == 404
