"""The course of a demo: an invented term, the same each time, whose results are there at once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from autograder.course import load_course
from autograder.sandbox import choose_strongest_sandbox
from autograder.web.demo_term import ensure_demo_term, use_demo_course
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.server_store import ServerStore
from tests.toy import write_toy
from tests.web.conftest import Site, make_site

SEVERAL = """\
  {name}:
    defines: [double]
    concepts: {{doubling: 10}}
"""


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A demo of three toys."""
    root = tmp_path_factory.mktemp("demo")
    course = write_toy(root / "course")
    with (course / "grading.yml").open("a", encoding="utf-8") as settings:
        for name in ("second", "third"):
            settings.write(SEVERAL.format(name=name))
            for folder in ("assignments", "solutions"):
                (course / folder / name).symlink_to(course / folder / "toy")
    site = make_site(root, demo=True)
    ensure(site)
    return Site(use_demo_course(site.settings))


def ensure(site: Site) -> list[str]:
    said: list[str] = []
    ensure_demo_term(site.settings, lambda assignment: choose_strongest_sandbox("process"), said.append)
    return said


def list_hand_ins(site: Site, assignment: str) -> list[HandIn]:
    found: list[HandIn] = site.in_store(lambda store: store.hand_ins.list_hand_ins("", assignment))
    return found


def test_300_students_of_six_sections_have_results_by_one_deadline_that_runs_and_others_that_are_past(
    term: Site,
) -> None:
    def read(store: ServerStore) -> tuple[Counter[str], Counter[str], int]:
        people = store.roll.list_members("")
        sections = Counter(one.section for one in people if one.role == "student")
        return Counter(one.role for one in people), sections, store.inquiries.count_open_inquiries("")

    roles, sections, open_inquiries = term.in_store(read)
    assert roles["student"] == 300
    assert {*sections.values()} == {50}
    assert open_inquiries == 100
    assert {one.state for name in ("toy", "second", "third") for one in list_hand_ins(term, name)} == {"graded"}
    late = [
        one
        for assignment in load_course(term.settings.course).assignments[1:]
        for one in list_hand_ins(term, assignment.name)
        if assignment.deadline_rules.deadline and one.handed_in > assignment.deadline_rules.deadline
    ]
    assert 20 < len(late) < 150


def test_a_term_that_is_there_is_not_made_again(term: Site) -> None:
    assert ensure(term) == []
    assert len({*list_hand_ins(term, "toy")}) == len(list_hand_ins(term, "toy"))


def test_a_course_with_people_is_no_invented_term(tmp_path: Path) -> None:
    write_toy(tmp_path / "course")
    site = make_site(tmp_path, demo=True)
    site.invite("ada")
    assert ensure(site) == []
    assert use_demo_course(site.settings) == site.settings


def test_the_page_to_sign_in_offers_the_staff_and_some_students_and_takes_the_login_of_any_other(term: Site) -> None:
    browser = term.browser()
    page = browser.get("/sign-in").text
    assert page.index("Tess Adler") < page.index("Ada Okafor")
    assert page.count('name="login" value=') == 12
    other = term.in_store(lambda store: store.roll.list_members(""))[-1].login
    assert browser.post("/demo", page="/sign-in", login=other).status_code == 303


@pytest.mark.parametrize("words", ["yilmaz", "o'brien", "李"])
def test_names_of_many_kinds_are_found(term: Site, words: str) -> None:
    browser = term.browser()
    browser.post("/demo", page="/sign-in", login="tess")
    assert "/class/toy/students/" in browser.get(f"/class/toy?words={words}").text
