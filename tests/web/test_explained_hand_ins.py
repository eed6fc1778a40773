"""On the web, marks come at once; what has to change in a program comes when somebody had time to look for it."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autograder.web.grading_worker import CourseHandInWorker
from autograder.workers.grading_tasks import GradingTask
from tests.browser import READERS, list_serious_violations
from tests.machine import PATIENCE
from tests.toy import HALF
from tests.web.conftest import Browser, Site, change_grading, command, make_site, wait_until
from tests.web.real_server import answers
from tests.web.test_hand_in_worker import make_worker

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

LOOKED_FOR = "is being looked for"
WAITS = 'id="waiting"'


def hang(task: GradingTask) -> None:
    time.sleep(600)


def hand_in_and_grade(site: Site, worker: CourseHandInWorker, login: str, source: str) -> Browser:
    """Hand in, and have that graded and nothing else."""
    browser = site.browser(login)
    assert browser.hand_in(source).status_code == 303
    worker.grade_next_hand_ins(lambda: False)
    worker.store.commit()
    return browser


def explain(worker: CourseHandInWorker, submission: Any) -> None:
    """Let a worker with nothing else to do go on until a page does not wait any more."""

    def is_done() -> bool:
        worker.grade_next_hand_ins(lambda: False)
        worker.store.commit()
        return LOOKED_FOR not in submission().text

    wait_until(is_done, "an explanation")


def test_a_student_sees_marks_at_once_and_what_has_to_change_when_it_is_found(site: Site) -> None:
    worker = make_worker(site.settings)
    with worker.open_for_grading():
        ada = hand_in_and_grade(site, worker, "ada", f"# a note\n{HALF}")
        page = f"/hand-ins/{site.key('ada-3')}"
        before = ada.get(page).text
        assert LOOKED_FOR in before
        assert WAITS in before
        assert "5 of 10" in ada.get(page).text
        explain(worker, lambda: ada.get(page))
        assert WAITS not in ada.get(page).text
        repair = ada.get(f"{page}/report.json").json["diagnosis"]["repair"]  # type: ignore[index]
        assert {(edit["line"], edit["after"], edit["kind"]) for edit in repair["edits"]} == {(3, "", "")}
        assert repair["shown_to"] == "line"
        staff = site.browser("tess").get(f"{page}/report.json").json["diagnosis"]["repair"]  # type: ignore[index]
        assert "return x + x" in staff["edits"][0]["after"]


@pytest.mark.thorough
def test_a_page_that_waits_shows_the_result_by_itself_and_offers_what_has_to_change_to_whoever_reads(
    browser: Chromium, root: Path, free_port: int
) -> None:
    site = make_site(root, port=free_port)
    worker, link = make_worker(site.settings), site.invite("ada")
    page = browser.new_context(base_url=site.settings.course_url, **READERS["phone"]).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    with worker.open_for_grading(), subprocess.Popen(command(site.settings, "--only", "pages")) as server:
        try:
            wait_until(lambda: answers(site), "the server answers", PATIENCE)
            page.goto(link)
            page.get_by_role("button", name="Sign in here").click()
            page.goto("/assignments/toy")
            page.get_by_text("Or paste your code").click()
            page.get_by_label("The whole file").fill(f"# a note\n{HALF}")
            page.get_by_role("button", name="Hand in").click()
            page.get_by_text("This goes on by itself.").wait_for()
            assert list_serious_violations(page) == []
            worker.grade_next_hand_ins(lambda: False)
            worker.store.commit()
            page.get_by_text(LOOKED_FOR).wait_for()
            page.get_by_text("This goes on by itself.").wait_for()
            assert "5 of 10" in page.inner_text("main")
            assert list_serious_violations(page) == []
            ada = site.browser("ada")
            explain(worker, lambda: ada.get(f"/hand-ins/{site.key('ada-3')}"))
            page.get_by_role("link", name="Show it").click()
            page.locator("#waiting").wait_for(state="detached")
            assert "5 of 10" in page.inner_text("main")
            assert said == []
        finally:
            server.terminate()
            server.wait(300)


def test_a_page_waits_for_nothing_that_its_reader_may_not_see(root: Path) -> None:
    site = change_grading(root, "    feedback: {repair: hidden}\n")
    worker = make_worker(site.settings)
    with worker.open_for_grading():
        ada = hand_in_and_grade(site, worker, "ada", f"# a note\n{HALF}")
        page = f"/hand-ins/{site.key('ada-3')}"
        assert LOOKED_FOR not in ada.get(page).text
        assert LOOKED_FOR in site.browser("tess").get(page).text


def test_a_course_may_want_none(root: Path) -> None:
    site = change_grading(root, "    feedback: {repair_candidates: 0}\n")
    worker = make_worker(site.settings)
    with worker.open_for_grading():
        ada = hand_in_and_grade(site, worker, "ada", f"# a note\n{HALF}")
        page = f"/hand-ins/{site.key('ada-3')}"
        assert LOOKED_FOR not in ada.get(page).text
        diagnosis = ada.get(f"{page}/report.json").json["diagnosis"]  # type: ignore[index]
        assert (diagnosis["repair"], diagnosis["repair_pending"]) == (None, False)


def test_who_hands_in_does_not_wait_for_what_is_explained_and_the_next_worker_takes_that_up(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = make_worker(site.settings)
    with monkeypatch.context() as patch, worker.open_for_grading():
        patch.setattr("autograder.web.hand_in_grader.grade_task", hang)
        ada = hand_in_and_grade(site, worker, "ada", f"# a note\n{HALF}")
        page = f"/hand-ins/{site.key('ada-3')}"
        assert worker.grade_next_hand_ins(lambda: False) is False  # it has begun, and hangs
        bob = hand_in_and_grade(site, worker, "bob", f"# another note\n{HALF}")
        assert "5 of 10" in bob.get(f"/hand-ins/{site.key('bob-2')}").text
        assert LOOKED_FOR in ada.get(page).text
    later = make_worker(site.settings)
    with later.open_for_grading():
        explain(later, lambda: ada.get(page))
        assert ada.get(f"{page}/report.json").json["diagnosis"]["repair"]["edits"]  # type: ignore[index]
