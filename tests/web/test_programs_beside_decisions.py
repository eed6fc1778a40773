"""The staff reads a program beside its decisions, writes about its lines, and takes back what it wrote itself."""

from __future__ import annotations

import re

import pytest

from tests.toy import HALF, RIGHT
from tests.web.conftest import Site, grade_all
from tests.web.test_inquiries import ask

BOB = "/class/toy/students/bob"


def comment(site: Site, login: str, **fields: str) -> int:
    form = {"attempt": "bob-1", "text": "", "line": "", "used": "", **fields}
    return site.browser(login).post(f"{BOB}/comment", page=BOB, **form).status_code


def read_comments(site: Site, login: str = "bob") -> str:
    page = site.browser(login).get(f"/hand-ins/{site.key('bob-1')}").text
    quoted = re.findall(r"<blockquote.*?</blockquote>", page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", one) for one in quoted)


def test_the_program_stands_beside_the_decision_with_its_lines(site: Site) -> None:
    page = site.browser("tess").get(BOB).text
    shown = re.findall(r"<li[^>]*><code>(.*?)</code>", page)
    assert shown == HALF.splitlines()
    assert "of attempt 1" in page


def test_the_program_and_its_mark_stand_beside_the_question_for_the_staff_alone(site: Site) -> None:
    path = ask(site, site.browser("bob"), "bob-1")
    tess, bob = (site.browser(login).get(path).text for login in ("tess", "bob"))
    assert re.findall(r"<li[^>]*><code>(.*?)</code>", tess) == HALF.splitlines()
    assert "<strong>5 of 10 points</strong>" in tess
    assert tess.index("Why?") < tess.index("The program")
    assert "The program" not in bob


def test_a_program_is_text_on_the_page(site: Site) -> None:
    site.browser("bob").hand_in(f"{RIGHT}# <script>alert(1)</script> \x1b[31m\n")
    grade_all(site)
    page = site.browser("tess").get(BOB).text
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "\x1b" not in page


def test_a_comment_about_a_line_quotes_it_to_the_student(site: Site) -> None:
    assert comment(site, "tess", text="Why this number?", line="2") == 303
    assert "Line 2, `return 6`: Why this number?" in read_comments(site)


def test_a_comment_is_used_again_for_another_line(site: Site) -> None:
    comment(site, "tess", text="Why this number?", line="2")
    page = site.browser("tess").get(BOB).text
    assert '<option value="Why this number?"' in page
    assert comment(site, "tess", used="Why this number?", line="1") == 303
    assert "Line 1, `def double(x):`: Why this number?" in read_comments(site)


@pytest.mark.parametrize("line", ["0", "999", "-1", "two", "2.5", "²"])
def test_a_line_that_the_program_has_not_is_refused_and_the_text_stays(site: Site, line: str) -> None:
    tess = site.browser("tess")
    answer = tess.post(f"{BOB}/comment", page=BOB, attempt="bob-1", text="typed for long", line=line)
    assert answer.status_code == 422
    assert "has no line" in answer.text
    assert "typed for long" in answer.text
    assert read_comments(site) == ""


def test_an_empty_comment_is_refused(site: Site) -> None:
    assert comment(site, "tess") == 422
    assert read_comments(site) == ""


def undo(site: Site, login: str) -> int:
    browser = site.browser(login)
    found = re.search(r'name="decision" value="(\d+)"', site.browser("ines").get(BOB).text)
    assert found
    return browser.post(f"{BOB}/undo", page=BOB, decision=found[1], reason="a slip").status_code


def test_an_assistant_takes_back_what_she_wrote_herself_and_nothing_else(site: Site) -> None:
    comment(site, "ines", text="by the instructor")
    assert 'name="decision"' not in site.browser("tess").get(BOB).text
    assert undo(site, "tess") == 422
    assert "by the instructor" in read_comments(site)
    assert undo(site, "ines") == 303
    comment(site, "tess", text="by the assistant")
    assert undo(site, "tess") == 303
    assert read_comments(site) == ""
