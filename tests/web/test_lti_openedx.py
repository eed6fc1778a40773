"""Open edX's own platform code launches the tool, over HTTP, and accepts what the tool answers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from autograder.web.lti.launch_acceptance import DEADLINE_VARIABLES, MemberSyncCounts, sync_members
from autograder.web.lti.line_items import iterate_connection_checks
from autograder.web.lti.tool import LINE_ITEM_READ_ONLY, RESULT_READ_ONLY, make_lti_tool
from autograder.web.store.lti.audit import LtiActor
from tests.web.conftest import Site, make_site
from tests.web.lti.local_server import serve_app
from tests.web.lti.referee_process import COURSE, Referee, find_free_port, start_referee

pytestmark = pytest.mark.thorough

FIELD = re.compile(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"')
ACTION = re.compile(r'<form[^>]*\saction="([^"]+)"', re.DOTALL)


@pytest.fixture(scope="module")
def live(graded_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Referee]]:
    """The course on the web, as a server, and Open edX, which knows it by its keys."""
    root = tmp_path_factory.mktemp("live") / "site"
    shutil.copytree(graded_root, root, ignore=shutil.ignore_patterns("__pycache__"))
    site = make_site(root, port=find_free_port())
    place = tmp_path_factory.mktemp("referee")
    with serve_app(site.app, site.settings.port), start_referee(site.settings.course_url, place) as referee:
        site.in_store(lambda store: connect(store, referee))
        yield site, referee


def connect(store: Any, referee: Referee) -> None:
    platform = store.lti_platforms.save_platform(referee.platform)
    found = store.lti_contexts.add_or_update_context(platform.id, "1", COURSE, "")
    store.lti_contexts.set_connected(found.id, is_connected=True)


def read_form(page: str) -> tuple[str, dict[str, str]]:
    """Where a page's form goes, and its fields."""
    action = ACTION.search(page)
    assert action, page[:2000]
    return unescape(action[1]), {name: unescape(value) for name, value in FIELD.findall(page)}


def find_exception(page: str) -> str:
    """What Django says went wrong on a page."""
    return " ".join(re.sub("<[^>]+>", " ", page[page.find("<h1>") :]).split())[:1000]


def begin(session: requests.Session, url: str) -> tuple[str, dict[str, str]]:
    """Follow a link of the platform up to the form that it posts to the tool."""
    page = session.get(url, timeout=300)
    assert page.status_code == 200, find_exception(page.text)
    return read_form(page.text)


def test_a_student_comes_in_from_open_edx(live: tuple[Site, Referee]) -> None:
    site, referee = live
    session = requests.Session()
    target, fields = begin(session, referee.start_url(7))
    assert target == f"{site.settings.course_url}/lti/launch"
    landed = session.post(target, fields, timeout=300)
    assert (landed.status_code, urlsplit(landed.url).path) == (200, "/assignments/toy")
    assert "Lee, student" in landed.text
    (link,) = site.in_store(lambda store: store.lti_links.list_in_connected_courses("", "toy"))
    assert "/lti-ags" in link.line_items_url


@pytest.mark.parametrize(
    ("user", "role", "shown"),
    [
        (5, "staff", "Ines, instructor"),
        (4, "instructor", "Root, instructor"),
        (6, "Community%20TA", "Tess, teaching assistant"),
    ],
)
def test_staff_of_open_edx_lands_on_the_page_of_the_class(
    live: tuple[Site, Referee], user: int, role: str, shown: str
) -> None:
    _, referee = live
    session = requests.Session()
    landed = session.post(*begin(session, referee.start_url(user, role)), timeout=300)
    assert urlsplit(landed.url).path == "/class/toy"
    assert shown in landed.text


def test_a_key_that_open_edx_replaced_is_found(live: tuple[Site, Referee]) -> None:
    _, referee = live
    session = requests.Session()
    assert session.post(*begin(session, referee.start_url(8)), timeout=300).status_code == 200
    referee.show("rotate")
    session = requests.Session()
    assert session.post(*begin(session, referee.start_url(8)), timeout=300).status_code == 200


def test_open_edx_gives_the_tool_a_token_and_its_line_items(live: tuple[Site, Referee]) -> None:
    site, referee = live
    session = requests.Session()
    session.post(*begin(session, referee.start_url(7)), timeout=300)
    (link,) = site.in_store(lambda store: store.lti_links.list_in_connected_courses("", "toy"))
    platform = site.in_store(lambda store: store.lti_platforms.find_active(name="edx"))
    client = make_lti_tool(site.settings.location.output_folder).make_platform_client(platform)
    accept = "application/vnd.ims.lis.v2.lineitemcontainer+json"
    response = client.send_authorized_request(
        "GET", link.line_items_url, [LINE_ITEM_READ_ONLY, RESULT_READ_ONLY], accept=accept
    )
    assert (response.status, isinstance(response.decode_json(), list)) == (200, True)


def test_the_members_at_open_edx_become_the_class(live: tuple[Site, Referee]) -> None:
    site, referee = live
    session = requests.Session()
    assert session.post(*begin(session, referee.start_url(7)), timeout=300).status_code == 200

    def sync(store: Any) -> MemberSyncCounts:
        platform = store.lti_platforms.find_active(name="edx")
        (context,) = store.lti_contexts.list_all(course="")
        paged = replace(context, members_url=f"{context.members_url}?limit=2")
        client = make_lti_tool(site.settings.location.output_folder).make_platform_client(platform)
        return sync_members(store, "", client, paged, LtiActor("test"))

    first, second = site.in_store(sync), site.in_store(sync)
    assert (first.members, first.new) == (6, 6)
    assert (second.members, second.new, second.left) == (6, 0, 0)
    enrolled = {one.login: one.role for one in site.in_store(lambda store: store.accounts.list_enrolments(""))}
    assert {login: role for login, role in enrolled.items() if login.startswith("edx-")} == {
        "edx-ext-4": "instructor",
        "edx-ext-5": "instructor",
        "edx-ext-6": "teaching assistant",
        "edx-ext-7": "student",
        "edx-ext-8": "student",
        "edx-ext-9": "student",
    }


def test_the_test_of_a_connection_says_what_works_at_open_edx(live: tuple[Site, Referee]) -> None:
    site, referee = live
    session = requests.Session()
    session.post(*begin(session, referee.start_url(7)), timeout=300)
    before = referee.show()
    tool = make_lti_tool(site.settings.location.output_folder)

    def check(store: Any) -> dict[str, bool]:
        platform = store.lti_platforms.find_active(name="edx")
        return {one.name: one.works for one in iterate_connection_checks(store, "", tool, platform)}

    found = site.in_store(check)
    assert found["keys of the platform"]
    assert found["access token"]
    assert found["members of Micrograd 101"]
    assert referee.show() == before


def test_what_a_teacher_chooses_is_content_of_the_course_at_open_edx(live: tuple[Site, Referee]) -> None:
    site, referee = live
    session = requests.Session()
    page = session.post(*begin(session, referee.start_url(5, "staff", "", deep="1")), timeout=300)
    assert "Choose assignments" in page.text
    _, fields = read_form(page.text)
    headers = {"Origin": site.settings.course_url}
    chosen = {"ticket": fields["ticket"], "assignment": "toy"}
    returned = session.post(f"{site.settings.course_url}/lti/content", chosen, headers=headers, timeout=300)
    target, signed = read_form(returned.text)
    assert target.startswith(referee.url)
    assert f"form-action 'self' {referee.url}" in returned.headers["Content-Security-Policy"]
    saved = requests.post(target, signed, timeout=300)
    assert saved.status_code == 200, saved.text[:2000]
    (item,) = referee.show()["content"]
    assert (item["title"], item["custom"]) == ("toy", {"assignment": "toy", **DEADLINE_VARIABLES})
    assert item["lineItem"]["scoreMaximum"] == 10
