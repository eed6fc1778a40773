"""A regrade is tried first: the staff reads which marks would change and why; nothing changes until it is done."""

from __future__ import annotations

import os
import re
import signal
import subprocess

import pytest

from autograder.faults import KitFault
from autograder.web.store.hand_ins import GradingQueue
from tests.web.conftest import Browser, Site, command, grade_all, wait_until

CLASS = "/class/toy"


def change_the_tests(site: Site) -> None:
    """Let the half that was right be wrong: who had 5 points gets 0."""
    hidden = site.settings.course / "assignments" / "toy" / "hidden" / "test_double.py"
    hidden.write_text(hidden.read_text(encoding="utf-8").replace("[3, 5]", "[4, 5]"), encoding="utf-8")


def try_regrade(site: Site, browser: Browser, **fields: str | list[str]) -> str:
    """Begin a trial on the page of the class, have a real worker try it, and return its address."""
    answer = browser.post(f"{CLASS}/try-regrade", page=CLASS, **fields)
    assert answer.status_code == 303, answer.text
    path = answer.headers["Location"]
    with subprocess.Popen(
        command(site.settings, "--only", "worker", "--workers", "1"), stdin=subprocess.PIPE
    ) as worker:
        try:
            wait_until(lambda: 'id="waiting"' not in browser.get(path).text, "everything tried")
        finally:
            os.kill(worker.pid, signal.SIGTERM)
            assert worker.wait(300) == 0
    return path


def words(browser: Browser, path: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", browser.get(path).text))


def marks(site: Site) -> list[str]:
    """The points that count in the table of the class."""
    rows = re.findall(r'students/\w+">.*?</tr>', site.browser("tess").get(CLASS).text, re.S)
    return [re.findall(r'"number">([\d.]+)<', row)[0] for row in rows]


@pytest.mark.thorough
def test_a_trial_says_which_marks_would_change_and_changes_none_until_it_is_carried_out(site: Site) -> None:
    change_the_tests(site)
    tess, before = site.browser("tess"), marks(site)
    path = try_regrade(site, tess, which="all")
    page = words(tess, path)
    assert "Marks that go down" in page
    for submission in ("ada-1", "bob-1"):
        assert f"{submission}: 5 -&gt; 0, doubling -5" in page
    assert "it is new" in page or "it changed" in page
    assert "2 marks stay as they are." in page
    assert marks(site) == before
    assert tess.post(f"{path}/carry-out", page=path).status_code == 303
    assert "Carried out" in words(tess, path)
    grade_all(site)
    assert sorted(marks(site)) == ["0", "10", "10"]
    log = words(site.browser("ines"), f"{CLASS}/log")
    assert log.count("Tess web:tess regrade mark") == 4


@pytest.mark.thorough
def test_some_are_tried_by_their_ticks(site: Site) -> None:
    change_the_tests(site)
    tess = site.browser("tess")
    page = words(tess, try_regrade(site, tess, which="chosen", chosen=["bob", "cy"]))
    assert "2 hand-ins." in page
    assert ("bob-1: 5" in page, "ada-1" in page) == (True, False)
    assert "1 mark stays as it is." in page


def test_one_is_tried_from_its_own_page(site: Site) -> None:
    tess, hand_in = site.browser("tess"), f"/hand-ins/{site.key('ada-1')}"
    answer = tess.post(f"{hand_in}/try-regrade", page=hand_in)
    assert "0 of 1 tried" in words(tess, answer.headers["Location"])


def test_who_carries_it_out_twice_has_it_graded_once(site: Site) -> None:
    tess = site.browser("tess")
    path = tess.post(f"{CLASS}/try-regrade", page=CLASS, which="all").headers["Location"]
    for _ in range(2):
        assert tess.post(f"{path}/carry-out", page=CLASS).headers["Location"] == path
    assert words(site.browser("ines"), f"{CLASS}/log").count("regrade mark") == 4


def test_a_regrade_that_cannot_be_queued_can_be_carried_out_later(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    tess = site.browser("tess")
    path = tess.post(f"{CLASS}/try-regrade", page=CLASS, which="all").headers["Location"]

    def fail(*_: object) -> None:
        raise KitFault("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(GradingQueue, "requeue_ended", fail)
        assert tess.post(f"{path}/carry-out", page=CLASS).status_code == 503
    assert "Carried out" not in words(tess, path)
    assert "regrade mark" not in words(site.browser("ines"), f"{CLASS}/log")
    assert tess.post(f"{path}/carry-out", page=CLASS).status_code == 303
    assert words(site.browser("ines"), f"{CLASS}/log").count("regrade mark") == 4


@pytest.mark.thorough
def test_a_trial_of_an_assignment_that_changed_since_says_so(site: Site) -> None:
    tess = site.browser("tess")
    path = try_regrade(site, tess, which="chosen", chosen="bob")
    change_the_tests(site)
    again = Site(site.settings)  # the course is read anew
    assert "The assignment was changed since this was tried" in words(again.browser("tess"), path)


@pytest.mark.thorough
def test_a_suite_that_cannot_be_used_is_told_to_who_tries(site: Site) -> None:
    hidden = site.settings.course / "assignments" / "toy" / "hidden" / "test_double.py"
    hidden.write_text("def (:\n", encoding="utf-8")
    tess = site.browser("tess")
    page = words(tess, try_regrade(site, tess, which="all"))
    assert "Not tried, because the grader failed" in page
    assert "test_double.py" in page
    assert "bob-1: " in page
    assert "cy + di-1: " in page


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("fields", [{"which": "chosen"}, {"which": "chosen", "chosen": "zoe"}, {}])
def test_nothing_chosen_is_refused_with_a_sentence(site: Site, fields: dict[str, str]) -> None:
    answer = site.browser("tess").post(f"{CLASS}/try-regrade", page=CLASS, **fields)
    assert (answer.status_code, "choose students with a result" in answer.text) == (422, True)
