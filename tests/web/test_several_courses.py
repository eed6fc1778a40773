"""Several courses on one server: each has its own people, pages, sessions and results, and they grade in turns."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from werkzeug.test import TestResponse

from autograder.batch.location import BatchLocation
from autograder.cli.main import main
from autograder.cli.served_courses import locate_results
from autograder.store.hand_in_table import HandIn, NewHandIn
from autograder.web.all_courses import create_server_app
from autograder.web.invitations import invite
from autograder.web.settings import ServerSettings
from tests.lti.fake_platform import FakePlatform, serve_platform
from tests.toy import RIGHT, write_toy
from tests.web.conftest import PEOPLE, Browser, wait_until
from tests.web.lti_site import read_query
from tests.web.real_server import Visitor

SLOW = f"import time\ntime.sleep(0.2)\n{RIGHT}"
LINK = re.compile(r'(?:href|action|src|formaction)="([^"#][^"]*)"')
ONE, TWO = "mg101", "mg102-2026"


@dataclass
class Server:
    """Two courses under one address."""

    courses: dict[str, ServerSettings]
    browsers: int = 0

    def __post_init__(self) -> None:
        self.app: Flask = create_server_app([*self.courses.values()])

    def browser(self, **headers: str) -> Browser:
        self.browsers += 1
        opened = Browser(self.app.test_client(), headers)
        opened.client.environ_base["REMOTE_ADDR"] = f"10.1.{self.browsers // 250}.{self.browsers % 250 + 1}"
        return opened

    def invite(self, course: str, login: str, role: str = "") -> str:
        place = self.courses[course].place
        with place.open_store() as store:
            path = invite(store, place.class_name, login, role or PEOPLE[login][0], login.title())[1]  # type: ignore[arg-type]
        return f"/{course}{path}"

    def sign_in(self, browser: Browser, course: str, login: str, role: str = "") -> Browser:
        assert browser.post(self.invite(course, login, role)).status_code == 303
        return browser

    def hand_ins(self, course: str) -> list[HandIn]:
        place = self.courses[course].place
        with place.open_store() as store:
            return store.hand_ins.list_hand_ins(place.class_name, "toy")

    def queue(self, course: str, login: str, sources: list[str]) -> None:
        """Hand in one after the other, as students may without a limit of attempts."""
        place = self.courses[course].place
        with place.open_store() as store:
            person = store.accounts.find_enrolment(place.class_name, login)
            assert person is not None
            for source in sources:
                store.hand_ins.add_hand_in(NewHandIn(place.class_name, "toy", [person], "value.py", source.encode()))


@pytest.fixture
def server(root: Path, free_port: int) -> Server:
    """The graded course, and another one of the same kind to which nobody has handed in."""
    write_toy(root / "other")
    (root / "other" / "grading.yml").write_text(
        "course: Graphs <2>\n" + (root / "other" / "grading.yml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    places = {ONE: ("course", root / "results"), TWO: ("other", root / "others")}
    return Server(
        {
            name: ServerSettings(root / folder, BatchLocation(out), port=free_port, name=name)
            for name, (folder, out) in places.items()
        }
    )


def test_the_first_page_leads_to_every_course_and_knows_nobody(server: Server) -> None:
    browser = server.sign_in(server.browser(), ONE, "ada")
    page = browser.get("/")
    assert page.status_code == 200
    assert f'<a href="/{ONE}/">{ONE}</a>' in page.text
    assert f'<a href="/{TWO}/">Graphs &lt;2&gt;</a>' in page.text
    assert "Ada" not in page.text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    for path in LINK.findall(page.text):
        with browser.get(path) as found:
            assert found.status_code == (303 if path == f"/{TWO}/" else 200)  # nobody there: to the sign-in


@pytest.mark.parametrize("path", ["/class/toy", "/nowhere", "/mg101x/", "/MG101/", f"/{ONE}%2f..%2f{TWO}x"])
def test_what_belongs_to_no_course_is_not_found(server: Server, path: str) -> None:
    assert server.browser().get(path).status_code == 404


def test_the_first_page_answers_to_its_own_name_alone(server: Server) -> None:
    answer = server.app.test_client().get("/", base_url="http://evil.example")
    assert (answer.status_code, "mg101" in answer.text) == (400, False)


@pytest.mark.parametrize("login", [*PEOPLE])
def test_whoever_is_somebody_in_one_course_is_nobody_in_the_other(server: Server, login: str) -> None:
    browser = server.sign_in(server.browser(), ONE, login)
    assert browser.get(f"/{ONE}/").status_code == 200
    key = next(one.key for one in server.hand_ins(ONE) if one.submission == "ada-1")
    own = browser.client.get_cookie(f"autograder-{ONE}")
    assert own is not None
    for renamed in (False, True):
        if renamed:
            browser.client.set_cookie(f"autograder-{TWO}", own.value)
        for path in ("/", "/class/toy", "/class/toy/log", "/health", f"/hand-ins/{key}", "/assignments/toy"):
            answer = browser.get(f"/{TWO}{path}")
            assert (answer.status_code, answer.headers["Location"]) == (303, f"/{TWO}/sign-in")


@pytest.mark.parametrize("login", [*PEOPLE])
def test_a_hand_in_of_one_course_is_found_in_no_other(server: Server, login: str) -> None:
    browser = server.sign_in(server.browser(), TWO, login)
    key = next(one.key for one in server.hand_ins(ONE) if one.submission == "ada-1")
    for path in ("", "/report", "/report.json", "/file"):
        assert browser.get(f"/{TWO}/hand-ins/{key}{path}").status_code == 404


def test_a_link_of_one_course_signs_nobody_in_at_another(server: Server) -> None:
    path = server.invite(ONE, "root").replace(ONE, TWO)
    assert server.browser().get(path).status_code == 404


def test_somebody_may_be_staff_here_and_a_student_there_in_one_browser(server: Server) -> None:
    browser = server.sign_in(server.browser(), ONE, "tess")
    server.sign_in(browser, TWO, "tess", "student")
    assert "Tess, teaching assistant" in browser.get(f"/{ONE}/").text
    assert "Tess, student" in browser.get(f"/{TWO}/").text
    assert browser.get(f"/{TWO}/class/toy").status_code == 403
    browser.post(f"/{TWO}/sign-out", page=f"/{TWO}/")
    assert browser.get(f"/{TWO}/").status_code == 303
    assert browser.get(f"/{ONE}/class/toy").status_code == 200


def test_the_token_of_a_form_counts_in_its_own_course_alone(server: Server) -> None:
    browser = server.sign_in(server.browser(), ONE, "ines")
    server.sign_in(browser, TWO, "ines")
    token = browser.token(f"/{ONE}/class/toy")
    answer = browser.client.post(f"/{TWO}/class/toy/try-regrade", data={"csrf_token": token, "which": "all"})
    assert answer.status_code == 400


def test_a_proxys_user_is_looked_for_in_each_course(server: Server) -> None:
    behind = Server(
        {
            name: replace(one, trusted_proxy="10.1.2.3", user_header="X-Remote-User")
            for name, one in server.courses.items()
        }
    )
    server.invite(TWO, "tess", "student")
    for login, here, there in (
        ("tess", "Tess, teaching assistant", "Tess, student"),
        ("root", "Alex, administrator", "not a member of this course"),
    ):
        browser = behind.browser(**{"X-Remote-User": login})
        browser.client.environ_base["REMOTE_ADDR"] = "10.1.2.3"
        assert here in browser.get(f"/{ONE}/").text
        other = browser.get(f"/{TWO}/")
        assert (other.status_code, there in other.text) == (200 if login == "tess" else 403, True)


@pytest.mark.parametrize("login", [*PEOPLE])
def test_every_link_and_form_stays_within_its_course(server: Server, login: str) -> None:
    browser = server.sign_in(server.browser(), ONE, login)
    seen, waiting = set(), [f"/{ONE}/"]
    while waiting:
        path = waiting.pop()
        seen.add(path)
        with browser.get(path) as page:
            assert page.status_code == 200, path
            if page.mimetype != "text/html" or path.endswith("/report"):
                continue
            text = page.get_data(as_text=True)
        for link in LINK.findall(text):
            assert link.startswith(f"/{ONE}/"), f"{link} on {path}"
            found = link.partition("?")[0]
            if f'action="{link}"' not in text and found not in seen and found not in waiting:
                waiting.append(found)
    assert len(seen) > 3


def test_behind_tls_each_course_has_a_cookie_that_only_this_server_sets(root: Path) -> None:
    write_toy(root / "other")
    url = "https://grader.uni.example"
    server = Server(
        {
            name: ServerSettings(root / "other", BatchLocation(root / name), public_url=url, name=name)
            for name in (ONE, TWO)
        }
    )
    assert server.courses[ONE].url == f"{url}/{ONE}"
    for name in (ONE, TWO):
        answer = server.app.test_client().get(server.invite(name, "ada"), base_url=url)
        cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith(f"__Host-autograder-{name}=")
        for part in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
            assert part in cookie.split("; ")
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--course", "{0}/a", "--course", "{0}/b/a"], "two courses have this name"),
        (["--course", "x={0}/a", "--course", "x={0}/b/a"], "two courses have this name"),
        (["--course", "static={0}/a"], "cannot be part of an address"),
        (["--course", "../x={0}/a"], "cannot be part of an address"),
        (["--course", "x={0}/a", "--store", "postgresql:///all"], "one store for several courses"),
        (["--course", "x={0}/nowhere"], "does not exist"),
    ],
)
def test_courses_that_cannot_be_told_apart_are_refused(tmp_path: Path, words: list[str], told: str) -> None:
    for folder in ("a", "b/a"):
        write_toy(tmp_path / folder)
    out = ["--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, ["serve", *out, *(word.format(tmp_path) for word in words)])
    assert (result.exit_code, told in result.stderr, len(result.stderr.splitlines())) == (2, True, 1)
    assert not (tmp_path / "out").exists()


def serve(server: Server, *more: str) -> list[str]:
    folders = [f"--course={name}={one.course}" for name, one in server.courses.items()]
    out = server.courses[ONE].place.output_folder.parent
    port = str(server.courses[ONE].port)
    words = ["serve", "--demo", "--allow-unsafe", "--out", str(out), "--port", port, *folders, *more]
    return [sys.executable, "-m", "autograder", *words]


@pytest.fixture
def two(tmp_path: Path, free_port: int) -> Server:
    """Two courses with a student each, and nothing handed in."""
    settings = {}
    for name in (ONE, TWO):
        write_toy(tmp_path / "courses" / name)
        place = BatchLocation(tmp_path / "results" / name)
        settings[name] = ServerSettings(tmp_path / "courses" / name, place, port=free_port, name=name, demo=True)
    server = Server(settings)
    server.invite(ONE, "ada")
    server.invite(TWO, "bob")
    return server


def test_a_course_with_one_hand_in_does_not_wait_for_all_of_another(two: Server) -> None:
    two.queue(ONE, "ada", [f"{SLOW}# {number}\n" for number in range(24)])
    two.queue(TWO, "bob", [RIGHT])
    with subprocess.Popen(serve(two, "--only", "worker", "--workers", "1"), stdin=subprocess.PIPE) as worker:
        try:
            wait_until(lambda: two.hand_ins(TWO)[0].state == "graded", "the other course has its turn")
            waiting = sum(one.state == "queued" for one in two.hand_ins(ONE))
            wait_until(lambda: {one.state for one in two.hand_ins(ONE)} == {"graded"}, "the first goes on")
        finally:
            os.kill(worker.pid, signal.SIGTERM)
            assert worker.wait(60) == 0
    assert waiting >= 8
    assert {one.problem for one in two.hand_ins(ONE)} == {""}


def test_a_course_that_is_broken_keeps_no_other_from_being_graded(two: Server) -> None:
    with subprocess.Popen(serve(two, "--only", "worker", "--workers", "1"), stdin=subprocess.PIPE) as worker:
        try:
            two.queue(TWO, "bob", [RIGHT])
            wait_until(lambda: two.hand_ins(TWO)[0].state == "graded", "the worker is there")
            (two.courses[ONE].course / "grading.yml").write_text("assignments: [", encoding="utf-8")
            two.queue(ONE, "ada", [RIGHT])
            two.queue(TWO, "bob", [f"{RIGHT}#\n"])
            wait_until(lambda: two.hand_ins(TWO)[1].state == "graded", "the whole course goes on")
        finally:
            os.kill(worker.pid, signal.SIGTERM)
            assert worker.wait(60) == 0
    assert two.hand_ins(ONE)[0].state == "queued"


def test_one_command_serves_and_grades_both(two: Server) -> None:
    url = two.courses[ONE].server_url
    with subprocess.Popen(serve(two, "--workers", "1"), stderr=subprocess.DEVNULL) as server:
        try:
            for name, login in ((ONE, "ada"), (TWO, "bob")):
                wait_until(lambda name=name: is_there(f"{url}/{name}/sign-in"), "the server answers")  # type: ignore[misc]
                visitor = Visitor(f"{url}/{name}", login)
                receipt = visitor.send("/assignments/toy", code=RIGHT)
                path = receipt.removeprefix(f"/{name}")
                wait_until(lambda visitor=visitor, path=path: "<iframe" in visitor.get(path), "graded")  # type: ignore[misc]
        finally:
            server.terminate()
            assert server.wait(60) == 0


def is_there(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except OSError:
        return False


def test_each_course_has_a_folder_and_a_database_of_its_own() -> None:
    found = locate_results(Path("out"), "postgresql:///kit_{course}", ONE)
    assert found == BatchLocation(Path("out") / ONE, f"postgresql:///kit_{ONE}")
    assert locate_results(Path("out"), "postgresql:///kit", "") == BatchLocation(Path("out"), "postgresql:///kit")


def connect(server: Server, course: str, fake: FakePlatform) -> None:
    """Let a course of a platform into one of the courses here."""
    settings = server.courses[course]
    fake.tool = settings.url
    with settings.place.open_store() as store:
        platform = store.lti_platforms.save(fake.platform)
        store.lti_contexts.connect(store.lti_contexts.save(platform.id, "1", "2", "").id, is_connected=True)


def begin_launch(browser: Browser, course: str, fake: FakePlatform) -> dict[str, str]:
    """Begin a login at a course, and return what the platform is sent."""
    sent = {"iss": fake.url, "login_hint": "5", "client_id": fake.client_id, "lti_deployment_id": "1"}
    target = {"target_link_uri": f"{fake.tool}/lti/launch", "lti_message_hint": "7"}
    answer = browser.client.post(f"/{course}/lti/login", data={**sent, **target})
    assert answer.status_code == 302, answer.text
    return read_query(answer.headers["Location"])


def post_launch(browser: Browser, course: str, fake: FakePlatform, asked: dict[str, str]) -> TestResponse:
    """Come back from the platform, to a course."""
    message = {"state": asked["state"], "id_token": fake.sign(fake.claims(asked["nonce"]))}
    headers = {"Origin": fake.url, "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site"}
    return browser.client.post(f"/{course}/lti/launch", data=message, headers=headers)


def test_an_lms_launches_into_the_course_that_it_is_connected_with(server: Server) -> None:
    with serve_platform() as fake:
        connect(server, ONE, fake)
        browser = server.browser()
        asked = begin_launch(browser, ONE, fake)
        assert asked["redirect_uri"] == f"{server.courses[ONE].url}/lti/launch"
        assert asked["redirect_uri"].count(ONE) == 1
        answer = post_launch(browser, ONE, fake, asked)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/{ONE}/assignments/toy")
        assert browser.get(f"/{ONE}/assignments/toy").status_code == 200
        assert browser.get(f"/{TWO}/assignments/toy").status_code == 303  # nobody there: to the sign-in


def test_a_launch_that_began_at_one_course_ends_at_no_other(server: Server) -> None:
    with serve_platform() as fake:
        connect(server, TWO, fake)
        connect(server, ONE, fake)
        browser = server.browser()
        answer = post_launch(browser, TWO, fake, begin_launch(browser, ONE, fake))
        assert answer.status_code in (400, 403)
        assert browser.get(f"/{TWO}/assignments/toy").status_code == 303
