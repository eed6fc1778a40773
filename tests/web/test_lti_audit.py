"""Everything that is changed or sent by LTI is in the audit log: what, where, by whom, from what to what."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Response

from autograder.store.audit import get_os_user_name
from autograder.web.lti.mark_sender import QueuedMarkSender
from autograder.web.lti.tool import ToolSigningKeyFile
from autograder.web.store.lti.audit import PLATFORM
from tests.cli.commands import run, succeeded
from tests.web.conftest import Site
from tests.web.lti.fake_gradebook import serve_gradebook
from tests.web.lti.fake_platform import CLAIM, FakePlatform, serve_platform
from tests.web.lti.sending_process import make_test_tool
from tests.web.lti_site import TEACHER, LtiSite
from tests.web.test_deep_linking import ask_for_content, choose
from tests.web.test_expected_marks import Linked, come_from
from tests.web.test_lms_members import members, sync
from tests.web.test_tool_registration import configuration, make_link, send

Row = tuple[str, str, str, str, str, str]


def list_rows(site: Site, assignment: str = "") -> list[Row]:
    """What is done, where, about whom, before and after, and by whom."""
    rows = site.in_store(lambda store: store.audit.load_audit_rows("", assignment))
    assert all(one.action.kind == "lms" for one in rows if one.action.platform == "lti")
    return [
        (
            one.event.changed_item,
            one.event.target,
            one.event.submission,
            one.event.before,
            one.event.after,
            one.action.account,
        )
        for one in rows
        if one.action.platform == "lti"
    ]


def test_a_course_that_is_let_in_and_shut_out_again(lti: LtiSite) -> None:
    root = lti.site.browser("root")
    lti.launch(**{f"{CLAIM}context": {"id": "9", "title": "Pottery"}})
    number = re.search(
        r'/lms/contexts/(\d+)/connect">\n<input[^>]*>\n<button[^>]* value="yes"', root.get("/lms").text
    )
    assert number
    for wanted in ("yes", "yes", "no"):
        root.post(f"/lms/contexts/{number[1]}/connect", page="/lms", connected=wanted)
    assert list_rows(lti.site) == [
        ("course", "fake: Pottery", "", "not connected", "connected", "web:root"),
        ("course", "fake: Pottery", "", "connected", "not connected", "web:root"),
    ]


@pytest.mark.parametrize(("same", "after"), [("yes", "ada"), ("no", "not ada")])
def test_who_said_that_somebody_is_a_student_of_the_class_or_is_not(lti: LtiSite, same: str, after: str) -> None:
    lti.launch(email="ada")
    ines = lti.site.browser("ines")
    number = re.search(r"/lms/people/(\d+)/link", ines.get("/lms/people").text)
    assert number
    ines.post(f"/lms/people/{number[1]}/link", page="/lms/people", same=same)
    assert list_rows(lti.site) == [
        ("account", "fake", "fake-7", "", "student", "lti"),
        ("who it is", "", "ada", "fake-7", after, "web:ines"),
    ]


def test_an_account_that_becomes_another_role_by_a_launch(lti: LtiSite) -> None:
    lti.launch()
    lti.launch(**TEACHER)
    lti.launch(**TEACHER)
    assert list_rows(lti.site) == [
        ("account", "fake", "fake-7", "", "student", "lti"),
        ("account", "fake", "fake-7", "student", "instructor", "lti"),
    ]


def test_members_that_are_read(lti: LtiSite) -> None:
    lti.fake.answers["members"] = members("7", "8")
    sync(lti)
    assert list_rows(lti.site)[1:] == [
        ("account", "fake", "fake-8", "", "student", "lti"),
        ("members", "fake: Micrograd 101", "", "0 members", "2 members: 2 new, 0 back, 0 left", "web:ines"),
    ]


def test_content_that_is_sent(lti: LtiSite) -> None:
    browser, page = ask_for_content(lti)
    choose(browser, page.text, "toy")
    assert list_rows(lti.site)[1:] == [("content", "fake: Micrograd 101", "", "", "toy", "web:fake-7")]


@pytest.fixture
def fake() -> Iterator[FakePlatform]:
    with serve_platform() as served:
        yield served


def test_a_platform_that_registers_itself_and_who_made_the_link(site: Site, fake: FakePlatform) -> None:
    site.browser("root").post("/lms/registration-link", page="/lms")
    assert list_rows(site) == [("link to register", "", "", "", "made", "web:root")]
    prepare_registration(fake)
    send(site, make_link(site, allow_private=True), f"{fake.url}/configuration")
    row = list_rows(site)[-1]
    assert (row[0], row[1], row[3], row[5]) == ("platform", "moodle", "", PLATFORM.account)
    assert f"issuer {fake.url}, client id new, deployments 5" in row[4]
    assert "reg-secret" not in str(list_rows(site))


def prepare_registration(fake: FakePlatform) -> None:
    fake.answers["configuration"] = configuration(fake)
    tool = {"https://purl.imsglobal.org/spec/lti-tool-configuration": {"deployment_id": "5"}, "client_id": "new"}
    fake.answers["register"] = Response(json.dumps(tool))


@pytest.mark.thorough
def test_what_commands_change(site: Site) -> None:
    out = site.settings.location.output_folder
    moodle = ("--kind", "moodle", "--url", "https://moodle.uni.example", "--client-id", "abc", "--deployment", "1")
    succeeded(run("lti", "add", "moodle", *moodle, "--out", out))
    site.in_store(
        lambda store: store.lti_contexts.add_or_update_context(
            store.lti_platforms.list_active()[0].id, "1", "2", "", title="x"
        )
    )
    for command in (("connect", "moodle", "2"), ("keys", "--rotate"), ("registration-link",), ("remove", "moodle")):
        succeeded(run("lti", *command, "--out", out))
    rows = list_rows(site)
    assert [one[:2] for one in rows] == [
        ("platform", "moodle"),
        ("course", "moodle: x"),
        ("key", ""),
        ("link to register", ""),
        ("platform", "moodle"),
    ]
    assert rows[0][4] == rows[-1][3]
    assert rows[-1][4] == ""
    assert {one[5] for one in rows} == {get_os_user_name()}
    shown = succeeded(run("lti", "log", "--out", out))
    assert len(shown.splitlines()) >= 5
    assert "not connected -> connected" in shown


def test_each_mark_that_is_sent_and_what_became_of_it(site: Site) -> None:
    keys = ToolSigningKeyFile(site.settings.location.output_folder)
    with serve_gradebook(keys, teachers=frozenset({"there-bob"})) as gradebook:
        linked = Linked(site, gradebook, come_from(site, gradebook))
        linked.sync()
        send_all(site)
        rows = site.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
        found = {
            one.event.submission: (one.event.after, one.state, one.answer, one.as_account)
            for one in rows
            if one.event.changed_item == "mark"
        }
        assert found == {
            "ada": ("10 of 10", "taken", "", "lms"),
            "bob": ("5 of 10", "refused", "status 400: []", "lms"),
            "cy": ("10 of 10", "taken", "", "lms"),
            "di": ("10 of 10", "taken", "", "lms"),
        }
        assert len(rows) == 4
        page = site.browser("ines").get("/class/toy/log").text
        assert "status 400: []" in page


def send_all(site: Site) -> None:
    tool = make_test_tool(site.settings.location.output_folder)

    def action(store: Any) -> None:
        sender = QueuedMarkSender(store, "", tool, "sender")
        while sender.try_process_next_mark():
            pass

    site.in_store(action)


def test_teachers_read_the_log_and_names_in_it_are_text(lti: LtiSite) -> None:
    lti.launch(name="<b>Eve")
    page = lti.site.browser("ines").get("/lms/log").text
    assert "&lt;b&gt;Eve" in page
    assert "student" in page
    assert "/lms/log" in lti.site.browser("root").get("/lms").text
