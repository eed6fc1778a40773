"""A class of hundreds: pages of fifty, a search that forgives, filters, several at once, and CSV files."""

from __future__ import annotations

import csv
import html
import re
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import update

from autograder.decisions import Decision
from autograder.store.audit import AuditContext, AuditEvent
from autograder.web import class_reports
from autograder.web.people import make_shell_context
from autograder.web.store.roll import MemberDetails
from autograder.web.store.server_store import ServerStore
from autograder.web.store.tables import hand_ins
from autograder.web.uploads import ReadingStopped
from tests.web.conftest import Browser, Site, change_grading
from tests.web.large_class import add_students
from tests.web.test_anonymous_grading import set_up
from tests.web.test_class_reports import LONG

CLASS = "/class/toy"
STUDENT = re.compile(r'/class/toy/students/(\w+)[?"]')
NEXT = re.compile(r'rel="next"[^>]* href="([^"]+)"')


@pytest.fixture
def large(site: Site) -> Site:
    add_students(site, 120)
    return site


def shown(site: Site, query: str = "", login: str = "tess") -> list[str]:
    """The students on a page of the class, in order."""
    return [*dict.fromkeys(STUDENT.findall(site.browser(login).get(f"{CLASS}{query}").text))]


def change(site: Site, details: MemberDetails) -> None:
    site.in_store(
        lambda store: store.roll.save_member(
            make_shell_context(""), "somebody", details, store.roll.find_member("", details.login)
        )
    )


def list_decisions(site: Site) -> list[Decision]:
    def load(store: ServerStore) -> list[Decision]:
        stored_class = store.classes.find_last_graded_class("")
        assert stored_class
        return store.decisions.list_all_decisions(stored_class)

    found: list[Decision] = site.in_store(load)
    return found


def test_a_page_has_fifty_rows_and_links_lead_to_all_of_them_with_the_same_filters(large: Site) -> None:
    tess, path, logins, pages = large.browser("tess"), f"{CLASS}?words=s0&sort=name", [], 0
    while path:
        page = tess.get(path).text
        logins += STUDENT.findall(page)
        found = NEXT.search(page)
        path, pages = html.unescape(found[1]) if found else "", pages + 1
    assert (pages, len(logins), {*logins}) == (3, 120, {f"s{number:04d}" for number in range(120)})
    assert "101 to 120 of 120" in page


@pytest.mark.parametrize("page", ["0", "-1", "99", "x", "9" * 20])
def test_a_page_that_does_not_exist_shows_one_that_does(large: Site, page: str) -> None:
    assert shown(large, f"?page={page}")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("words=yilmaz+10", ["s0001", "s0010", "s0100", "s0101", "s0102", "s0103", "s0104", "s0105", "s0106"]),
        ("words=ORSTED+2", ["s0002"]),
        ("words=o%27brien+4", ["s0004"]),
        ("words=s0042%40uni", ["s0042"]),
        ("shown=none&words=s001", ["s0019"]),
        ("section=Section+2&shown=none", ["s0109", "s0119"]),
        ("shown=ungraded", []),
    ],
)
def test_students_are_found_by_what_people_type(large: Site, query: str, expected: list[str]) -> None:
    change(large, MemberDetails("s0042", address="S0042@Uni.example"))
    if "yilmaz" in query:
        assert {*shown(large, f"?{query}")} <= {f"s{number:04d}" for number in range(1, 120, 7)}
        assert "s0106" in shown(large, f"?{query}")
    else:
        assert {*expected} <= {*shown(large, f"?{query}")}
        assert expected or shown(large, f"?{query}") == []


def test_students_are_filtered_by_points_and_by_mistake(large: Site) -> None:
    half, right = shown(large, "?most=9,5&sort=name"), shown(large, "?least=10&sort=name")
    assert {"bob", "s0001"} <= {*half}
    assert {"ada", "s0000"} <= {*right}
    assert not {*half} & {*right}
    assert shown(large, "?least=6&most=9") == []
    titles = re.findall(r'<option value="([^"]*)"', large.browser("tess").get(CLASS).text)
    if "a mistake without a name" in titles:
        assert "bob" in shown(large, "?mistake=a+mistake+without+a+name&sort=name")


def test_who_is_late_is_found(root: Path) -> None:
    config = root / "course" / "grading.yml"
    config.write_text(config.read_text(encoding="utf-8").replace("2099-01-01", "2020-01-01"), encoding="utf-8")
    assert {*shown(change_grading(root, ""), "?shown=late")} == {"ada", "bob", "cy"}


def test_the_next_student_is_the_next_of_the_list_that_was_shown(large: Site) -> None:
    tess = large.browser("tess")
    logins = shown(large, "?words=s00&sort=name&section=Section+1")
    path = f"{CLASS}/students/{logins[0]}?words=s00&sort=name&section=Section+1"
    for expected in logins[1:3]:
        found = NEXT.search(tess.get(path).text)
        assert found
        path = html.unescape(found[1])
        assert f"/students/{expected}?" in path
    assert f"/students/{logins[1]}?" in html.unescape(tess.get(path).text).partition('rel="prev"')[2][:300]


def test_what_is_decided_is_said_to_be_saved_and_the_next_student_is_still_that_of_the_filter(large: Site) -> None:
    tess, filters = large.browser("tess"), "words=s00&section=Section+1&sort=name"
    logins = shown(large, f"?{filters}")
    page = f"{CLASS}/students/{logins[0]}"
    form = re.search(r'action="([^"]+/comment\?[^"]+)"', tess.get(f"{page}?{filters}").text)
    assert form
    fields = {"attempt": f"{logins[0]}-1", "text": "Neat."}
    answer = tess.post(html.unescape(form[1]), page=page, **fields)
    after = tess.get(answer.headers["Location"]).text
    assert ">Saved.<" in after
    assert "Neat." in after
    found = NEXT.search(after)
    assert found
    assert f"/students/{logins[1]}?{filters}" == html.unescape(found[1]).removeprefix(CLASS)


def test_without_a_filter_the_neighbours_are_those_by_name(site: Site) -> None:
    page = site.browser("tess").get(f"{CLASS}/students/bob").text
    assert 'rel="prev" accesskey="p" href="/class/toy/students/ada"' in page
    assert 'rel="next" accesskey="n" href="/class/toy/students/cy"' in page


def test_several_get_more_time_at_once(large: Site) -> None:
    ines = large.browser("ines")
    fields = {"which": "chosen", "chosen": ["ada", "s0003"], "until": "2 days", "reason": "ill"}
    assert ines.post(f"{CLASS}/chosen/extend", page=CLASS, **fields).status_code == 303
    for login, extended in (("ada", True), ("s0003", True), ("s0004", False)):
        decisions = ines.get(f"{CLASS}/students/{login}").text.partition("Decisions")[2]
        assert ("moved by 2 days" in decisions) == extended


def test_all_that_a_filter_shows_are_decided_about_on_every_page(large: Site) -> None:
    ines, query = large.browser("ines"), "?words=s0&least=0"
    test = re.findall(r"<option>([\w.\-\[\]]+)</option>", ines.get(CLASS).text)[0]
    fields = {"which": "shown", "test": test, "reason": "broken"}
    page = f"{CLASS}{query}"
    count = int(re.findall(r"(\d+) of \d+ shown", ines.get(page).text)[0])
    assert count > 50
    assert ines.post(f"{CLASS}/chosen/exempt{query}", page=page, **fields).status_code == 303
    decisions = list_decisions(large)
    assert len([one for one in decisions if one.kind == "exempt"]) == count


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"which": "chosen", "until": "2 days", "reason": "ill"}, "No student is chosen"),
        ({"which": "all", "until": "2 days", "reason": ""}, "no reason"),
        ({"which": "all", "until": "soon", "reason": "ill"}, "soon"),
    ],
)
def test_what_cannot_be_decided_is_decided_about_nobody(site: Site, fields: dict[str, str], sentence: str) -> None:
    refused = site.browser("ines").post(f"{CLASS}/chosen/extend", page=CLASS, **fields)
    assert refused.status_code == 422
    assert sentence in refused.text
    assert list_decisions(site) == []


def read_csv(text: str) -> list[dict[str, str]]:
    assert text.startswith("\ufeff")
    return [*csv.DictReader(text.removeprefix("\ufeff").splitlines())]


def test_columns_of_concepts_stay_on_other_pages_and_in_another_order(site: Site) -> None:
    add_students(site, 60)
    ines, column = site.browser("ines"), '<th scope="col" class="number">doubling</th>'
    page = ines.get(f"{CLASS}?concepts=yes").text
    links = [html.unescape(one) for one in re.findall(rf'href="({CLASS}\?[^"]*(?:page|sort)=[^"]*)"', page)]
    assert column in page
    assert {"page=2", "sort=name"} <= {word for one in links for word in one.partition("?")[2].split("&")}
    assert all(column in ines.get(one).text for one in links)
    done = ines.post(f"{CLASS}/publish?concepts=yes", page=CLASS)
    again = ines.get(done.headers["Location"]).text
    assert column in again
    assert "Saved." in again


def test_the_gradebook_of_an_assignment_is_a_table_of_people(site: Site) -> None:
    answer = site.browser("ines").get(f"{CLASS}/gradebook.csv")
    assert "toy.csv" in answer.headers["Content-Disposition"]
    rows = {row["login"]: row for row in read_csv(answer.text)}
    assert {*rows} == {"ada", "bob", "cy", "di"}
    assert (rows["ada"]["name"], rows["ada"]["points"], rows["ada"]["out of"]) == ("Ada <b>Okafor</b>", "10", "10")
    assert (rows["di"]["points"], rows["di"]["team"], rows["di"]["doubling"]) == ("10", "pair", "10")
    assert rows["ada"]["counts"] == "attempt 2: most points"


def test_the_gradebook_of_the_course_has_a_column_for_each_assignment(site: Site) -> None:
    site.in_store(lambda store: store.accounts.upsert_enrolment("", "eve", "student", "=1+1"))
    rows = {row["login"]: row for row in read_csv(site.browser("ines").get("/gradebook.csv").text)}
    assert rows["bob"]["toy (out of 10)"] == "5"
    assert (rows["eve"]["name"], rows["eve"]["toy (out of 10)"]) == ("'=1+1", "")


def test_a_gradebook_of_an_anonymous_class_has_no_names(site: Site) -> None:
    change(site, MemberDetails("ada", address="okafor@uni.example"))
    ines = set_up(site).browser("ines")
    text = ines.get(f"{CLASS}/gradebook.csv").text
    assert not re.search(r"\b(ada|bob|cy|di|Okafor|pair)\b", text)
    assert len(read_csv(text)) == 4
    assert all(row["toy (graded anonymously)"] == "" for row in read_csv(ines.get("/gradebook.csv").text))
    assert STUDENT.findall(ines.get(f"{CLASS}?words=okafor").text) == []


def test_a_section_does_not_say_who_has_a_pseudonym(site: Site) -> None:
    change(site, MemberDetails("ada", section="Monday"))
    ines = set_up(site).browser("ines")
    everybody = STUDENT.findall(ines.get(CLASS).text)
    assert len(everybody) == 3
    assert "Monday" not in ines.get(CLASS).text
    assert {*STUDENT.findall(ines.get(f"{CLASS}?section=Monday").text)} == {*everybody}


def test_what_is_decided_shows_at_once_although_summaries_are_kept(site: Site) -> None:
    tess, path = site.browser("tess"), f"{CLASS}/students/bob"
    assert "bob" in shown(site, "?most=5")
    fields = {"attempt": "bob-1", "concept": "", "points": "8", "reason": "seen"}
    assert tess.post(f"{path}/override", page=path, **fields).status_code == 303
    assert "bob" in shown(site, "?least=8&most=8")
    assert "ada" in shown(site, "?least=10")


MOST_CALLS_A_STUDENT = 500
"""Twice what one student costs now; a report that is read anew for each costs some thousands."""


MOST_CALLS_A_PROGRAM = 1500
"""Half more than one costs that is handed to a reading process; one that is compared here costs tens of thousands."""


def count_calls_of_second_view(browser: Browser, path: str = CLASS) -> int:
    """How many functions are called for a page about a class, once its results were summed up for the first view."""
    browser.get(path)
    return count_calls(browser, path)


def count_calls(browser: Browser, path: str) -> int:
    """How many functions are called for a page in the process of the pages."""
    calls = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    threading.setprofile(count)  # programs are compared in a thread of their own
    sys.setprofile(count)
    try:
        browser.get(path)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls


MOST_GROWTH = {CLASS: 10, f"{CLASS}/overview": 11, f"{CLASS}/similar": 12, f"{CLASS}/log": 10}
"""How many times the calls of a page ten times the students may cost: sorting all costs more, what is fixed less."""


def add_audit_rows(site: Site, count: int) -> None:
    context = AuditContext("regrade", "root", "", "", "toy")
    events = [AuditEvent(changed_item="mark", student_label=f"s{at}", before="5", after="10") for at in range(count)]
    site.in_store(lambda store: store.audit.add_events(context, events, "graded"))


@pytest.mark.thorough
def test_pages_about_a_class_of_3000_are_small_and_quick(site: Site) -> None:
    ines = site.browser("ines")
    add_students(site, 300)
    add_audit_rows(site, 300)
    calls_for_300 = {path: count_calls_of_second_view(ines, path) for path in MOST_GROWTH}
    add_students(site, 2700, first=300)
    add_audit_rows(site, 2700)
    for path, most_growth in MOST_GROWTH.items():
        calls_for_3000 = count_calls_of_second_view(ines, path)
        assert calls_for_3000 < most_growth * calls_for_300[path], path
        assert calls_for_3000 < MOST_CALLS_A_STUDENT * 3000
        assert len(ines.get(path).data) < 200_000


def test_the_first_view_of_similar_programs_is_as_small_and_leaves_the_comparison_to_another_process(
    site: Site,
) -> None:
    add_students(site, 300)

    def write_programs(store: ServerStore) -> None:
        for one in store.hand_ins.list_hand_ins("", "toy"):
            if one.owner.startswith("s"):
                number = int(one.owner[1:]) // 2
                own = "\n".join(f"x{number} = {number * at} * double({at})" for at in range(40))
                program = f"{LONG}{own}\n".encode()
                store.accounts._session.execute(
                    update(hand_ins).where(hand_ins.c.id == one.id).values(content=program)
                )

    site.in_store(write_programs)
    tess = site.browser("tess")
    assert count_calls(tess, f"{CLASS}/similar") < MOST_CALLS_A_PROGRAM * 300
    page = tess.get(f"{CLASS}/similar")
    assert len(page.data) < 200_000
    assert "270 programs" in page.text or "273 programs" in page.text
    assert re.search(
        r"And \d\d more groups, all smaller or as small: <code>autograder similar</code> lists all", page.text
    )


def test_a_class_that_cannot_be_compared_in_time_is_told_where_it_can(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, cpu_seconds: int) -> None:
        raise ReadingStopped(f"{cpu_seconds} s")

    monkeypatch.setattr(class_reports, "read_apart", stop)
    for _ in range(2):
        assert "Run `autograder similar` in a shell" in site.browser("tess").get(f"{CLASS}/similar").text


def test_the_overview_names_some_of_a_large_group_and_leads_to_all_of_them(large: Site) -> None:
    page = large.browser("ines").get(f"{CLASS}/overview").text
    assert re.search(r"and \d+ more</summary>(?:(?!</details>).)* and \d+ more", page, re.DOTALL)
    assert page.count("/hand-ins/") < 120


def test_a_page_of_the_audit_log_is_read_alone_the_latest_rows_first(site: Site) -> None:
    add_audit_rows(site, 120)
    ines = site.browser("ines")
    last = re.findall(r"<td>(s\d+)</td>", ines.get(f"{CLASS}/log?page=3").text)
    assert re.findall(r"<td>(s\d+)</td>", ines.get(f"{CLASS}/log").text)[:2] == ["s119", "s118"]
    assert last[-1] == "s0"
    assert len(last) <= 50
