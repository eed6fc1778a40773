"""Teachers read the members of an LMS's course: newcomers get accounts, and leavers stay, marked."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from flask import Response
from sqlalchemy import Engine, event

from autograder.web.store.server_store import ServerStore
from tests.web.lti_site import TEACHER, LtiSite


def members(*subjects: str, **headers: str) -> Response:
    listed = [{"user_id": one, "roles": ["Learner"], "name": f"<b>{one}</b>"} for one in subjects]
    return Response(json.dumps({"members": listed}), headers=headers)


def sync(lti: LtiSite) -> str:
    """Read the members as a teacher does, and return what the page says."""
    service = {"context_memberships_url": f"{lti.fake.url}/members"}
    lti.launch(**{"https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice": service})
    ines = lti.site.browser("ines")
    number = re.search(r"/lms/contexts/(\d+)/members", ines.get("/lms/people").text)
    assert number
    answer = ines.post(f"/lms/contexts/{number[1]}/members", page="/lms/people")
    found = re.search(r'<p class="(?:state|problem)" role="\w+"[^>]*>([^<]*)</p>', answer.text)
    assert found, answer.text
    return found[1]


def test_members_become_students_over_all_pages_and_leavers_stay_marked(lti: LtiSite) -> None:
    lti.fake.answers["members"] = members("7", "8", Link=f'<{lti.fake.url}/more?p=2>; rel="next"')
    lti.fake.answers["more"] = members("9")
    assert sync(lti).startswith("3 members: 3 new, 0 back, 0 left.")
    lti.fake.answers["more"] = members()
    assert sync(lti).startswith("2 members: 0 new, 0 back, 1 left.")
    page = lti.site.browser("ines").get("/lms/people").text
    assert "left, seen" in page
    assert "&lt;b&gt;9&lt;/b&gt;" in page
    assert lti.site.in_store(lambda store: store.accounts.find_enrolment("", "fake-9")).role == "student"
    lti.fake.answers["more"] = members("9")
    assert sync(lti).startswith("3 members: 0 new, 1 back, 0 left.")


def count_statements_of_sync(lti: LtiSite) -> int:
    statements: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *others: Any) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        sync(lti)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    return len(statements)


@pytest.mark.thorough
def test_members_who_are_known_cost_no_statement_each(lti: LtiSite) -> None:
    counts = []
    for number in (3, 30):
        lti.fake.answers["members"] = members("7", *(f"m{one}" for one in range(number)))
        sync(lti)
        counts.append(count_statements_of_sync(lti))
    assert counts[0] == counts[1]


def test_a_student_who_enrols_after_the_members_were_read_is_a_member_by_their_launch(lti: LtiSite) -> None:
    lti.fake.answers["members"] = members("8")
    sync(lti)
    lti.launch(sub="new")
    lti.launch(sub="new")

    def find_roles(store: ServerStore) -> dict[str, str]:
        subjects = {person.id: person.subject for person in store.lti_people.list_all()}
        (context,) = store.lti_contexts.list_all(course="")
        listed = store.lti_members.list_present_and_former_members(context.id)
        return {subjects[member.person]: member.role for member in listed if not member.left_at}

    assert lti.site.in_store(find_roles) == {"8": "student", "new": "student"}
    lti.fake.answers["members"] = members("8")
    assert sync(lti).startswith("1 members: 0 new, 0 back, 2 left.")  # the list decides; the test's own launch is 7
    lti.launch(sub="new")
    assert lti.site.in_store(find_roles) == {"8": "student", "new": "student"}


def test_a_member_whose_status_is_null_is_a_present_one(lti: LtiSite) -> None:
    listed = [{"user_id": "8", "roles": ["Learner"], "status": None, "name": None, "email": None}]
    lti.fake.answers["members"] = Response(json.dumps({"members": listed}))
    assert sync(lti).startswith("1 members: 1 new")


@pytest.mark.parametrize("status", [429, 503])
def test_a_platform_that_is_busy_is_not_taken_for_one_that_refuses(lti: LtiSite, status: int) -> None:
    lti.fake.answers["members"] = Response("", status)
    assert f"status {status} (try again in some minutes)" in sync(lti)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    "following", ["http://localhost:{port}/more", "https://evil.example/more", "//evil.example/"]
)
def test_a_next_page_elsewhere_is_not_asked_and_nothing_changes(lti: LtiSite, following: str) -> None:
    port = lti.fake.url.rpartition(":")[2]
    lti.fake.answers["members"] = members("8", Link=f'<{following.format(port=port)}>; rel="next"')
    assert "next page of members is on another server" in sync(lti)
    assert lti.fake.asked("more") == []
    assert lti.site.in_store(lambda store: store.accounts.find_enrolment("", "fake-8")) is None


def test_a_teacher_whom_the_list_calls_a_learner_stays_a_teacher(lti: LtiSite) -> None:
    """Moodle 4.3 lists teachers who may not edit as learners, and says instructor when they come in."""
    lti.launch(sub="8", **TEACHER)
    lti.fake.answers["members"] = members("8")
    sync(lti)
    assert lti.site.in_store(lambda store: store.accounts.find_enrolment("", "fake-8")).role == "instructor"


DEEP = '{"members": [], "x": ' + "[" * 100_000 + "]" * 100_000 + "}"


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("body", [DEEP, "", "[]", '{"members": [{}]}', '{"members": [{"user_id": 7}]}', "<html>"])
def test_a_list_of_members_that_is_none_changes_nothing(lti: LtiSite, body: str) -> None:
    lti.fake.answers["members"] = Response(body)
    assert "the answer is not a list of members" in sync(lti)
