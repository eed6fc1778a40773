"""The worker that grades hand-ins holds up nobody, logs what it cannot do, and watches the deadlines."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from autograder.faults import CourseWarning
from autograder.sandbox import choose_strongest_sandbox
from autograder.web.grading_worker import CourseHandInWorker
from autograder.web.retention.erasure import erase_term_except_staff
from autograder.web.settings import CourseServerSettings
from autograder.web.store.server_store import ServerStore
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult
from tests.cli.commands import run, told
from tests.toy import HALF, RIGHT
from tests.web.conftest import DEADLINE, Site, wait_until


def make_worker(settings: CourseServerSettings) -> CourseHandInWorker:
    return CourseHandInWorker(settings, lambda one: choose_strongest_sandbox("process", None, one.packages), "one", 1)


def test_what_is_being_graded_keeps_nobody_from_handing_in(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite has one writer: a worker that kept a transaction open while it grades would hold up every receipt."""
    for login in ("ada", "bob"):
        site.browser(login).hand_in(f"{RIGHT}# {login}\n")
    free: list[str] = []

    def look(tasks: Iterator[GradingTask], *more: object) -> Iterator[None]:
        for task in tasks:
            with closing(
                sqlite3.connect(site.settings.location.output_folder / "results.sqlite", timeout=0)
            ) as other:
                other.execute("BEGIN IMMEDIATE")
                other.rollback()
            free.append(task.name)
        return iter(())

    monkeypatch.setattr("autograder.web.hand_in_grader.run_tasks", look)
    worker = make_worker(site.settings)
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

    monkeypatch.setattr("autograder.web.hand_in_grader.run_tasks", answer)
    worker = make_worker(site.settings)
    with worker.open_for_grading(), pytest.warns(CourseWarning, match="diagnosis"):
        worker.grade_next_hand_ins(lambda: False)
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told == ["toy: diagnosis.py:2: this\\nfile ends"]


@pytest.mark.thorough
def test_a_worker_that_runs_goes_on_after_the_term_was_erased(site: Site) -> None:
    def erase(store: ServerStore) -> None:
        erase_term_except_staff(store, site.settings.location, require_archived=lambda: None)

    worker = make_worker(site.settings)
    with worker.open_for_grading():
        assert site.browser("ada").hand_in(f"{RIGHT}# this term\n").status_code == 303
        worker.grade_next_hand_ins(lambda: False)
        worker.store.commit()
        site.in_store(erase)
        ada = site.browser("ada")
        assert ada.hand_in(f"{RIGHT}# the next term\n").status_code == 303
        worker.grade_next_hand_ins(lambda: False)
        worker.store.commit()
        assert "10 of 10" in ada.get(f"/hand-ins/{site.key('ada-1')}").text
        assert "one" in {known.name for known in site.in_store(lambda store: store.workers.list_workers(""))}


def test_an_extension_is_in_the_audit_log_while_nobody_hands_in(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.web.grading_worker.LEASE", timedelta(seconds=0.2))
    shutil.copytree(site.settings.course, tmp_path / "course")
    grading = tmp_path / "course" / "grading.yml"
    worker = make_worker(replace(site.settings, course=tmp_path / "course"))

    def list_extensions(store: ServerStore) -> list[str]:
        rows = store.audit.load_audit_rows("", "toy")
        return [one.event.after for one in rows if one.event.changed_item == "extensions"]

    with worker.open_for_grading():
        assert site.in_store(list_extensions) == []
        extended = f"{DEADLINE}    extensions: {{ada: 2099-01-02 12:00}}\n"
        grading.write_text(grading.read_text(encoding="utf-8").replace(DEADLINE, extended), encoding="utf-8")
        wait_until(lambda: bool(site.in_store(list_extensions)), "a row")
    assert site.in_store(list_extensions) == ["1 (1 added, 0 moved, 0 removed)"]


def test_a_batch_takes_no_result_from_a_student_who_handed_in_on_the_web(site: Site, tmp_path: Path) -> None:
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    (submissions / "zoe.py").write_text(RIGHT, encoding="utf-8")
    out = ("--out", str(site.settings.location.output_folder), "--allow-unsafe")
    message = told(run("batch", "toy", submissions, *out, cwd=site.settings.course))
    assert "holds what students handed in to toy on the web (name another folder with --out" in message
    assert "10 of 10" in site.browser("ada").get(f"/hand-ins/{site.key('ada-2')}").text
