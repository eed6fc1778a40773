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


ADA = "/class/toy/students/ada"


def test_the_attempt_that_is_shown_is_chosen_and_the_forms_are_about_it(site: Site) -> None:
    tess = site.browser("tess")
    for path, number, source in (
        (ADA, 2, RIGHT),
        (f"{ADA}?attempt=ada-1", 1, HALF),
        (f"{ADA}?attempt=bob-1", 2, RIGHT),
    ):
        page = tess.get(path).text
        assert re.findall(r"<li[^>]*><code>(.*?)</code>", page) == source.splitlines()
        assert f'<h2 id="result">The result <small>of attempt {number}</small>' in page
        assert page.count(f'<option value="ada-{number}" selected>') == 4
    assert f'{ADA}?attempt=ada-1#attempt"' in tess.get(ADA).text


def test_the_result_stands_beside_the_program_as_on_its_own_page(site: Site) -> None:
    tess = site.browser("tess")
    own = re.findall(r'<div class="result">.*?<footer>', tess.get(f"/hand-ins/{site.key('bob-1')}").text, re.DOTALL)
    page = tess.get(BOB).text
    assert own
    assert own[0] in page
    assert "double(x) is x twice" in own[0]
    assert "/result.css" in page


def edit_path(site: Site, login: str, page: str = BOB) -> str:
    """Where a person edits the only decision; empty if they may not."""
    found = re.search(rf'href="({page}\?edit=\d+)#edited"', site.browser(login).get(page).text)
    return found[1] if found else ""


def send_edited(site: Site, login: str, kind: str, **fields: str) -> int:
    """Open the form of the only decision, change some fields, and send it."""
    browser, path = site.browser(login), edit_path(site, "ines")
    form = browser.get(path).text.partition('id="edited"')[2].partition("</form>")[0]
    names = {*re.findall(r' name="(\w+)"', form)} - {"csrf_token"}
    filled = dict(re.findall(r'<input (?:type="hidden" )?name="(\w+)" value="([^"]*)"', form))
    filled |= dict(re.findall(r'<select name="(\w+)">(?:(?!</select>).)*?value="([^"]*)" selected', form, re.DOTALL))
    filled |= dict(re.findall(r'<textarea name="(\w+)"[^>]*>([^<]*)<', form))
    sent = {name: filled.get(name, "") for name in names} | fields
    return browser.post(f"{BOB}/{kind}", page=path, **sent).status_code


def test_a_decision_is_edited_in_its_form_and_the_log_says_so(site: Site) -> None:
    form = {"attempt": "bob-1", "concept": "", "points": "7", "reason": "appeal"}
    assert site.browser("tess").post(f"{BOB}/override", page=BOB, **form).status_code == 303
    page = site.browser("tess").get(edit_path(site, "tess")).text
    assert 'name="points" value="7"' in page
    assert 'name="reason" value="appeal"' in page
    assert send_edited(site, "tess", "override", points="8") == 303
    page = site.browser("tess").get(BOB).text
    assert "Bob (bob), attempt 1: score 8" in page
    assert "score 7" not in page
    log = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", site.browser("ines").get("/class/toy/log").text))
    assert re.search(r"undo override .* 7 .*edited: decision 2 is in its place", log)
    assert re.search(r"decide override .* 7 8 ", log)


def test_a_comment_about_a_line_is_edited_with_its_line_and_replaced(site: Site) -> None:
    comment(site, "tess", text="Why thsi number?", line="2")
    assert send_edited(site, "tess", "comment", text="Why this number?") == 303
    assert read_comments(site).count("number?") == 1
    assert "Line 2, `return 6`: Why this number?" in read_comments(site)


def test_nobody_edits_what_another_assistant_decided_nor_what_was_undone(site: Site) -> None:
    comment(site, "ines", text="by the instructor")
    path = edit_path(site, "ines")
    number = path.rpartition("=")[2]
    assert edit_path(site, "tess") == ""
    assert 'id="edited"' not in site.browser("tess").get(path).text
    assert comment(site, "tess", text="by another", replaces=number) == 422
    assert comment(site, "ines", text="", replaces=number) == 422
    assert "by the instructor" in read_comments(site)
    undo(site, "ines")
    assert comment(site, "ines", text="too late", replaces=number) == 422
    assert read_comments(site) == ""


def test_editing_another_attempt_that_was_given_keeps_what_was_handed_in_since(site: Site) -> None:
    ines = site.browser("ines")
    assert ines.post(f"{BOB}/reopen", page=BOB, until="", reason="was il").status_code == 303
    assert site.browser("bob").hand_in(f"{HALF}# again\n").status_code == 303
    grade_all(site)
    assert send_edited(site, "ines", "reopen", reason="was ill") == 303
    page = ines.get(BOB).text
    assert "attempt reopened, &#34;was ill&#34;" in page
    assert "Attempt 2 counts: it was handed in after the staff gave another attempt" in page
