"""Graded anonymously: the staff finds no name anywhere, decides about pseudonyms, and may be shown names later."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course import load_course
from autograder.faults import CourseFault
from autograder.web.names import StudentDisplayNames, map_logins_to_pseudonyms
from tests.toy import write_toy
from tests.web.conftest import TOKEN, Browser, Site, make_site

NAMES = re.compile(r"(?<![a-z])(ada|bob|cy|di|okafor)(?![a-z])", re.IGNORECASE)
LINK = re.compile(r'(?:href|src)="(/[^"]*)"')
STUDENT = re.compile(r"/class/toy/students/([a-z0-9]+)")


def set_up(site: Site, more: str = "") -> Site:
    config = site.settings.course / "grading.yml"
    text = config.read_text(encoding="utf-8") + f"    anonymous_grading: true\n{more}"
    config.write_text(text, encoding="utf-8")
    return make_site(site.settings.course.parent)


@pytest.fixture
def hidden(site: Site) -> Site:
    """An assignment that An anonymously graded class cannot be exported, with a question, a decision and a trial."""
    site = set_up(site, "    feedback: {results: after_published}\n")
    ines = site.browser("ines")
    assert ines.post("/class/toy/publish", page="/class/toy").status_code == 303
    ada = site.browser("ada")
    assert ada.post(f"/hand-ins/{site.key('ada-1')}/ask", text="why?").status_code == 303
    assert ines.post("/class/toy/unpublish", page="/class/toy").status_code == 303
    assert ines.post("/class/toy/try-regrade", page="/class/toy", which="all").status_code == 303
    return site


def crawl(browser: Browser) -> Iterator[tuple[str, str]]:
    """Every page that links lead to, with its headers."""
    seen, waiting = {"/sign-out"}, ["/"]
    while waiting:
        path = waiting.pop()
        if path in seen or "/static/" in path:
            continue
        seen.add(path)
        answer = browser.get(path)
        assert answer.status_code in (200, 303), path
        text = answer.data.decode("utf-8", "replace")
        yield path, TOKEN.sub("", text) + str(answer.headers.get("Content-Disposition", ""))
        waiting += [link.replace("&amp;", "&").partition("#")[0] for link in LINK.findall(text)]


def pseudonyms(browser: Browser) -> list[str]:
    return [*dict.fromkeys(STUDENT.findall(browser.get("/class/toy").text))]


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("login", ["tess", "ines", "root"])
def test_no_page_that_the_staff_reaches_has_a_name_or_a_login(hidden: Site, login: str) -> None:
    made_up = [one.key for one in hidden.hand_ins()] + pseudonyms(hidden.browser(login))  # which may hold "cy"
    pages = dict(crawl(hidden.browser(login)))
    assert len(pages) > 15
    without_those = re.compile("|".join(map(re.escape, made_up)), re.IGNORECASE)
    for path, text in pages.items():
        if path.startswith(("/people", "/gradebook.csv")):
            continue  # who is in the course, and nothing of what was handed in here
        found = NAMES.search(without_those.sub("", text))
        assert found is None, f"{path}: {found}"


def test_the_same_pages_have_names_where_nothing_is_anonymous(site: Site) -> None:
    named = [path for path, text in crawl(site.browser("ines")) if NAMES.search(text)]
    assert {"/class/toy", "/class/toy/students/ada", f"/hand-ins/{site.key('ada-1')}"} <= {*named}


def test_students_see_their_own_names_as_ever(hidden: Site) -> None:
    assert "Ada" in hidden.browser("ada").get("/").text
    assert "Cy, Di" in hidden.browser("cy").get("/assignments/toy").text


def test_a_pseudonym_is_the_same_after_a_restart_and_another_in_another_assignment(hidden: Site) -> None:
    before = pseudonyms(hidden.browser("tess"))
    assert pseudonyms(make_site(hidden.settings.course.parent).browser("tess")) == before
    key = str(hidden.app.secret_key).encode()
    assert map_logins_to_pseudonyms(key, "\0other", ["ada"])["ada"] not in before
    assert map_logins_to_pseudonyms(key, "\0toy", ["ada"])["ada"] in before


def test_nobody_learns_a_pseudonym_by_trying_a_login_or_searching_a_name(hidden: Site) -> None:
    tess = hidden.browser("tess")
    assert tess.get("/class/toy/students/ada").status_code == 404
    assert STUDENT.findall(tess.get("/class/toy?words=ada").text) == []
    assert len(pseudonyms(tess)) == 3


def test_marks_are_decided_for_a_pseudonym(hidden: Site) -> None:
    tess = hidden.browser("tess")
    for shown in pseudonyms(tess):
        page = f"/class/toy/students/{shown}"
        attempts = re.findall(r'<option value="([a-z0-9+ ]+-1)"', tess.get(page).text)
        done = tess.post(f"{page}/override", page=page, attempt=attempts[0], points="3", reason="seen")
        assert done.headers["Location"] == f"{page}?saved=yes"
    events = hidden.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    assert {one.event.submission for one in events if one.event.changed_item == "override"} == {
        "ada-1",
        "bob-1",
        "cy + di-1",
    }


def test_names_are_shown_after_publication_by_an_instructor_with_a_row_in_the_audit_log(hidden: Site) -> None:
    ines, tess = hidden.browser("ines"), hidden.browser("tess")
    assert "Show the names" not in ines.get("/class/toy").text
    assert ines.post("/class/toy/show-names", page="/class/toy").status_code == 409
    assert ines.post("/class/toy/publish", page="/class/toy").status_code == 303
    assert "Show the names" in ines.get("/class/toy").text
    assert "Show the names" not in tess.get("/class/toy").text
    assert ines.post("/class/toy/show-names", page="/class/toy").status_code == 303
    assert "Bob" in tess.get("/class/toy").text
    assert tess.get("/class/toy/students/bob").status_code == 200
    events = hidden.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    assert [one.action.account for one in events if one.event.changed_item == "names"] == ["web:ines"]


def test_an_export_waits_until_names_are_shown(hidden: Site) -> None:
    refused = hidden.browser("ines").post("/class/toy/export", platform="junit", do="preview")
    assert refused.status_code == 422
    assert "An anonymously graded class cannot be exported" in refused.text


def test_a_text_loses_names_and_ids_and_nothing_that_looks_like_them() -> None:
    shown = StudentDisplayNames({"ada": "k7q", "ada-1": "w2e"}, {"Ada Okafor": "ada"})
    assert StudentDisplayNames({"ada": "z", "bob": "b"}).mask_text("see ada + bob-2.") == "see b + z-2."
    assert shown.mask_text("ada-2.py of Ada Okafor, web:ada; ada-1, ada-1-3, adam, Ada") == (
        "k7q-2.py of k7q, web:k7q; w2e, w2e-3, adam, Ada"
    )


@pytest.mark.thorough
def test_who_collides_gets_a_longer_pseudonym() -> None:
    made = map_logins_to_pseudonyms(b"key", "scope", [f"s{number}" for number in range(60_000)])
    assert len({*made.values()}) == 60_000
    assert {len(one) for one in made.values()} == {6, 12}


def test_an_assignment_goes_before_the_course_and_a_word_is_refused(tmp_path: Path) -> None:
    root = write_toy(tmp_path / "course", "    anonymous_grading: false\n")
    config = root / "grading.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(f"anonymous_grading: true\n{text}", encoding="utf-8")
    assert not load_course(root).assignments[0].anonymous_grading
    config.write_text(
        f"anonymous_grading: 'yes'\n{text.replace('    anonymous_grading: false', '')}", encoding="utf-8"
    )
    with pytest.raises(CourseFault, match="must be true or false"):
        load_course(root)
