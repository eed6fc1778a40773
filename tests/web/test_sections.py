"""Sections are a filter of every page about a class, and what an assistant sees."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import Browser, Site
from tests.web.test_anonymous_grading import set_up
from tests.web.test_class_reports import LONG, text_of
from tests.web.test_people_of_a_course import apply_roster, send_roster

QUERIES = {
    "": {"ada", "bob", "cy", "di"},
    "?section=Monday": {"ada"},
    "?section=Tuesday": {"cy", "di"},
    "?section=x": set(),
}


@pytest.fixture
def sections(site: Site) -> Site:
    """Ada is in Monday's section, the pair in Tuesday's, Bob in none; Tess looks after Monday's."""
    ines = site.browser("ines")
    roster = 'login,section,role\nada,Monday,\ncy,Tuesday,\ndi,Tuesday,\nbob,,\ntess,"Monday,Friday",ta\n'
    assert "Saved" in apply_roster(ines, send_roster(ines, roster)).text
    return site


def test_an_assistant_with_sections_sees_only_their_students(sections: Site) -> None:
    for login in ("ada", "bob"):
        path = f"/hand-ins/{sections.key(f'{login}-1')}/ask"
        assert sections.browser(login).post(path, text=f"why, {login}?").status_code == 303
    inquiries = {
        login: re.findall(r"/inquiries/[\w-]+", sections.browser(login).get("/inquiries").text)[0]
        for login in ("ada", "bob")
    }
    tess = sections.browser("tess")
    page = tess.get("/class/toy").text
    assert {*re.findall(r"/class/toy/students/(\w+)", page)} == {"ada"}
    assert "all of your sections, 1" in page
    for login, status in (("ada", 200), ("bob", 404), ("cy", 404)):
        assert tess.get(f"/class/toy/students/{login}").status_code == status
    for submission, status in (("ada-1", 200), ("bob-1", 404), ("cy + di-1", 404)):
        for part in ("", "/report.json", "/file"):
            assert tess.get(f"/hand-ins/{sections.key(submission)}{part}").status_code == status
        path = f"/hand-ins/{sections.key(submission)}/regrade"
        assert tess.post(path, page="/").status_code == (303 if status == 200 else 404)
    listed = tess.get("/inquiries").text
    assert (inquiries["ada"] in listed, inquiries["bob"] in listed) == (True, False)
    assert '<strong class="count">1<' in listed
    assert [tess.get(inquiries[login]).status_code for login in ("ada", "bob")] == [200, 404]


def test_the_overview_and_similar_programs_of_an_assistant_are_about_their_students_alone(sections: Site) -> None:
    for login in ("ada", "bob"):
        assert sections.browser(login).hand_in(f"{LONG}# of {login}\n").status_code == 303
    ines, tess = sections.browser("ines"), sections.browser("tess")
    pages = [
        tess.get(f"/class/toy/{page}{query}").text
        for page in ("overview", "similar")
        for query in ("", "?section=Tuesday")
    ]
    assert "1 program was compared" in pages[2]
    assert not any(re.search(r"\bbob\b|Bob|\bcy\b|\bdi\b", page) for page in pages)
    assert ["(ada), attempt 1" in page for page in pages] == [True, False, False, False]
    similar = [ines.get(f"/class/toy/similar{query}").text for query in ("", "?section=Monday", "?section=Tuesday")]
    assert ["(ada), attempt 3 , Bob (bob), attempt" in text_of(page) for page in similar] == [True, True, False]


@pytest.fixture
def decided(sections: Site) -> Browser:
    """Ada, Bob and the pair got more time."""
    ines, page = sections.browser("ines"), "/class/toy/extensions"
    for login in ("ada", "bob", "cy", "di"):
        answer = ines.post(page, students=login, until="2099-02-01T12:00", until_typed="", reason="ill")
        assert answer.status_code == 303
    assert (
        ines.post(page, students="everybody", until="2099-01-15T12:00", until_typed="", reason="power").status_code
        == 303
    )
    return ines


@pytest.mark.parametrize("page", ["overview", "extensions", "log", "gradebook.csv", "../../gradebook.csv"])
def test_pages_about_a_class_show_one_section(decided: Browser, page: str) -> None:
    path = f"/class/toy/{page}".replace("/class/toy/../..", "")
    logins = {query: {*re.findall(r"\b(ada|bob|cy|di)\b", decided.get(f"{path}{query}").text)} for query in QUERIES}
    assert logins == QUERIES
    assert {*re.findall(r'<option value="(\w+)"', decided.get(path).text)} == (
        set() if "csv" in page else {"Monday", "Tuesday"}
    )


def test_what_concerns_everybody_is_in_the_list_of_each_section(decided: Browser) -> None:
    for page in ("extensions", "log"):
        assert "every" in decided.get(f"/class/toy/{page}?section=Monday").text.partition("<tbody>")[2]


def test_questions_are_those_of_a_section_and_so_is_the_next_one(sections: Site) -> None:
    for login in ("ada", "bob", "cy"):
        path = f"/hand-ins/{sections.key({'cy': 'cy + di'}.get(login, login) + '-1')}/ask"
        assert sections.browser(login).post(path, text=f"why, {login}?").status_code == 303
    ines = sections.browser("ines")
    listed = ines.get("/inquiries?section=Tuesday").text
    (link,) = re.findall(r'href="(/inquiries/[^"]+)"', listed)
    assert "Next open" not in ines.get(link).text
    assert "Next open" in ines.get(link.partition("?")[0]).text
    seen = re.search(r'name="seen" value="(\d+)"', ines.get(link).text)
    assert seen
    answer = ines.post(link.replace("?", "/answer?"), page=link, text="Because.", seen=seen[1])
    assert answer.headers["Location"].endswith("?section=Tuesday")
    assert "Section" not in sections.browser("ada").get("/inquiries").text


def test_a_section_does_not_say_who_asks_under_a_pseudonym(sections: Site) -> None:
    assert sections.browser("ada").post(f"/hand-ins/{sections.key('ada-1')}/ask", text="why?").status_code == 303
    ines = set_up(sections).browser("ines")
    assert "/inquiries/" in ines.get("/inquiries").text
    assert "/inquiries/" not in ines.get("/inquiries?section=Monday").text.partition("<main")[2]
    for page in ("overview", "similar", "extensions", "log"):
        shown, everybody = (ines.get(f"/class/toy/{page}{query}").text for query in ("?section=Monday", ""))
        assert text_of(shown) == text_of(everybody)


def test_a_trial_of_others_students_is_not_for_an_assistant_with_sections(sections: Site) -> None:
    ines, tess = sections.browser("ines"), sections.browser("tess")
    theirs = ines.post("/class/toy/try-regrade", page="/class/toy", which="all").headers["Location"]
    assert tess.get(theirs).status_code == 404
    assert tess.post(f"{theirs}/carry-out", page="/").status_code == 404
    own = tess.post("/class/toy/try-regrade", page="/class/toy", which="all").headers["Location"]
    assert "2 hand-ins" in tess.get(own).text or tess.get(own).status_code == 200
    assert tess.post("/class/toy/try-regrade", page="/class/toy", which="chosen", chosen="bob").status_code == 422


def test_instructors_and_assistants_without_sections_see_all_and_filter(sections: Site) -> None:
    roster = "login,section\ntess,\n"
    ines = sections.browser("ines")
    assert "Saved" in apply_roster(ines, send_roster(ines, roster)).text
    for login in ("ines", "tess"):
        browser = sections.browser(login)
        assert {*re.findall(r"/class/toy/students/(\w+)", browser.get("/class/toy").text)} == {"ada", "bob", "cy"}
        page = browser.get("/class/toy?section=Tuesday").text
        assert {*re.findall(r"/class/toy/students/(\w+)", page)} == {"cy"}
