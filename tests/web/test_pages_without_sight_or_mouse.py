"""Every page can be read without seeing it and used without a mouse; a refusal is told at once, and where it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.toy import HALF
from tests.web.conftest import Browser, Site
from tests.web.page_outline import PageOutline, list_outline_faults, outline

PAGES = {"": "/sign-in", "ada": "/", "ines": "/", "root": "/health"}
MOST = 60


def crawl(browser: Browser, start: str) -> Iterator[tuple[str, PageOutline]]:
    """Yield every page that links lead to, each once, and one that does not exist."""
    found, waiting = {start, "/nowhere"}, [start, "/nowhere"]
    while waiting and len(found) < MOST:
        path = waiting.pop(0)
        answer = browser.get(path)
        if answer.mimetype != "text/html":
            continue
        page = outline(answer.text)
        yield path, page
        for link in page.find("a"):
            there = link.attributes["href"].partition("?")[0].partition("#")[0]
            if there.startswith("/") and there not in found:
                found.add(there)
                waiting.append(there)


@pytest.fixture
def busy_site(site: Site) -> Site:
    """With an inquiry, decisions and a hand-in that waits."""
    ada, ines = site.browser("ada"), site.browser("ines")
    result = f"/hand-ins/{site.key('ada-1')}"
    assert ada.post(f"{result}/ask", text="Why?", test="").status_code == 303
    student = "/class/toy/students/ada"
    for points in ("1", "2"):
        fields = {"attempt": "ada-1", "points": points, "for": f"style {points}", "reason": "neat"}
        assert ines.post(f"{student}/points", page=student, **fields).status_code == 303
    assert ada.hand_in(HALF + "\n# again").status_code == 303
    return site


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("login", PAGES)
def test_every_page_has_an_order_and_names(busy_site: Site, login: str) -> None:
    pages = dict(crawl(busy_site.browser(login), PAGES[login]))
    assert {path: faults for path, page in pages.items() if (faults := list_outline_faults(page))} == {}
    titles = Counter(page.title for page in pages.values())
    assert [title for title, count in titles.items() if count > 1] == []


def test_the_outline_finds_faults() -> None:
    page = outline("<html><title></title><h2>x</h2><h4>y</h4><a href=a>go</a><a href=b>go</a><input><div class=wide>")
    assert len(list_outline_faults(page)) == 6


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(
    ("login", "path", "form", "fields"),
    [
        ("ada", "/assignments/toy", "/assignments/toy", {}),
        ("ada", "/hand-ins/{key}/ask", "/hand-ins/{key}/ask", {"text": " "}),
        ("ines", "/class/toy/import", "/class/toy/import", {"do": "preview", "platform": ""}),
        ("ines", "/class/toy/export", "/class/toy/export", {"do": "preview", "platform": "canvas"}),
        ("ines", "/class/toy/students/ada", "/class/toy/students/ada/points", {"points": "many", "for": "style"}),
        ("ines", "/class/toy/students/ada", "/class/toy/students/ada/extend", {"until": "soon", "reason": "ill"}),
        ("ines", "/class/toy", "/class/toy/exempt", {"test": "", "reason": ""}),
    ],
)
def test_a_refusal_has_the_focus_and_is_in_the_title(
    site: Site, login: str, path: str, form: str, fields: dict[str, str]
) -> None:
    key = site.key("ada-1")
    answer = site.browser(login).post(form.format(key=key), page=path.format(key=key), attempt="ada-1", **fields)
    assert answer.status_code == 422
    page = outline(answer.text)
    assert page.title.startswith("Error: ")
    (refusal,) = page.find(id="refused")
    assert {"autofocus", "tabindex"} <= set(refusal.attributes)
    assert len([one for one in page.elements if "autofocus" in one.attributes]) == 1
    if form != path:  # one of several forms
        assert [one.attributes["action"] for one in refusal.inside if one.tag == "form"] == [form]


def test_who_waits_looks_again_with_one_key_and_reads_the_state_in_the_title(site: Site) -> None:
    ada = site.browser("ada")
    page = outline(ada.get(ada.hand_in(f"{HALF}# again\n").headers["Location"]).text)
    assert page.title.endswith("waiting to be graded")
    assert [one.name for one in page.elements if "autofocus" in one.attributes] == ["Look again"]
    (state,) = page.find(id="state")
    assert state.name.startswith(("Next to be graded. ", "Waiting to be graded, 1 before you. "))
