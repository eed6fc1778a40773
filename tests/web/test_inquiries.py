"""Students ask about their results; the staff answers; each side is told on its pages, and every word is text."""

from __future__ import annotations

import re

import pytest

from autograder.web import listing
from tests.web.conftest import Browser, Site, change_grading, regrade


def ask(site: Site, browser: Browser, submission: str = "ada-1", text: str = "Why?", test: str = "") -> str:
    """Ask, and return the address of the inquiry."""
    path = f"/hand-ins/{site.key(submission)}/ask"
    answer = browser.post(path, text=text, test=test)
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def send(browser: Browser, path: str, how: str, text: str = "") -> int:
    """Write to an inquiry as its page does."""
    seen = re.search(r'name="seen" value="(\d+)"', browser.get(path).text)
    assert seen
    return browser.post(f"{path}/{how}", page=path, text=text, seen=seen[1]).status_code


def count(browser: Browser) -> str:
    """The number beside the link in the navigation; empty if there is none."""
    found = re.search(r'class="count">(\d+)<', browser.get("/").text)
    return found[1] if found else ""


def state(browser: Browser, path: str) -> str:
    found = re.search(r"<h1>.*<small>(\w+)</small></h1>", browser.get(path).text)
    assert found
    return found[1]


def known_test(site: Site) -> str:
    """The id of a test of the toy course."""
    found = re.search(r'<option value="(doubling[^"]+)"', site.browser("ada").get(asking(site)).text)
    assert found
    return found[1]


def asking(site: Site, submission: str = "ada-1") -> str:
    return f"/hand-ins/{site.key(submission)}/ask"


def test_a_question_waits_for_the_staff_and_its_answer_for_the_student(site: Site) -> None:
    ada, tess = site.browser("ada"), site.browser("tess")
    assert (count(ada), count(tess)) == ("", "")
    path = ask(site, ada, text="Is 6 not right?", test=known_test(site))
    assert (count(ada), count(tess), state(tess, path)) == ("", "1", "open")
    assert "Is 6 not right?" in tess.get(path).text
    assert send(tess, path, "answer", "Not for 5.") == 303
    assert (count(ada), count(tess)) == ("1", "")
    assert "Not for 5." in ada.get(path).text
    assert (count(ada), state(ada, path)) == ("", "answered")


def test_beside_each_test_is_a_link_that_asks_about_it_with_its_sentence(site: Site) -> None:
    ada, result = site.browser("ada"), f"/hand-ins/{site.key('ada-1')}"
    links = re.findall(r'<a class="ask" href="([^"]+)">Ask about this<', ada.get(result).text)
    assert links
    assert len({*links}) == len(links)
    for attempt, sign in (("ada-1", "✗"), ("ada-2", "✓")):  # all of the second one passed
        page = ada.get(f"/hand-ins/{site.key(attempt)}").text
        assert re.search(rf'<p class="test[^"]*"><span[^>]*>{sign}</span>[^\n]*class="ask"', page)
    form = ada.get(links[0]).text
    assert "<p>double(x) is x twice" in form
    test = re.findall(r'<option value="(\S+)" selected>double\(x\) is x twice', form)[0]
    path = ask(site, ada, test=test)
    assert f'<a class="ask" href="{path}">Inquiry: open<' in ada.get(result).text
    assert f'<a class="ask" href="{path}">Inquiry: open<' in site.browser("tess").get(result).text
    assert "Ask about this" not in site.browser("tess").get(result).text


def test_a_further_question_opens_it_again_and_the_history_has_all_of_it(site: Site) -> None:
    ada, tess = site.browser("ada"), site.browser("tess")
    path = ask(site, ada, text="first")
    for who, how, text in ((tess, "answer", "second"), (ada, "ask", "third"), (tess, "close", "fourth")):
        assert send(who, path, how, text) == 303
    assert (state(ada, path), count(ada)) == ("closed", "")
    assert send(ada, path, "ask", "fifth") == 303
    assert (state(ada, path), count(tess)) == ("open", "1")
    words = re.findall(r'class="prose">(\w+)<', tess.get(path).text)
    assert words == ["first", "second", "third", "fourth", "fifth"]


def test_a_student_closes_an_inquiry_without_a_word(site: Site) -> None:
    ada = site.browser("ada")
    path = ask(site, ada)
    assert send(ada, path, "close") == 303
    assert state(ada, path) == "closed"
    assert count(site.browser("tess")) == ""


def test_open_inquiries_come_first_and_the_oldest_of_them_on_top(site: Site) -> None:
    ada, bob, cy, tess = (site.browser(login) for login in ("ada", "bob", "cy", "tess"))
    answered, first, second = ask(site, ada), ask(site, bob, "bob-1"), ask(site, cy, "cy + di-1")
    send(tess, answered, "answer", "so")
    listed = re.findall(r'href="(/inquiries/[^"]+)"', tess.get("/inquiries").text)
    assert listed == [first, second, answered]


def test_a_long_list_comes_in_pages(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE_ROWS", 2)
    paths = [ask(site, site.browser(login), f"{owner}-1") for login, owner in (("ada", "ada"), ("bob", "bob"))]
    last, tess = ask(site, site.browser("cy"), "cy + di-1"), site.browser("tess")
    assert last not in tess.get("/inquiries").text
    assert [path in tess.get("/inquiries?page=2").text for path in (*paths, last)] == [False, False, True]


def test_the_next_open_inquiry_is_a_link_away_for_the_staff_alone(site: Site) -> None:
    ada, bob, tess = site.browser("ada"), site.browser("bob"), site.browser("tess")
    first, second = ask(site, ada), ask(site, bob, "bob-1")
    send(tess, first, "answer", "So it is.")
    assert f'rel="next" href="{second}"' in tess.get(first).text
    assert 'rel="next"' not in tess.get(second).text
    assert 'rel="next"' not in ada.get(first).text


def test_a_second_question_about_the_same_joins_the_first(site: Site) -> None:
    ada, test = site.browser("ada"), known_test(site)
    whole = ask(site, ada, text="one")
    assert ask(site, ada, text="two") == whole
    assert ask(site, ada, text="two") == whole
    assert ada.get(whole).text.count('class="prose">two<') == 1  # clicked twice
    assert ask(site, ada, test=test) != whole
    assert ask(site, ada, "ada-2") != whole


def test_a_team_shares_its_inquiries_and_each_member_is_told(site: Site) -> None:
    cy, di, tess = site.browser("cy"), site.browser("di"), site.browser("tess")
    path = ask(site, cy, "cy + di-1", "ours")
    assert "ours" in di.get(path).text
    send(tess, path, "answer", "yours")
    assert (count(cy), count(di)) == ("1", "1")
    cy.get(path)
    assert (count(cy), count(di)) == ("", "1")


def test_nobody_else_sees_that_there_is_an_inquiry(site: Site) -> None:
    path, bob = ask(site, site.browser("ada")), site.browser("bob")
    assert bob.get(path).status_code == 404
    assert bob.get(f"/inquiries/{'A' * 24}").status_code == 404
    assert "of attempt" not in bob.get("/inquiries").text
    assert bob.get(asking(site)).status_code == 404
    for how in ("ask", "close"):
        assert bob.post(f"{path}/{how}", page="/", text="x", seen="1").status_code == 404
    assert bob.post(asking(site), page="/", text="x").status_code == 404


def test_students_do_not_read_who_of_the_staff_answered(site: Site) -> None:
    ada, tess = site.browser("ada"), site.browser("tess")
    path = ask(site, ada)
    send(tess, path, "answer", "so")
    assert "Tess" not in ada.get(path).text
    assert "The staff answered" in ada.get(path).text
    assert "Tess answered" in site.browser("ines").get(path).text


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "</textarea><img src=x>", "{{ 7*7 }} \x1b[2J \u202eabc"]
)
def test_what_is_written_is_text_for_both_sides(site: Site, text: str) -> None:
    ada, tess = site.browser("ada"), site.browser("tess")
    path = ask(site, ada, text=text)
    send(tess, path, "answer", text)
    for page in (ada.get(path).text, tess.get(path).text, site.browser("ines").get("/class/toy/log").text):
        assert not re.search("<script|<img|\x1b|\u202e|(?<!:)49 ", page)  # a clock may say 12:34:49
        assert re.search(r"&lt;|\{\{ 7\*7 \}\}", page)


def test_pasted_code_keeps_its_tabs(site: Site) -> None:
    ada = site.browser("ada")
    assert "for x in y:\n\tprint(x)" in ada.get(ask(site, ada, text="for x in y:\n\tprint(x)")).text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [(" \n", "The text is empty"), ("x" * 5001, "The text has 5,001 characters, and may have 5,000: shorten it.")],
)
def test_what_cannot_be_sent_is_refused_and_stays_in_the_form(site: Site, text: str, sentence: str) -> None:
    ada = site.browser("ada")
    assert "maxlength" not in ada.get(asking(site)).text, "browsers cut a text without a word"
    refused = ada.post(asking(site), text=text)
    assert (refused.status_code, sentence in refused.text) == (422, True)
    assert text.strip() in refused.text
    path = ask(site, ada)
    again = ada.post(f"{path}/ask", page=path, text=text, seen="1")
    assert (again.status_code, sentence in again.text, text.strip() in again.text) == (422, True, True)
    assert ada.get(path).text.count("<li>") == 1


def test_a_number_of_thousands_of_digits_is_no_error_of_the_server(site: Site) -> None:
    ada = site.browser("ada")
    path = ask(site, ada)
    assert ada.post(f"{path}/ask", page=path, text="and now?", seen="9" * 5000).status_code == 422


def test_an_answer_to_what_was_not_read_is_not_sent_and_not_lost(site: Site) -> None:
    ada, tess, ines = site.browser("ada"), site.browser("tess"), site.browser("ines")
    path = ask(site, ada)
    old = re.search(r'name="seen" value="(\d+)"', tess.get(path).text)
    assert old
    send(ines, path, "answer", "by Ines")
    late = tess.post(f"{path}/answer", page=path, text="by Tess", seen=old[1])
    assert (late.status_code, "Somebody else wrote here in the meantime" in late.text) == (422, True)
    assert ">by Tess</textarea>" in late.text
    assert 'class="prose">by Ines<' in late.text


def test_a_test_that_a_student_does_not_see_cannot_be_asked_about(site: Site) -> None:
    test = known_test(site)
    hidden = change_grading(site.settings.course.parent, "feedback: {hidden_tests: hidden, diagnosis: hidden}\n")
    regrade(hidden)
    ada = hidden.browser("ada")
    for wish in (test, "../x"):
        assert ada.post(asking(hidden), text="?", test=wish).status_code == 404
    assert test not in ada.get(asking(hidden)).text


def test_there_is_nothing_to_ask_about_before_it_was_graded(site: Site) -> None:
    ada = site.browser("ada")
    path = ada.hand_in("def double(x):\n    return 1\n").headers["Location"]
    assert "Ask the staff" not in ada.get(path).text
    assert ada.get(f"{path}/ask").status_code == 404
    assert ada.post(f"{path}/ask", page="/", text="?").status_code == 404


def test_the_audit_log_has_every_step(site: Site) -> None:
    ada, tess = site.browser("ada"), site.browser("tess")
    path = ask(site, ada, text="a mark is missing")
    send(tess, path, "answer", "it is added")
    text = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", site.browser("ines").get("/class/toy/log").text))
    about = re.escape("Ada &lt;b&gt;Okafor&lt;/b&gt; (ada), attempt 1")
    assert re.search(f"Tess web:tess inquiry inquiry {about} open answered it is added .* web:ada inquiry", text)


def test_the_page_of_a_hand_in_lists_its_inquiries(site: Site) -> None:
    ada = site.browser("ada")
    path = ask(site, ada)
    for browser in (ada, site.browser("tess")):
        assert (
            f'href="{path}">Inquiry about the whole result</a>: open'
            in browser.get(f"/hand-ins/{site.key('ada-1')}").text
        )
    assert path not in ada.get(f"/hand-ins/{site.key('ada-2')}").text
