"""Whose deadline counts, the LMS's or that of grading.yml, is a setting; what the LMS says comes with launches."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Response

from autograder.course import load_course
from autograder.web.lms import sync
from autograder.web.lms.sync import LineItemKeeper
from autograder.web.lti.tool import make_lti_tool
from tests.web.lti.fake_platform import CLAIM, MEMBERSHIP
from tests.web.lti_site import LtiSite
from tests.web.test_expected_marks import grading

PAGE = "/class/toy/lms-marks"
PAST, SOON, FAR = "2020-11-20T23:00:00Z", "2031-03-01T12:00:00Z", "2040-05-05T10:00:00.000Z"
TEACHER = {"sub": "5", f"{CLAIM}roles": [f"{MEMBERSHIP}#Instructor"]}
AGS = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
READ = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem.readonly"


def launch(lti: LtiSite, deadline: Any, own: Any = None, **changes: Any) -> Any:
    """Follow the link, with a deadline in its custom parameters."""
    custom = {"assignment": "toy", "deadline": deadline, "own_deadline": own}
    browser = lti.site.browser()
    said = {name: value for name, value in custom.items() if value is not None}
    assert lti.launch(browser, **{f"{CLAIM}custom": said}, **changes).status_code == 303
    return browser


def choose(lti: LtiSite, source: str = "LMS") -> Any:
    ines = lti.site.browser("ines")
    answer = ines.post("/class/toy/lms-deadline", PAGE, source=source)
    return answer if answer.status_code != 303 else ines.get(PAGE)


def with_column(lti: LtiSite, end: str | None) -> dict[str, Any]:
    """Let the platform have a column with a deadline, and return the claim that says where."""
    column = {"label": "HW1", "scoreMaximum": 100, "endDateTime": end}
    lti.fake.answers["items/1"] = Response(json.dumps(column))
    return {AGS: {"scope": [READ], "lineitem": f"{lti.fake.url}/items/1"}}


def test_the_deadline_of_grading_yml_counts_until_a_teacher_chooses_the_lms(lti: LtiSite) -> None:
    launch(lti, SOON, **TEACHER)
    student = launch(lti, SOON)
    assert "Due 2099-01-01 12:00 CET." in student.get("/assignments/toy").text
    page = choose(lti).text
    assert "2031-03-01 13:00 CET" in page
    assert "said by a launch" in page
    assert '<option value="LMS" selected>' in page
    assert "Due 2031-03-01 13:00 CET, as the LMS says." in student.get("/assignments/toy").text
    choose(lti, "grading.yml")
    assert "Due 2099-01-01 12:00 CET." in student.get("/assignments/toy").text


def test_lateness_follows_the_deadline_that_counts(lti: LtiSite) -> None:
    grading(lti.site, "assignments:", "late: {percent_per_day: 1, cap_percent: 40}\nassignments:")
    launch(lti, PAST, **TEACHER)
    ines = lti.site.browser("ines")
    before = ines.get(f"/hand-ins/{lti.site.key('ada-2')}").text
    choose(lti)
    after = ines.get(f"/hand-ins/{lti.site.key('ada-2')}").text
    assert "after the deadline, 2020-11-21 00:00 CET" in after
    assert "40 %" in after
    assert "after the deadline" not in before


def test_a_student_whom_the_lms_gives_more_time_has_it_and_nobody_else(lti: LtiSite) -> None:
    launch(lti, SOON, **TEACHER)
    other = launch(lti, SOON)
    longer = launch(lti, SOON, FAR, sub="8")
    at_canvas = launch(lti, FAR, sub="9")  # it puts a student's own deadline in the place of everybody's
    page = choose(lti).text
    assert "2 students with another one there" in page
    assert "Due 2031-03-01 13:00 CET" in other.get("/assignments/toy").text
    for one in (longer, at_canvas):
        assert "Due 2040-05-05 12:00 CEST, as the LMS says." in one.get("/assignments/toy").text


@pytest.mark.thorough
def test_when_everybodys_deadline_is_moved_students_have_it_who_do_not_come_again(lti: LtiSite) -> None:
    launch(lti, SOON, **TEACHER)
    student, longer = launch(lti, SOON), launch(lti, FAR, sub="8")
    choose(lti)
    launch(lti, "2032-03-01T12:00:00Z", **TEACHER)
    assert "Due 2032-03-01 13:00 CET" in student.get("/assignments/toy").text
    assert "Due 2040-05-05" in longer.get("/assignments/toy").text


@pytest.mark.first_cases(2)
@pytest.mark.parametrize(
    "said", ["$ResourceLink.submission.endDateTime", "soon", "9999-99-99", 7, ["x"], "0001-01-01T00:00Z", "1" * 99]
)
def test_what_is_no_deadline_says_nothing(lti: LtiSite, said: Any) -> None:
    launch(lti, SOON, **TEACHER)
    launch(lti, said, **TEACHER)
    student = launch(lti, said, said)
    choose(lti)
    assert "Due 2031-03-01 13:00 CET" in student.get("/assignments/toy").text


def test_where_the_lms_says_none_that_of_grading_yml_counts_and_the_page_says_so(lti: LtiSite) -> None:
    launch(lti, SOON, **TEACHER)
    student = launch(lti, None)
    choose(lti)
    launch(lti, "", **TEACHER)  # taken back there
    page = lti.site.browser("ines").get(PAGE).text
    assert "gave no deadline" in page
    assert "that of grading.yml, because the LMS has said none" in page
    assert "Due 2099-01-01 12:00 CET." in student.get("/assignments/toy").text


def test_the_column_of_the_gradebook_is_asked_at_once_and_goes_before_launches_of_the_staff(lti: LtiSite) -> None:
    launch(lti, SOON, **TEACHER, **with_column(lti, FAR))
    page = choose(lti).text
    assert "2040-05-05 12:00 CEST" in page
    assert "said by its gradebook" in page
    launch(lti, SOON, **TEACHER)
    assert "2040-05-05 12:00 CEST" in lti.site.browser("ines").get(PAGE).text


def test_a_column_that_says_none_takes_nothing_back_that_a_launch_said(lti: LtiSite) -> None:
    launch(lti, SOON, **TEACHER, **with_column(lti, None))
    assert "2031-03-01 13:00 CET" in choose(lti).text


def test_what_cannot_be_read_is_said(lti: LtiSite) -> None:
    launch(lti, SOON, **TEACHER, **with_column(lti, FAR))
    lti.fake.answers["items/1"] = Response("no", 503)
    page = choose(lti).text
    assert "What the LMS says could not be read" in page
    assert "2031-03-01 13:00 CET" in page


def test_the_sender_asks_columns_again_now_and_then_where_the_lms_counts(
    lti: LtiSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch(lti, None, **TEACHER, **with_column(lti, SOON))
    refresh_lms_deadlines(lti)
    assert lti.fake.asked("items/1") == []  # that of grading.yml counts
    choose(lti)
    with_column(lti, FAR)
    monkeypatch.setattr(sync, "READ_SECONDS", 1000.0)
    reader = refresh_lms_deadlines(lti)
    refresh_lms_deadlines(lti, reader)
    assert len(lti.fake.asked("items/1")) == 2  # once when it was chosen, once since
    assert "2040-05-05 12:00 CEST" in lti.site.browser("ines").get(PAGE).text


@pytest.mark.parametrize("status", [404, 410])
def test_a_column_that_was_deleted_is_asked_no_more(lti: LtiSite, status: int) -> None:
    launch(lti, SOON, **TEACHER, **with_column(lti, SOON))
    choose(lti)
    lti.fake.answers["items/1"] = Response("", status)
    refresh_lms_deadlines(lti)
    (link,) = lti.site.in_store(lambda store: store.lti_links.list_in_connected_courses("", "toy"))
    assert link.line_item_url == ""
    asked = len(lti.fake.asked("items/1"))
    refresh_lms_deadlines(lti)
    assert len(lti.fake.asked("items/1")) == asked


def refresh_lms_deadlines(lti: LtiSite, reader: LineItemKeeper | None = None) -> LineItemKeeper:
    chosen = reader or LineItemKeeper(make_lti_tool(lti.site.settings.location.output_folder), "outbox")
    course = load_course(lti.site.settings.course)
    lti.site.in_store(lambda store: chosen.update_line_items(store, "", course.assignments))
    return chosen


def test_the_latest_of_two_courses_counts_and_each_student_has_the_one_of_theirs(lti: LtiSite) -> None:
    lti.connect("3")
    evening = {f"{CLAIM}context": {"id": "3", "title": "Evening"}, f"{CLAIM}resource_link": {"id": "link-2"}}
    launch(lti, SOON, **TEACHER)
    launch(lti, FAR, **TEACHER, **evening)
    morning = launch(lti, SOON)
    late = launch(lti, FAR, sub="8", **evening)
    choose(lti)
    assert "Due 2031-03-01 13:00 CET" in morning.get("/assignments/toy").text
    assert "Due 2040-05-05 12:00 CEST" in late.get("/assignments/toy").text
    assert "Due 2040-05-05 12:00 CEST" in lti.site.browser("bob").get("/assignments/toy").text  # comes from neither


def test_an_extension_that_the_staff_gives_begins_at_the_lmss_deadline(lti: LtiSite) -> None:
    launch(lti, SOON, **TEACHER)
    choose(lti)
    ines = lti.site.browser("ines")
    page = "/class/toy/students/bob"
    assert ines.post(f"{page}/extend", page, until="2 days", reason="ill").status_code == 303
    assert "Due 2031-03-03 13:00 CET" in lti.site.browser("bob").get("/assignments/toy").text
    assert ines.post(f"{page}/extend", page, until="2030-01-01 12:00", reason="ill").status_code == 422


def test_what_waits_for_the_due_date_waits_for_the_last_deadline_of_the_lms(lti: LtiSite) -> None:
    grading(lti.site, "assignments:", "feedback: {results: after_due_date}\nassignments:")
    launch(lti, PAST, **TEACHER)
    choose(lti)
    bob = lti.site.browser("bob")
    page = f"/hand-ins/{lti.site.key('bob-1')}"
    assert '<div class="result">' in bob.get(page).text
    launch(lti, PAST, FAR, sub="8")
    later = bob.get(page).text
    assert "is not shown yet: it waits" in later
    assert '<div class="result">' not in later


def test_the_audit_log_says_who_chose_and_what_the_lms_said(lti: LtiSite) -> None:
    launch(lti, SOON, **TEACHER)
    launch(lti, FAR)
    launch(lti, FAR)
    choose(lti)
    choose(lti)
    rows = lti.site.in_store(lambda store: store.audit.load_audit_rows("", "toy"))
    found = [(one.event.changed_item, one.event.submission, one.event.before, one.event.after) for one in rows]
    assert found == [
        ("deadline there", "", "", "2031-03-01T12:00:00+00:00"),
        ("deadline there", "fake-7", "", "2040-05-05T10:00:00+00:00"),
        ("whose deadline counts", "", "grading.yml", "LMS"),
    ]


@pytest.mark.parametrize("source", ["", "lms", "Canvas"])
def test_another_source_than_the_two_is_refused(lti: LtiSite, source: str) -> None:
    launch(lti, SOON, **TEACHER)
    assert choose(lti, source).status_code == 404
