"""A real Moodle registers the tool, launches it, lists members, and has every mark and comment that we have.

``KIT_MOODLE=/path/to/a/checkout make thorough``, or ``pytest --thorough tests/web/test_lti_moodle.py``.
"""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from werkzeug.serving import make_server

from autograder.lti import back_off, mark_sender
from autograder.lti.connection_check import check_connection
from autograder.lti.mark_sender import MarkSender
from autograder.lti.names_and_roles import RosterChange, sync_members
from autograder.lti.tool import make_tool
from autograder.store.database import Store
from autograder.store.lti_audit import Actor
from autograder.store.outbox_mark import MarkValue, OutboxMark
from autograder.web.registration_links import add_registration_link
from tests.lti.faulty_http import LATE_SECONDS, Accident, FaultyHttp
from tests.lti.killed_sender import KilledSender
from tests.lti.moodle_browser import MoodleBrowser, origin
from tests.lti.moodle_process import PASSWORD, Moodle, start_moodle
from tests.lti.referee_process import find_free_port
from tests.lti.sending_process import make_test_tool
from tests.web.conftest import Site, make_site

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("moodle")]
STUDENTS = 12
ME = Actor("test")


@dataclass
class Registered:
    """The course on the web, and a Moodle that knows it as a tool."""

    site: Site
    moodle: Moodle
    tool_type: int
    custom: str
    """The custom parameters that Moodle sends in every launch."""


@dataclass
class Taught:
    """A class in Moodle with a link to the assignment, let in here."""

    registered: Registered
    course: int
    prefix: str
    people: dict[str, int]
    link: int
    module: int

    @property
    def site(self) -> Site:
        return self.registered.site

    @property
    def moodle(self) -> Moodle:
        return self.registered.moodle

    def log_in(self, who: str) -> MoodleBrowser:
        return MoodleBrowser(self.moodle).log_in(f"{self.prefix}{who}")

    def sync(self) -> RosterChange:
        """Read the members, as the staff does."""

        def action(store: Store) -> RosterChange:
            context = self.find_context(store)
            platform = store.lti_platforms.find_by_id(context.platform)
            assert platform
            service = make_tool(self.site.settings.place.output_folder).open_service(platform)
            return sync_members(store, "", service, context, ME)

        found: RosterChange = self.site.in_store(action)
        return found

    def find_context(self, store: Store) -> Any:
        return next(one for one in store.lti_contexts.list_of_course("") if one.context == str(self.course))

    def put(self, who: str, points: float, comment: str) -> None:
        """Say which mark should stand there, out of 20."""

        def action(store: Store) -> None:
            context = self.find_context(store)
            link = next(one for one in store.lti_contexts.list_line_items("", "toy") if one.context == context.id)
            person = store.lti_people.find(context.platform, context.deployment, str(self.people[who]))
            assert person
            value = MarkValue(points, 20.0, comment, "2026-11-20T13:58:00+00:00")
            store.mark_outbox.put(link.id, person.id, link.line_item_url, value)

        self.site.in_store(action)

    def send(self, *accidents: Accident, rate: float = 0.0) -> dict[str, OutboxMark]:
        """Send until nothing waits, and return the marks of this class."""
        http = FaultyHttp(rate)
        http.next.extend(accidents)
        tool = make_test_tool(self.site.settings.place.output_folder, http=http)

        def action(store: Store) -> None:
            sender, end = MarkSender(store, "", tool, "sender"), time.monotonic() + 180
            while any(one.state in ("queued", "sending") for one in store.mark_outbox.list_marks("")):
                assert time.monotonic() < end, store.mark_outbox.list_marks("")
                if not sender.send_next():
                    time.sleep(0.02)

        self.site.in_store(action)
        assert [*http.happened[: len(accidents)]] == [*accidents]
        return self.list_marks()

    def list_marks(self) -> dict[str, OutboxMark]:
        names = {str(number): who for who, number in self.people.items()}

        def action(store: Store) -> dict[str, OutboxMark]:
            context = self.find_context(store)
            links = {one.id for one in store.lti_contexts.list_line_items("", "toy") if one.context == context.id}
            people = {one.id: one.subject for one in store.lti_people.list_all()}
            return {
                names[people[one.person]]: one for one in store.mark_outbox.list_marks("") if one.line_item in links
            }

        found: dict[str, OutboxMark] = self.site.in_store(action)
        return found

    def read(self, who: str) -> dict[str, Any]:
        """What Moodle's database holds of somebody."""
        rows = self.moodle.do("show_marks", course=self.course)
        found: dict[str, Any] = next(one for one in rows if one["user"] == str(self.people[who]))
        return found

    def list_differences(self) -> list[str]:
        """Whose mark or comment is another in Moodle's database than here."""
        there = {one["user"]: one for one in self.moodle.do("show_marks", course=self.course)}
        found = []
        for who, mark in self.list_marks().items():
            row = there.get(str(self.people[who]), {"grade": None, "comment": None, "maximum": 0.0})
            expected = mark.value.points / mark.value.maximum * row["maximum"]
            if row["grade"] is None or abs(row["grade"] - expected) > 1e-4 or row["comment"] != mark.value.comment:
                found.append(f"{who}: {row} and not {mark.value} ({mark.state})")
        return found


@pytest.fixture(scope="module")
def registered(graded_root: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registered]:
    """The course as a server, and a Moodle in which an administrator registered it by a link."""
    with start_moodle(tmp_path_factory.mktemp("moodle")) as moodle:
        root = tmp_path_factory.mktemp("live") / "site"
        shutil.copytree(graded_root, root, ignore=shutil.ignore_patterns("__pycache__"))
        site = make_site(root, port=find_free_port())
        server = make_server("127.0.0.1", site.settings.port, site.app, threaded=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield register(site, moodle)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def register(site: Site, moodle: Moodle) -> Registered:
    path = site.in_store(lambda store: add_registration_link(store, "", ME, allow_private=True))
    admin = MoodleBrowser(moodle).log_in("admin", PASSWORD)
    form = admin.begin_registration(f"{site.settings.url}{path}")
    answer = admin.post(form.action, form.fields, Origin=site.settings.url)
    assert "is known here as moodle" in answer.text
    (platform,) = site.in_store(lambda store: store.lti_platforms.list_all())
    told = moodle.do("activate", client_id=platform.client_id)
    return Registered(site, moodle, told["type"], told["custom"])


@pytest.fixture
def taught(registered: Registered, monkeypatch: pytest.MonkeyPatch) -> Taught:
    """A new class: the teacher is let in, chooses the assignment, and its members are read."""
    monkeypatch.setattr(back_off, "FIRST_SECONDS", 0.05)
    monkeypatch.setattr(back_off, "LONGEST_SECONDS", 1.0)
    monkeypatch.setattr(mark_sender, "PAUSE", mark_sender.PAUSE / 500)
    site, moodle = registered.site, registered.moodle
    made = moodle.do("make_class", students=STUDENTS)
    teacher = MoodleBrowser(moodle).log_in(f"{made['prefix']}teacher")
    refused = teacher.ask_for_content(made["course"], registered.tool_type)
    assert "is not connected with this one yet" in refused.text
    connect(site, made["course"])
    chosen = teacher.choose(teacher.ask_for_content(made["course"], registered.tool_type), "toy")
    links = moodle.do("add_links", course=made["course"], type=registered.tool_type, links=chosen)
    link = links[chosen[0]["name"]]
    found = Taught(registered, made["course"], made["prefix"], made["people"], link["link"], link["module"])
    assert origin(teacher.launch(found.module)) == site.settings.url
    found.sync()
    return found


def connect(site: Site, course: int) -> None:
    """Let a course in, as an administrator does."""

    def action(store: Store) -> None:
        context = next(one for one in store.lti_contexts.list_of_course("") if one.context == str(course))
        store.lti_contexts.connect(context.id, is_connected=True)

    site.in_store(action)


# Launches, content, members


def test_moodle_registers_the_tool_and_asks_it_what_deadlines_it_wants_to_know(registered: Registered) -> None:
    (platform,) = registered.site.in_store(lambda store: store.lti_platforms.list_all())
    assert (platform.kind, platform.issuer) == ("moodle", registered.moodle.url)
    assert platform.deployments == (str(registered.tool_type),)
    assert "deadline=$ResourceLink.submission.endDateTime" in registered.custom.splitlines()


def test_students_land_on_the_assignment_and_teachers_on_the_class(taught: Taught) -> None:
    student = taught.log_in("s0").launch(taught.module)
    assert (student.status_code, student.url) == (200, f"{taught.site.settings.url}/assignments/toy")
    assert "小0" in student.text
    assert "O&#39;Neil, student" in student.text  # Moodle takes tags out of names
    teacher = taught.log_in("teacher").launch(taught.module)
    assert (teacher.status_code, teacher.url) == (200, f"{taught.site.settings.url}/class/toy")


def test_a_message_of_moodle_works_once_and_in_its_own_browser(taught: Taught) -> None:
    student, thief = taught.log_in("s0"), taught.log_in("s1")
    form = student.begin_launch(taught.module)
    assert "another browser began it" in thief.send_message(form).text
    form = student.begin_launch(taught.module)
    assert student.send_message(form).status_code == 200
    again = student.send_message(form)
    assert (again.status_code, "used already" in again.text) == (400, True)


def test_chosen_content_has_title_points_and_its_assignment(taught: Taught) -> None:
    teacher = taught.log_in("teacher")
    page = teacher.ask_for_content(taught.course, taught.registered.tool_type)
    (item,) = teacher.choose(page, "toy")
    assert (item["name"], item["grade_modgrade_point"], item["lineitemtag"]) == ("toy", 10, "autograder")
    assert "assignment=toy" in item["instructorcustomparameters"].splitlines()


def test_moodle_says_no_deadline_and_that_of_grading_yml_counts(taught: Taught) -> None:
    taught.log_in("s0").launch(taught.module)
    taught.site.browser("ines").post("/class/toy/lms-deadline", "/class/toy/lms-marks", source="LMS")
    page = taught.site.browser("ines").get("/class/toy/lms-marks").text
    assert "that of grading.yml, because the LMS has said none" in page
    assert "could not be read" not in page


def test_members_become_the_class_and_leavers_stay_marked(taught: Taught) -> None:
    again = taught.sync()
    assert (again.members, again.new, again.left) == (STUDENTS + 1, 0, 0)
    taught.moodle.do("remove", course=taught.course, user=taught.people["s3"])
    change = taught.sync()
    assert (change.members, change.new, change.left) == (STUDENTS, 0, 1)


def test_the_connection_is_tested_without_changing_anything(taught: Taught) -> None:
    tool = make_tool(taught.site.settings.place.output_folder)
    before = taught.moodle.do("show_marks", course=taught.course)

    def action(store: Store) -> list[Any]:
        return [*check_connection(store, "", tool, store.lti_platforms.list_all()[0])]

    steps = taught.site.in_store(action)
    assert [one for one in steps if not one.works] == []
    assert len(steps) > 4
    assert taught.moodle.do("show_marks", course=taught.course) == before


# Marks

COMMENTS = (
    "All of it.",
    "tanh <b>backward</b> &amp; more",
    "小龙: look again\nat line 3",
    "'; DROP TABLE x; --",
    "5 < 7",
)


def put_all(taught: Taught, chance: random.Random) -> None:
    for number in range(STUDENTS):
        comment = f"{COMMENTS[number % len(COMMENTS)]} {chance.random()}"
        taught.put(f"s{number}", chance.randrange(81) / 4, comment)


def test_every_mark_and_comment_is_in_moodles_database_and_so_is_every_later_one(taught: Taught) -> None:
    chance = random.Random(1)
    for _ in range(3):  # at once, and again within the same second
        put_all(taught, chance)
        assert {one.state for one in taught.send().values()} == {"sent"}
        assert taught.list_differences() == []


@pytest.mark.parametrize("points", [0.0, 20.0, 13.37, 6.666667])
def test_marks_are_scaled_to_the_points_there(taught: Taught, points: float) -> None:
    taught.put("s0", points, "scaled")
    taught.send()
    assert taught.read("s0")["grade"] == pytest.approx(points / 20 * 10, abs=1e-4)


def test_a_comment_is_kept_when_only_the_points_change(taught: Taught) -> None:
    for points in (5.0, 6.0):
        taught.put("s0", points, "look at line 3")
        taught.send()
    assert (taught.read("s0")["grade"], taught.read("s0")["comment"]) == (3.0, "look at line 3")


def test_what_moodle_has_already_is_not_sent_again(taught: Taught) -> None:
    taught.put("s0", 12.0, "the same")
    mark = taught.send()["s0"]
    taught.site.in_store(lambda store: store.mark_outbox.set_aside(mark, "rejected", ""))
    taught.site.in_store(lambda store: store.mark_outbox.retry(mark.id))
    assert taught.send()["s0"].state == "sent"
    sent = taught.site.in_store(lambda store: store.mark_attempts.list_of_mark(mark.id))
    assert sum(one.what == "score" for one in sent) == 1


def test_a_mark_that_a_teacher_overrode_in_the_gradebook_stays_and_is_shown(taught: Taught) -> None:
    taught.put("s0", 10.0, "ours")
    taught.send()
    taught.moodle.do("override", link=taught.link, user=taught.people["s0"], grade=9)
    taught.put("s0", 12.0, "ours, again")
    mark = taught.send()["s0"]
    assert (mark.state, mark.answer) == ("kept", "9 of 10 there, set by a person; sent last: 10 of 20")
    assert (taught.read("s0")["grade"], taught.read("s0")["overridden"]) == (9.0, True)


def test_replacing_an_overridden_mark_is_taken_and_kept_out_by_moodle_until_the_override_ends(taught: Taught) -> None:
    taught.moodle.do("override", link=taught.link, user=taught.people["s0"], grade=9)
    taught.put("s0", 12.0, "ours")
    mark = taught.send()["s0"]
    assert mark.state == "kept"
    taught.site.in_store(lambda store: store.mark_outbox.retry(mark.id, overwrites=True))
    mark = taught.send()["s0"]
    assert (mark.state, mark.answer) == ("rejected", "the platform took the mark, and still shows 9 of 10")
    taught.moodle.do("end_override", link=taught.link, user=taught.people["s0"])
    taught.site.in_store(lambda store: store.mark_outbox.retry(mark.id, overwrites=True))
    assert taught.send()["s0"].state == "sent"
    assert taught.list_differences() == []


def test_a_locked_mark_is_given_up_and_arrives_when_it_is_unlocked(taught: Taught) -> None:
    taught.put("s0", 10.0, "first")
    taught.send()
    taught.moodle.do("lock", link=taught.link, user=taught.people["s0"], locked=True)
    taught.put("s0", 12.0, "second")
    mark = taught.send()["s0"]
    assert mark.state == "rejected"
    assert mark.answer.startswith("status 500")
    assert taught.read("s0")["grade"] == 5.0
    taught.moodle.do("lock", link=taught.link, user=taught.people["s0"], locked=False)
    taught.site.in_store(lambda store: store.mark_outbox.retry(mark.id))
    assert taught.send()["s0"].state == "sent"
    assert taught.list_differences() == []


@pytest.mark.parametrize("who", ["teacher", "s2"])
def test_who_gets_no_marks_there_is_rejected_at_once_with_moodles_answer(taught: Taught, who: str) -> None:
    if who == "s2":
        taught.moodle.do("remove", course=taught.course, user=taught.people["s2"])
    taught.put(who, 10.0, "not a student")
    mark = taught.send()[who]
    assert (mark.state, mark.tries) == ("rejected", 1)
    assert mark.answer.startswith("status 4")


@pytest.mark.parametrize("accident", ["drop before", "drop after", "403", "409", "429", "503"])
def test_an_accident_on_the_way_costs_no_mark(taught: Taught, accident: Accident) -> None:
    taught.put("s0", 10.0, "before")
    taught.send()
    taught.put("s0", 15.5, "after")
    assert taught.send(accident)["s0"].state == "sent"
    assert taught.list_differences() == []


def test_after_a_lost_answer_moodle_is_asked_before_anything_is_sent_again(taught: Taught) -> None:
    taught.put("s0", 15.5, "stored, and no answer came")
    mark = taught.send("drop after")["s0"]
    asked = taught.site.in_store(lambda store: store.mark_attempts.list_of_mark(mark.id))
    assert [one.what for one in asked] == ["results", "score", "results"]
    assert taught.list_differences() == []


def test_a_message_that_arrives_late_does_not_undo_a_later_one(taught: Taught) -> None:
    taught.put("s0", 5.0, "early")
    taught.send("late")
    taught.put("s0", 20.0, "later")
    taught.send()
    time.sleep(LATE_SECONDS + 1)
    assert taught.list_differences() == []


def test_a_key_that_is_replaced_costs_no_mark(taught: Taught) -> None:
    taught.put("s0", 5.0, "old key")
    taught.send()
    make_tool(taught.site.settings.place.output_folder).keys.rotate()
    taught.put("s0", 6.0, "new key")
    assert taught.send()["s0"].state == "sent"
    assert taught.list_differences() == []


def test_with_accidents_every_second_time_all_marks_arrive(taught: Taught) -> None:
    put_all(taught, random.Random(2))
    taught.send(rate=0.5)
    time.sleep(LATE_SECONDS + 1)
    retry_rejected(taught)
    assert taught.list_differences() == []


def test_no_mark_is_lost_when_the_sender_is_killed_again_and_again(taught: Taught) -> None:
    chance = random.Random(3)
    sender = KilledSender(taught.site.settings.place, 0.1, chance)
    settle_others(taught)
    put_all(taught, chance)
    for number in range(10):
        sender.kill_in_the_middle()
        taught.put(f"s{chance.randrange(STUDENTS)}", chance.randrange(81) / 4, f"regraded {number} {chance.random()}")
    sender.send_the_rest(240)
    time.sleep(LATE_SECONDS + 1)
    assert taught.list_differences() == []


def retry_rejected(taught: Taught) -> None:
    """Try again what was given up, as the staff does."""
    rejected = [one.id for one in taught.list_marks().values() if one.state == "rejected"]
    taught.site.in_store(lambda store: store.mark_outbox.retry(*rejected))
    taught.send()


def settle_others(taught: Taught) -> None:
    """Let no mark of another class wait for somebody."""

    def action(store: Store) -> None:
        for one in store.mark_outbox.list_marks(""):
            store.mark_outbox.set_aside(one, "sent", "")

    taught.site.in_store(action)
