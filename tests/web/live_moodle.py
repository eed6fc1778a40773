"""A real Moodle that knows the course on the web as a tool, and classes in it."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.web.lti.administration import create_registration_link
from autograder.web.lti.launch_acceptance import MemberSyncCounts, sync_members
from autograder.web.lti.mark_sender import QueuedMarkSender
from autograder.web.lti.tool import make_lti_tool
from autograder.web.store.lti.audit import LtiActor
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark
from autograder.web.store.server_store import ServerStore
from tests.web.conftest import Site, make_site
from tests.web.lti.local_server import serve_app
from tests.web.lti.moodle_browser import MoodleBrowser, origin
from tests.web.lti.moodle_process import PASSWORD, Moodle, start_moodle
from tests.web.lti.referee_process import find_free_port
from tests.web.lti.sending_process import make_test_tool

STUDENTS = 12
ME = LtiActor("test")
COMMENTS = (
    "All of it.",
    "tanh <b>backward</b> &amp; more",
    "小龙: look again\nat line 3",
    "'; DROP TABLE x; --",
    "5 < 7",
)


@dataclass
class RegisteredMoodle:
    """The course on the web, and a Moodle that knows it as a tool."""

    site: Site
    moodle: Moodle
    tool_type: int
    custom: str
    """The custom parameters that Moodle sends in every launch."""


@dataclass
class MoodleClass:
    """A class in Moodle with a link to the assignment, let in here."""

    registered: RegisteredMoodle
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

    def sync(self) -> MemberSyncCounts:
        """Read the members, as the staff does."""

        def action(store: ServerStore) -> MemberSyncCounts:
            context = self.find_context(store)
            platform = store.lti_platforms.find_active(id=context.platform)
            assert platform
            client = make_lti_tool(self.site.settings.location.output_folder).make_platform_client(platform)
            return sync_members(store, "", client, context, ME)

        found: MemberSyncCounts = self.site.in_store(action)
        return found

    def find_context(self, store: ServerStore) -> Any:
        return next(one for one in store.lti_contexts.list_all(course="") if one.context == str(self.course))

    def put(self, who: str, points: float, comment: str) -> None:
        """Say which mark should stand there, out of 20."""

        def action(store: ServerStore) -> None:
            context = self.find_context(store)
            link = next(
                one for one in store.lti_links.list_in_connected_courses("", "toy") if one.context == context.id
            )
            person = store.lti_people.find(
                platform=context.platform, deployment=context.deployment, subject=str(self.people[who])
            )
            assert person
            value = MarkWithComment(points, 20.0, comment, "2026-11-20T13:58:00+00:00")
            store.mark_outbox.add_or_replace_mark(link.id, person.id, link.line_item_url, value)

        self.site.in_store(action)

    def send(self) -> dict[str, OutboxMark]:
        """Send until nothing waits, and return the marks of this class."""
        tool = make_test_tool(self.site.settings.location.output_folder)

        def action(store: ServerStore) -> None:
            sender, end = QueuedMarkSender(store, "", tool, "sender"), time.monotonic() + 180
            while any(one.state in ("queued", "sending") for one in store.mark_outbox.list_marks("")):
                assert time.monotonic() < end, store.mark_outbox.list_marks("")
                if not sender.try_process_next_mark():
                    time.sleep(0.02)

        self.site.in_store(action)
        return self.list_marks()

    def list_marks(self) -> dict[str, OutboxMark]:
        names = {str(number): who for who, number in self.people.items()}

        def action(store: ServerStore) -> dict[str, OutboxMark]:
            context = self.find_context(store)
            links = {
                one.id for one in store.lti_links.list_in_connected_courses("", "toy") if one.context == context.id
            }
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


@contextmanager
def serve_registered_moodle(graded_root: Path, folder: Path) -> Iterator[RegisteredMoodle]:
    """A copy of the course as a server, and a Moodle in which an administrator registered it by a link."""
    with start_moodle(folder) as moodle:
        root = folder / "site"
        shutil.copytree(graded_root, root, ignore=shutil.ignore_patterns("__pycache__"))
        site = make_site(root, port=find_free_port())
        with serve_app(site.app, site.settings.port):
            yield register(site, moodle)


def register(site: Site, moodle: Moodle) -> RegisteredMoodle:
    path = site.in_store(lambda store: create_registration_link(store, "", ME, allow_private=True))
    admin = MoodleBrowser(moodle).log_in("admin", PASSWORD)
    form = admin.begin_registration(f"{site.settings.course_url}{path}")
    answer = admin.post(form.action, form.fields, Origin=site.settings.course_url)
    assert "is known here as moodle" in answer.text
    (platform,) = site.in_store(lambda store: store.lti_platforms.list_active())
    told = moodle.do("activate", client_id=platform.client_id)
    return RegisteredMoodle(site, moodle, told["type"], told["custom"])


def make_moodle_class(registered: RegisteredMoodle) -> MoodleClass:
    """A new class: the teacher is let in, chooses the assignment, and its members are read."""
    site, moodle = registered.site, registered.moodle
    made = moodle.do("make_class", students=STUDENTS)
    teacher = MoodleBrowser(moodle).log_in(f"{made['prefix']}teacher")
    refused = teacher.ask_for_content(made["course"], registered.tool_type)
    assert "is not connected with this one yet" in refused.text
    connect(site, made["course"])
    chosen = teacher.choose(teacher.ask_for_content(made["course"], registered.tool_type), "toy")
    links = moodle.do("add_links", course=made["course"], type=registered.tool_type, links=chosen)
    link = links[chosen[0]["name"]]
    found = MoodleClass(registered, made["course"], made["prefix"], made["people"], link["link"], link["module"])
    assert origin(teacher.launch(found.module)) == site.settings.course_url
    found.sync()
    return found


def connect(site: Site, course: int) -> None:
    """Let a course in, as an administrator does."""

    def action(store: ServerStore) -> None:
        context = next(one for one in store.lti_contexts.list_all(course="") if one.context == str(course))
        store.lti_contexts.set_connected(context.id, is_connected=True)

    site.in_store(action)


def put_all(moodle_class: MoodleClass, chance: random.Random) -> None:
    for number in range(STUDENTS):
        comment = f"{COMMENTS[number % len(COMMENTS)]} {chance.random()}"
        moodle_class.put(f"s{number}", chance.randrange(81) / 4, comment)
