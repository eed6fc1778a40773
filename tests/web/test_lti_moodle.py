"""A real Moodle registers the tool, launches it, chooses content and lists members.

``KIT_MOODLE=/path/to/a/checkout make thorough``, or ``pytest --thorough tests/web -k lti_moodle``.
"""

from __future__ import annotations

from typing import Any

import pytest

from autograder.web.lti.line_items import iterate_connection_checks
from autograder.web.lti.tool import make_lti_tool
from autograder.web.store.server_store import ServerStore
from tests.web.live_moodle import STUDENTS, MoodleClass, RegisteredMoodle

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("moodle")]


def test_moodle_registers_the_tool_and_asks_it_what_deadlines_it_wants_to_know(
    registered_moodle: RegisteredMoodle,
) -> None:
    (platform,) = registered_moodle.site.in_store(lambda store: store.lti_platforms.list_active())
    assert (platform.kind, platform.issuer) == ("moodle", registered_moodle.moodle.url)
    assert platform.deployments == (str(registered_moodle.tool_type),)
    assert "deadline=$ResourceLink.submission.endDateTime" in registered_moodle.custom.splitlines()


def test_students_land_on_the_assignment_and_teachers_on_the_class(moodle_class: MoodleClass) -> None:
    student = moodle_class.log_in("s0").launch(moodle_class.module)
    assert (student.status_code, student.url) == (200, f"{moodle_class.site.settings.course_url}/assignments/toy")
    assert "小0" in student.text
    assert "O&#39;Neil, student" in student.text  # Moodle takes tags out of names
    teacher = moodle_class.log_in("teacher").launch(moodle_class.module)
    assert (teacher.status_code, teacher.url) == (200, f"{moodle_class.site.settings.course_url}/class/toy")


def test_chosen_content_has_title_points_and_its_assignment(moodle_class: MoodleClass) -> None:
    teacher = moodle_class.log_in("teacher")
    page = teacher.ask_for_content(moodle_class.course, moodle_class.registered.tool_type)
    (item,) = teacher.choose(page, "toy")
    assert (item["name"], item["grade_modgrade_point"], item["lineitemtag"]) == ("toy", 10, "autograder")
    assert "assignment=toy" in item["instructorcustomparameters"].splitlines()


def test_moodle_says_no_deadline_and_that_of_grading_yml_counts(moodle_class: MoodleClass) -> None:
    moodle_class.log_in("s0").launch(moodle_class.module)
    moodle_class.site.browser("ines").post("/class/toy/lms-deadline", "/class/toy/lms-marks", source="LMS")
    page = moodle_class.site.browser("ines").get("/class/toy/lms-marks").text
    assert "that of grading.yml, because the LMS has said none" in page
    assert "could not be read" not in page


def test_members_become_the_class_and_leavers_stay_marked(moodle_class: MoodleClass) -> None:
    again = moodle_class.sync()
    assert (again.members, again.new, again.left) == (STUDENTS + 1, 0, 0)
    moodle_class.moodle.do("remove", course=moodle_class.course, user=moodle_class.people["s3"])
    change = moodle_class.sync()
    assert (change.members, change.new, change.left) == (STUDENTS, 0, 1)


def test_the_connection_is_tested_without_changing_anything(moodle_class: MoodleClass) -> None:
    tool = make_lti_tool(moodle_class.site.settings.location.output_folder)
    before = moodle_class.moodle.do("show_marks", course=moodle_class.course)

    def action(store: ServerStore) -> list[Any]:
        return [*iterate_connection_checks(store, "", tool, store.lti_platforms.list_active()[0])]

    steps = moodle_class.site.in_store(action)
    assert [one for one in steps if not one.works] == []
    assert len(steps) > 4
    assert moodle_class.moodle.do("show_marks", course=moodle_class.course) == before
