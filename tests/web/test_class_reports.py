"""The staff sees how a class did, who has which mistake, and who handed in nearly the same."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.web import class_reports, programs
from autograder.web.uploads import ReadingStopped
from tests.toy import SYNTAX
from tests.web.conftest import Site, grade_all, wait_until
from tests.web.test_staff_pages import order

LONG = """\
def double(number):
    total = 0
    for step in range(2):
        part = number
        if step == 0 and part != part:
            part = 0
        total = total + part
    history = [total, number, total - number]
    while len(history) > 1:
        last = history.pop()
        history[0] = history[0] + last - last
    checked = {"total": total, "number": number}
    for name in sorted(checked):
        if checked[name] is None:
            return None
    result = history[0] if history else total
    return result
"""


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page))


def test_the_overview_says_how_the_class_did_and_links_to_the_attempts(site: Site) -> None:
    tess = site.browser("tess")
    page = tess.get("/class/toy/overview").text
    said = text_of(page)
    assert "submissions 4 3 count" in said
    assert "mean 8.33 of 10" in said
    shown = {"ada-1": "Ada &lt;b&gt;Okafor&lt;/b&gt; (ada), attempt 1", "bob-1": "Bob (bob), attempt 1"}
    for submission, name in shown.items():  # a mistake without a name
        assert f'<a href="/hand-ins/{site.key(submission)}"><bdi>{name}</bdi></a>' in page
    assert "autograder batch" not in page
    assert str(site.settings.location.output_folder) not in page


def test_the_overview_lists_what_could_not_be_graded(site: Site) -> None:
    assert site.browser("bob").hand_in(SYNTAX).status_code == 303
    grade_all(site)
    said = text_of(site.browser("tess").get("/class/toy/overview").text)
    assert re.search(r"Could not be graded .*1 Bob \(bob\), attempt 2", said)


def test_before_anything_was_handed_in_the_overview_says_so(site: Site) -> None:
    config = site.settings.course / "grading.yml"
    text = config.read_text(encoding="utf-8")
    (site.settings.course / "assignments" / "other").symlink_to(site.settings.course / "assignments" / "toy")
    (site.settings.course / "solutions" / "other").symlink_to(site.settings.course / "solutions" / "toy")
    more = "  other:\n    defines: [double]\n    concepts: {doubling: 10}\n"
    config.write_text(f"{text}{more}", encoding="utf-8")
    fresh = Site(site.settings)
    tess = fresh.browser("tess")
    assert "Nothing was handed in yet" in tess.get("/class/other/overview").text
    assert "0 programs were compared" in tess.get("/class/other/similar").text


def test_similar_programs_are_found_side_by_side_and_again_when_more_is_handed_in(site: Site) -> None:
    tess = site.browser("tess")
    assert "The same letter for letter" in tess.get("/class/toy/similar").text
    site.browser("bob").hand_in(LONG)
    site.browser("cy").hand_in(LONG.replace("history", "seen") + "# <b>mine</b>\n")
    page = tess.get("/class/toy/similar").text
    said = text_of(page)
    assert re.search(
        r"but for names, comments and layout .*2 Bob \(bob\), attempt 2 , Cy \+ Di \(cy \+ di\), attempt 2", said
    )
    for submission, name in {"bob-2": "Bob (bob), attempt 2", "cy + di-2": "Cy + Di (cy + di), attempt 2"}.items():
        assert f'<a href="/hand-ins/{site.key(submission)}"><bdi>{name}</bdi></a>' in page
    site.browser("ada").hand_in(LONG.replace("if checked[name] is None", "if not checked") + "\n\nother = [1]\n")
    page = tess.get("/class/toy/similar").text
    assert re.search(r"Nearly the same .*\(ada\), attempt 3", text_of(page))
    assert '<li class="same"' in page
    assert "talk to both students" in text_of(page)


def test_a_page_does_not_wait_for_a_long_comparison_and_loads_itself_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_reports, "WAIT_SECONDS", 0.0)
    tess = site.browser("tess")
    with class_reports._comparing:  # another class is compared
        waiting = tess.get("/class/toy/similar")
        assert "programs are being compared" in waiting.text
        assert waiting.headers["Refresh"] == "2"
        site.browser("bob").hand_in(LONG)
        assert "programs are being compared" in tess.get("/class/toy/similar").text
        assert [one.name for one in threading.enumerate()].count("comparison") == 1  # no other waits for its turn
    wait_until(lambda: "The same letter for letter" in tess.get("/class/toy/similar").text, "the comparison")


def test_a_comparison_that_fails_is_tried_again(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no more processes")

    tess = site.browser("tess")
    with monkeypatch.context() as patch:
        patch.setattr(class_reports, "read_apart", fail)
        assert tess.get("/class/toy/similar").status_code == 500
    assert "The same letter for letter" in tess.get("/class/toy/similar").text


def test_a_program_that_stops_its_reader_hides_no_other(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(
        read_all: Callable[..., list[str | None]], paths: list[Path], assignment: Assignment
    ) -> list[str | None]:
        if any(b"stops" in path.read_bytes() for path in paths):
            raise ReadingStopped("exit code -24")
        return read_all(paths, assignment)

    site.browser("ada").hand_in("# stops")
    monkeypatch.setattr(programs, "read_apart", read)
    said = text_of(site.browser("tess").get("/class/toy/similar").text)
    assert "2 programs were compared" in said
    assert re.search(r"Could not be read: Ada [^:]*\(ada\), attempt 3", said)


def test_two_attempts_of_one_student_are_no_finding(site: Site) -> None:
    for more in ("", "# again\n"):
        site.browser("ada").hand_in(LONG + more)
    assert "ada" not in text_of(site.browser("tess").get("/class/toy/similar").text).partition("Not compared")[0]


@pytest.mark.parametrize("page", ["overview", "similar"])
def test_these_pages_run_no_script_and_have_no_style_of_their_own(site: Site, page: str) -> None:
    answer = site.browser("tess").get(f"/class/toy/{page}")
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self';")
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=", answer.text)
    assert 'href="/class-reports.css"' in answer.text


def test_who_could_not_be_graded_comes_first_in_the_table(site: Site) -> None:
    site.browser("cy").hand_in(SYNTAX)
    grade_all(site)
    tess = site.browser("tess")
    assert order(tess.get("/class/toy").text)[0] == "cy"
    assert order(tess.get("/class/toy?sort=name").text)[0] == "ada"
    assert order(tess.get("/class/toy?shown=look").text) == ["cy"]
