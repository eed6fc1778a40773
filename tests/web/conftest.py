"""A course on the web: people of every role, hand-ins graded by a real worker, and browsers that send forms."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache
from werkzeug.datastructures import FileStorage
from werkzeug.routing import Rule
from werkzeug.test import TestResponse, encode_multipart

from autograder.batch.batch_location import BatchLocation
from autograder.web import class_reports
from autograder.web.app import create_course_app
from autograder.web.people import enrol_with_sign_in_link
from autograder.web.settings import CourseServerSettings
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.roll import MemberDetails
from autograder.web.store.server_store import ServerStore, open_server_store
from tests.cli.commands import clean_environment, prepared_commands
from tests.made_once import make_once
from tests.toy import HALF, RIGHT, write_toy
from tests.web.lti.fake_platform import reuse_tool_keys

PEOPLE = {
    "ada": ("student", "Ada <b>Okafor</b>", ""),
    "bob": ("student", "Bob", ""),
    "cy": ("student", "Cy", "pair"),
    "di": ("student", "Di", "pair"),
    "tess": ("teaching assistant", "Tess", ""),
    "ines": ("instructor", "Ines", ""),
    "root": ("administrator", "Alex", ""),
}
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')
DEADLINE = "    deadline: 2099-01-01 12:00\n"
WAIT = 300.0


@dataclass
class Browser:
    """A browser with cookies of its own."""

    client: FlaskClient
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **settings: Any) -> TestResponse:
        return self.client.get(path, headers=self.headers, **settings)

    def token(self, page: str) -> str:
        """The token of the forms on a page."""
        found = TOKEN.search(self.get(page).text)
        assert found, f"no form on {page}"
        return found[1]

    def post(self, path: str, page: str = "", **fields: Any) -> TestResponse:
        """Send a form as the page that holds it would."""
        data = {"csrf_token": self.token(page or path), **fields}
        return self.client.post(path, data=data, headers=self.headers)

    def hand_in(self, content: bytes | str, name: str = "value.py", assignment: str = "toy") -> TestResponse:
        raw = content.encode() if isinstance(content, str) else content
        path = f"/assignments/{assignment}"
        form = {"csrf_token": self.token(path), "file": FileStorage(io.BytesIO(raw), name)}
        boundary, body = encode_multipart(form)  # in memory: the client would leave a file open
        sent_as = f"multipart/form-data; boundary={boundary}"
        return self.client.post(path, data=body, content_type=sent_as, headers=self.headers)


@dataclass
class Site:
    """A server's settings, its application and its store."""

    settings: CourseServerSettings
    browsers: int = 0
    """How many browsers there are; each has an address of its own."""

    def __post_init__(self) -> None:
        self.app: Flask = create_course_app(self.settings)
        self.app.jinja_env.bytecode_cache = FileSystemBytecodeCache(os.environ["XDG_CACHE_HOME"])

    def browser(self, login: str = "", **headers: str) -> Browser:
        """A browser, signed in by a personal link if it is somebody's."""
        self.browsers += 1
        opened = Browser(self.app.test_client(), headers)
        opened.client.environ_base["REMOTE_ADDR"] = f"10.0.{self.browsers // 250}.{self.browsers % 250 + 1}"
        if login:
            path = self.invite(login)
            assert opened.post(path).status_code == 303
        return opened

    def invite(self, login: str) -> str:
        role, name, team = PEOPLE[login]
        with open_server_store(self.settings.location) as store:
            course = self.settings.location.class_key_in_store
            person = MemberDetails(login, name, role, team)  # type: ignore[arg-type]
            return enrol_with_sign_in_link(store, course, person)[1]

    def in_store(self, action: Callable[[ServerStore], Any]) -> Any:
        with open_server_store(self.settings.location) as store:
            return action(store)

    def hand_ins(self) -> list[HandIn]:
        course = self.settings.location.class_key_in_store
        found: list[HandIn] = self.in_store(lambda store: store.hand_ins.list_hand_ins(course, "toy"))
        return found

    def key(self, submission: str) -> str:
        return next(one.key for one in self.hand_ins() if one.submission == submission)


def command(settings: CourseServerSettings, *more: str) -> list[str]:
    """The command that serves the course, in a new interpreter."""
    return [sys.executable, "-m", "autograder", *serving(settings, *more)]


def serving(settings: CourseServerSettings, *more: str) -> list[str]:
    """What comes after ``autograder`` to serve the course, in whatever tier this machine has."""
    places = [
        "--out",
        str(settings.location.output_folder),
        "--course",
        str(settings.course),
        "--port",
        str(settings.port),
        "--store",
        settings.location.store_option,
    ]
    return ["serve", "--demo", "--allow-unsafe", *places, *more]


def wait_until(condition: Callable[[], bool], what: str, seconds: float = WAIT) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds:g} s: {what}"
        time.sleep(0.1)


def grade_all(site: Site) -> None:
    """Run a real worker until nothing waits, in a process forked from a prepared one."""
    arguments, commands = serving(site.settings, "--only", "worker", "--workers", "1"), prepared_commands()
    worker = commands.start(arguments, Path.cwd(), clean_environment())
    try:
        wait_until(lambda: {one.state for one in site.hand_ins()} <= {"graded", "failed"}, "everything graded")
    finally:
        os.kill(worker, signal.SIGTERM)
        done = commands.finish(arguments)
    assert done.returncode == 0, done.stderr


def make_site(root: Path, **settings: Any) -> Site:
    return Site(CourseServerSettings(root / "course", BatchLocation(root / "results"), **settings))


def change_grading(root: Path, more: str) -> Site:
    """Serve the course with more in its ``grading.yml``."""
    config = root / "course" / "grading.yml"
    config.write_text(config.read_text(encoding="utf-8") + more, encoding="utf-8")
    return make_site(root)


def regrade(site: Site) -> None:
    """Grade every hand-in again."""

    def again(store: ServerStore) -> None:
        for one in store.hand_ins.list_hand_ins("", "toy"):
            store.grading_queue.requeue_ended(one)

    site.in_store(again)
    grade_all(site)


@pytest.fixture(scope="session", autouse=True)
def reused_tool_keys() -> Iterator[None]:
    with reuse_tool_keys():
        yield


@pytest.fixture(scope="session", autouse=True)
def patient_pages() -> Iterator[None]:
    """Let a page that compares programs wait for them, however slow this machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_reports, "WAIT_SECONDS", WAIT)
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_rules() -> Iterator[None]:
    """Compile each rule of the pages once in a process: each site has an application of its own."""
    builders: dict[tuple[object, ...], Callable[..., tuple[str, str]]] = {}
    compile_builder = Rule._compile_builder

    def compile_once(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        key = (rule.rule, *rule._trace, repr(rule.defaults), append_unknown)
        if key not in builders:
            builders[key] = compile_builder(rule, append_unknown)
        return builders[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", compile_once)
        yield


@pytest.fixture(scope="session")
def graded_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose students have handed in, graded; not to be changed."""
    return make_once(tmp_path_factory, "graded-site", make_graded_site)


def make_graded_site(root: Path) -> None:
    write_toy(root / "course", DEADLINE)
    site = make_site(root)
    for login in PEOPLE:
        site.invite(login)
    for login, source in (("ada", HALF), ("ada", RIGHT), ("bob", HALF), ("cy", RIGHT)):
        assert site.browser(login).hand_in(source).status_code == 303
    grade_all(site)


@pytest.fixture
def root(graded_root: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    copied = tmp_path / "site"
    shutil.copytree(graded_root, copied, ignore=shutil.ignore_patterns("__pycache__"))
    return copied


@pytest.fixture
def site(root: Path) -> Site:
    return make_site(root)


@pytest.fixture
def with_proxy(site: Site) -> Site:
    """The same behind a reverse proxy that signs people in."""
    return Site(replace(site.settings, trusted_proxy="10.1.2.3", user_header="X-Remote-User"))


@pytest.fixture(scope="module")
def free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


@pytest.fixture
def lti(site: Site) -> Iterator[Any]:
    """A platform that launches the site, its course let in; an ``LtiSite``."""
    from tests.web.lti.fake_platform import serve_platform
    from tests.web.lti_site import LtiSite

    with serve_platform() as fake:
        made = LtiSite(site, fake)
        made.connect()
        yield made


@pytest.fixture(scope="session")
def registered_moodle(graded_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A real Moodle that knows the course as a tool; a ``RegisteredMoodle``."""
    from tests.web.live_moodle import serve_registered_moodle

    with serve_registered_moodle(graded_root, tmp_path_factory.mktemp("live")) as registered:
        yield registered


@pytest.fixture
def moodle_class(registered_moodle: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A new class in it, whose marks are sent again soon; a ``MoodleClass``."""
    from autograder.web.lti import mark_sender, results
    from tests.web.live_moodle import make_moodle_class

    monkeypatch.setattr(results, "FIRST_SECONDS", 0.05)
    monkeypatch.setattr(results, "LONGEST_SECONDS", 1.0)
    monkeypatch.setattr(mark_sender, "PAUSE", mark_sender.PAUSE / 500)
    return make_moodle_class(registered_moodle)


@pytest.fixture
def two_courses(root: Path, free_port: int) -> Any:
    """The graded course, and another one to which nobody has handed in; ``SeveralCourses``."""
    from tests.web.several_courses import ONE, TWO, SeveralCourses

    write_toy(root / "other")
    (root / "other" / "grading.yml").write_text(
        "course: Graphs <2>\n" + (root / "other" / "grading.yml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    places = {ONE: ("course", root / "results"), TWO: ("other", root / "others")}
    return SeveralCourses(
        {
            name: CourseServerSettings(root / folder, BatchLocation(out), port=free_port, name=name)
            for name, (folder, out) in places.items()
        }
    )
