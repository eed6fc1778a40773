"""Marks that should stand in an LMS: which, for whom, when, and with what comment; and that the server sends them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.course import load_course
from autograder.web.lms.sync import queue_expected_marks
from autograder.web.lti.tool import ToolSigningKeyFile
from autograder.web.store.lti.tables import OutboxMark
from autograder.web.store.server_store import ServerStore
from tests.web.conftest import Site, command, wait_until
from tests.web.lti.fake_gradebook import FakeGradebook, Place, connect, serve_gradebook

SERVER = "https://grader.example"


@dataclass
class Linked:
    """A site whose students come from a gradebook."""

    site: Site
    fake: FakeGradebook
    place: Place

    def sync(self, url: str = SERVER) -> dict[str, OutboxMark]:
        """Compare, and return the marks by login."""
        course = load_course(self.site.settings.course)
        self.site.in_store(lambda store: queue_expected_marks(store, "", course.assignments, url))
        return self.marks()

    def marks(self) -> dict[str, OutboxMark]:
        def found(store: ServerStore) -> dict[str, OutboxMark]:
            people = {one.id: store.accounts.get_login(one.account) for one in store.lti_people.list_all()}
            return {people[one.person]: one for one in store.mark_outbox.list_marks("")}

        result: dict[str, OutboxMark] = self.site.in_store(found)
        return result

    def states(self) -> dict[str, str]:
        return {login: one.state for login, one in self.sync().items()}

    def change(self, action: Callable[[ServerStore], Any]) -> Any:
        return self.site.in_store(action)


def come_from(site: Site, fake: FakeGradebook) -> Place:
    """Let Ada, Bob, Cy, Di and a teacher come from a gradebook once; Cy and Di are a pair."""

    def come(store: ServerStore) -> Place:
        place = connect(store, fake, 0)
        for login in ("ada", "bob", "cy", "di", "tess"):
            person = store.accounts.find_enrolment("", login)
            assert person
            store.lti_people.add(place.platform.id, "1", f"there-{login}", person.account)
        return place

    found: Place = site.in_store(come)
    return found


@pytest.fixture
def linked(site: Site) -> Iterator[Linked]:
    with serve_gradebook(ToolSigningKeyFile(site.settings.location.output_folder)) as fake:
        yield Linked(site, fake, come_from(site, fake))


def grading(site: Site, old: str, new: str) -> None:
    """Change what grading.yml says."""
    path = site.settings.course / "grading.yml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_every_student_with_a_result_gets_the_mark_that_counts(linked: Linked) -> None:
    found = linked.sync()
    assert {*found} == {"ada", "bob", "cy", "di"}  # nobody of the staff
    assert {one.state for one in found.values()} == {"queued"}
    assert found["ada"].value.points == found["ada"].value.maximum  # of two attempts, the better one
    assert found["bob"].value.points < found["bob"].value.maximum
    assert found["cy"].value == found["di"].value
    assert found["ada"].value.submitted_at.endswith("+00:00")


def test_the_comment_says_what_students_see_and_where_the_rest_is(linked: Linked) -> None:
    comment = linked.sync()["ada"].value.comment
    assert f"All of it: {SERVER}/hand-ins/{linked.site.key('ada-2')}" in comment
    assert "tests passed" in comment


def test_comparing_again_changes_nothing(linked: Linked) -> None:
    assert linked.sync() == linked.sync()


def test_a_decision_sends_the_mark_again(linked: Linked) -> None:
    before = linked.sync()["bob"]
    answer = linked.site.browser("tess").post(
        "/class/toy/students/bob/override", "/class/toy/students/bob", attempt="bob-1", points="1.5", reason="x"
    )
    assert answer.status_code == 303, answer.text
    after = linked.sync()["bob"]
    assert (after.version, after.value.points) == (before.version + 1, 1.5)


def test_results_that_wait_for_publishing_leave_nothing_behind_before(linked: Linked) -> None:
    grading(linked.site, "assignments:", "feedback: {results: after_published}\nassignments:")
    assert linked.sync() == {}
    ines = linked.site.browser("ines")
    assert ines.post("/class/toy/publish", "/class/toy").status_code == 303
    assert linked.states() == dict.fromkeys(("ada", "bob", "cy", "di"), "queued")
    assert ines.post("/class/toy/unpublish", "/class/toy").status_code == 303
    assert {*linked.states().values()} == {"withheld"}
    assert ines.post("/class/toy/publish", "/class/toy").status_code == 303
    assert {*linked.states().values()} == {"queued"}


def test_marks_of_students_who_were_published_alone_are_sent_alone(linked: Linked) -> None:
    item = linked.place.line_item
    linked.change(lambda store: store.line_item_send_policies.save_send_policy(item, "on publishing"))
    ines = linked.site.browser("ines")
    for action, sent in (("publish", {"queued"}), ("unpublish", {"withheld"})):
        answer = ines.post(f"/class/toy/chosen/{action}", "/class/toy", which="chosen", chosen="bob")
        assert answer.status_code == 303
        assert linked.states().keys() == {"bob"}
        assert {*linked.states().values()} == sent


@pytest.mark.parametrize("send_policy", ["on publishing", "after due date"])
def test_marks_wait_for_what_the_setting_says(linked: Linked, send_policy: Any) -> None:
    linked.change(lambda store: store.line_item_send_policies.save_send_policy(linked.place.line_item, send_policy))
    assert linked.sync() == {}
    if send_policy == "on publishing":
        assert linked.site.browser("ines").post("/class/toy/publish", "/class/toy").status_code == 303
    else:
        grading(linked.site, "2099-01-01", "2020-01-01")
    assert len(linked.sync()) == 4


def test_who_left_the_course_there_is_skipped_and_shown(linked: Linked) -> None:
    def members(store: ServerStore) -> None:
        people = {one.subject: one.id for one in store.lti_people.list_all()}
        everybody = dict.fromkeys((people["there-ada"], people["there-bob"]), "student")
        store.lti_members.set_current_members(linked.place.context, everybody)  # type: ignore[arg-type]
        store.lti_members.set_current_members(linked.place.context, {people["there-ada"]: "student"})
        store.lti_contexts.mark_members_fetched(linked.place.context)

    linked.change(members)
    found = linked.sync()
    assert {login: one.state for login, one in found.items()} == {"ada": "queued", "bob": "skipped"}
    assert found["bob"].answer == "left the course on the platform"


def test_a_line_item_without_a_right_to_send_gets_nothing(linked: Linked) -> None:
    linked.change(lambda store: store.lti_links.add_or_update(linked.place.context, "link", "toy", scopes=[]))
    assert linked.sync() == {}


@pytest.mark.thorough
def test_the_server_sends_what_should_be_there(linked: Linked, tmp_path: Path) -> None:
    with subprocess.Popen(command(linked.site.settings, "--only", "outbox"), stdin=subprocess.PIPE) as sender:
        try:
            wait_until(lambda: {"there-ada", "there-bob", "there-cy", "there-di"} == {*linked.fake.grades}, "sent")
            wait_until(lambda: {one.state for one in linked.marks().values()} == {"sent"}, "kept here")
        finally:
            sender.terminate()
            assert sender.wait(300) == 0
    there = linked.fake.grades["there-bob"]
    value = linked.marks()["bob"].value
    assert there[0] == pytest.approx(value.points / value.maximum * 100)
    assert there[1] == value.comment
