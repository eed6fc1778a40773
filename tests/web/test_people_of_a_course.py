"""Instructors see, add and change the people of a course on the web; a roster does so for many, in the shell, too."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse

from autograder.cli.main import main
from autograder.web.listing import fold_for_search
from autograder.web.store.roll import CourseMember
from tests.web.conftest import Browser, Site

ROSTER = """\
login,name,email,section,team,role
bob,Bob,bob@uni.example,Monday,,
yilmaz,İlknur Yılmaz,i.yilmaz@uni.example,Tuesday,,
tess,Tess,,"Monday, Friday",,ta
not a login,,,,,
"""
SHOWN = re.compile(r'<a href="/people/at/([^"]+)">')
LINK = re.compile(r"http://127\.0\.0\.1:8000(/link/[\w-]{43})")


def member(site: Site, login: str) -> CourseMember:
    found = site.in_store(lambda store: store.roll.find_member("", login))
    assert isinstance(found, CourseMember)
    return found


def logged(site: Site) -> list[tuple[str, str, str, str]]:
    """Every change of people: who, what, whose, and what it is now."""
    rows = site.in_store(lambda store: store.audit.load_audit_rows("", ""))
    return [
        (row.action.account, row.event.changed_item, row.event.student_label, row.event.after)
        for row in rows
        if row.action.kind == "people"
    ]


def send_roster(browser: Browser, content: str) -> TestResponse:
    data = {
        "csrf_token": browser.token("/people/import"),
        "roster": FileStorage(io.BytesIO(content.encode()), "r.csv"),
    }
    return browser.client.post("/people/import", data=data, content_type="multipart/form-data")


def apply_roster(browser: Browser, preview: TestResponse, **more: str) -> TestResponse:
    kept = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', preview.text))
    data = {**kept, "do": "apply", **more}
    return browser.client.post("/people/import", data=data, content_type="multipart/form-data")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"ada", "bob", "cy", "di", "tess", "ines", "root"}),
        ("?role=student", {"ada", "bob", "cy", "di"}),
        ("?team=pair", {"cy", "di"}),
        ("?words=OKAFOR", {"ada"}),
        ("?words=di", {"di"}),
        ("?access=signed+in&role=instructor", {"ines"}),
        ("?section=none", set()),
    ],
)
def test_people_are_searched_and_filtered(site: Site, query: str, expected: set[str]) -> None:
    assert {*SHOWN.findall(site.browser("ines").get(f"/people{query}").text)} == expected


def test_a_search_forgives_accents_and_the_dotless_i() -> None:
    assert fold_for_search("İlknur YILMAZ") == fold_for_search("ilknur Yılmaz") == "ilknur yilmaz"


def test_somebody_who_is_added_gets_a_link_and_hands_in(site: Site) -> None:
    ines = site.browser("ines")
    added = ines.post("/people", login=" Eve@Uni.example ", name="Eve <i>", section="Monday", role="student")
    assert added.headers["Location"] == "/people/at/eve@uni.example?saved=yes"
    page = ines.post("/people/at/eve@uni.example/link", page="/people/at/eve@uni.example").text
    assert "Eve &lt;i&gt;" in page
    link = LINK.search(page)
    assert link
    eve = site.browser()
    assert eve.post(link[1]).status_code == 303
    assert eve.hand_in("def double(x):\n    return 4\n").status_code == 303
    assert ("web:ines", "link", "eve@uni.example", "made") in logged(site)


def test_a_change_of_somebody_is_kept_and_logged_without_names_and_addresses(site: Site) -> None:
    details = {
        "name": "Bobby",
        "role": "teaching assistant",
        "section": "Monday",
        "address": "b@uni.example",
        "team": "",
    }
    assert site.browser("ines").post("/people/at/bob", **details).status_code == 303
    bob = member(site, "bob")
    assert (bob.name, bob.role, bob.section, bob.address) == (
        "Bobby",
        "teaching assistant",
        "Monday",
        "b@uni.example",
    )
    changes = {(item, now) for by, item, login, now in logged(site) if (by, login) == ("web:ines", "bob")}
    assert changes == {("name", "set"), ("role", "teaching assistant"), ("section", "Monday"), ("address", "set")}


@pytest.mark.parametrize(
    ("path", "fields", "sentence"),
    [
        ("/people", {"login": "no login", "role": "student"}, "is not a login"),
        ("/people", {"login": "bob", "role": "student"}, "in this course already"),
        ("/people", {"login": "eve", "role": "administrator"}, "Only administrators"),
        ("/people", {"login": "eve", "role": "king"}, "not a role"),
        ("/people/at/bob", {"role": "student", "address": "no address"}, "not an e-mail address"),
        ("/people/at/bob", {"role": "student", "name": "x" * 201}, "201 characters"),
        ("/people/at/root", {"role": "student"}, "Only administrators"),
        ("/people/at/root/link", {}, "Only administrators"),
        ("/people/at/ines", {"role": "student"}, "own role"),
        ("/people/at/ines/end", {}, "own access"),
        ("/people/chosen", {"do": "invite"}, "No person is chosen"),
        ("/people/chosen", {"do": "invite", "chosen": ["bob", "root"]}, "Only administrators"),
    ],
)
def test_what_an_instructor_may_not_do_is_refused_with_a_sentence(
    site: Site, path: str, fields: dict[str, object], sentence: str
) -> None:
    ines = site.browser("ines")
    before = logged(site)
    answer = ines.post(path, page="/people", **fields)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert logged(site) == before


def test_who_has_no_access_any_more_is_told_so_until_it_is_given_again(site: Site) -> None:
    ines, ada = site.browser("ines"), site.browser("ada")
    assert ines.post("/people/at/ada/end", page="/people/at/ada").status_code == 303
    assert ada.get("/").headers["Location"] == "/sign-in"  # the session is over
    behind_proxy = Site(replace(site.settings, trusted_proxy="10.1.2.3", user_header="X-Remote-User"))
    proxied = behind_proxy.browser(**{"X-Remote-User": "ada"})
    proxied.client.environ_base["REMOTE_ADDR"] = "10.1.2.3"
    refused = proxied.get("/")
    assert refused.status_code == 403
    assert "no access any more" in refused.text
    assert "ada-1" in {one.submission for one in site.hand_ins()}
    assert ines.post("/people/at/ada/restore", page="/people/at/ada").status_code == 303
    assert proxied.get("/").status_code == 200


def test_several_people_are_put_into_a_section_at_once(site: Site) -> None:
    ines = site.browser("ines")
    answer = ines.post("/people/chosen", page="/people", do="section", value=" Monday  10 ", chosen=["ada", "bob"])
    assert "2 people moved to this section." in answer.text
    assert [member(site, login).section for login in ("ada", "bob", "cy")] == ["Monday 10", "Monday 10", ""]


def test_a_roster_is_previewed_and_then_applied(site: Site) -> None:
    ines = site.browser("ines")
    preview = send_roster(ines, ROSTER)
    assert "1 new, 2 changed, 0 unchanged, 1 row left out. Nothing was changed yet." in preview.text
    assert "section: none -&gt; Monday" in preview.text
    assert site.in_store(lambda store: store.roll.find_member("", "yilmaz")) is None
    applied = apply_roster(ines, preview, invite="yes")
    assert "Saved: 1 new, 2 changed" in applied.text
    assert len(LINK.findall(applied.text)) == 1
    new, bob, tess = (member(site, login) for login in ("yilmaz", "bob", "tess"))
    assert (new.name, new.role, new.section, new.access) == ("İlknur Yılmaz", "student", "Tuesday", "invited")
    assert (bob.address, bob.section) == ("bob@uni.example", "Monday")
    assert tess.role == "teaching assistant"
    assert tess.sections == {"Monday", "Friday"}
    assert "0 new, 0 changed, 3 unchanged" in send_roster(ines, ROSTER).text
    assert SHOWN.findall(ines.get("/people?words=yilmaz").text) == ["yilmaz"]


def test_a_preview_of_a_course_that_changed_meanwhile_is_shown_again(site: Site) -> None:
    ines = site.browser("ines")
    preview = send_roster(ines, ROSTER)
    assert (
        ines.post("/people/at/bob", role="student", section="Sunday", name="", team="", address="").status_code == 303
    )
    assert "changed meanwhile" in apply_roster(ines, preview).text
    assert member(site, "bob").section == "Sunday"


def test_a_roster_of_an_instructor_changes_no_administrator(site: Site) -> None:
    assert "only administrators" in send_roster(site.browser("ines"), "login,role\nroot,student\n").text


def test_a_roster_of_a_platform_gives_names_as_people_say_them(site: Site) -> None:
    canvas = 'Student,ID,SIS Login ID,Section\n    Points Possible,,,\n"Okafor, Ada",11,ada,A\n"Eve, Eva",12,eve,B\n'
    ines = site.browser("ines")
    assert "Saved: 1 new, 1 changed" in apply_roster(ines, send_roster(ines, canvas)).text
    assert [(member(site, login).name, member(site, login).section) for login in ("ada", "eve")] == [
        ("Ada Okafor", "A"),
        ("Eva Eve", "B"),
    ]


def test_what_is_no_roster_is_refused(site: Site) -> None:
    refused = send_roster(site.browser("ines"), "login\nada\nADA\n")
    assert (refused.status_code, "two rows begin with" in refused.text) == (422, True)


def run(site: Site, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--out", str(site.settings.location.output_folder)])


def test_in_the_shell_a_roster_changes_nothing_until_it_is_applied(site: Site, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text(ROSTER, encoding="utf-8")
    said = run(site, "people", "import", str(roster))
    assert "new: yilmaz, student, İlknur Yılmaz, Tuesday, i.yilmaz@uni.example" in said.output
    assert "changed: bob: section: none -> Monday; address: none -> bob@uni.example" in said.output
    assert "1 new, 2 changed, 0 unchanged, 1 row left out; nothing was changed (--apply does it)" in said.output
    assert site.in_store(lambda store: store.roll.find_member("", "yilmaz")) is None
    done = run(site, "people", "import", str(roster), "--apply", "--invite")
    assert done.exit_code == 0, done.output
    link = LINK.search(done.output)
    assert link
    assert site.browser().post(link[1]).status_code == 303


@pytest.mark.parametrize("content", ["eve\nfay@uni.example\n", "login;name\neve;Eve\nfay@uni.example;Fay\n"])
def test_a_file_invites_everybody_in_it(site: Site, tmp_path: Path, content: str) -> None:
    people = tmp_path / "people.txt"
    people.write_text(content, encoding="utf-8")
    done = run(site, "invite", "--file", str(people))
    assert done.exit_code == 0, done.output
    assert len(LINK.findall(done.output)) == 2
    assert member(site, "eve").access == "invited"


def test_a_file_with_a_row_that_is_nobody_invites_nobody(site: Site, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("login,name\neve,Eve\n(none),?\n", encoding="utf-8")
    done = run(site, "invite", "--file", str(people))
    assert done.exit_code == 2
    assert "nobody was invited" in done.output
    assert site.in_store(lambda store: store.roll.find_member("", "eve")) is None
