"""A real server: what it refuses before a page sees it, and that every receipt has its result whatever is killed."""

from __future__ import annotations

import re
import select
import shutil
import socket
import subprocess
import urllib.error
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.reports.html_report import hash_page_script_for_csp
from autograder.web.request import PAGE
from autograder.web.server import MOST_CONNECTIONS, BoundedRequestParser
from tests.machine import PATIENCE, until
from tests.running import is_running
from tests.web.conftest import PEOPLE, Site, command, make_site, wait_until
from tests.web.lti.referee_process import find_free_port
from tests.web.real_server import Visitor, answers, children, served


@pytest.fixture
def site(root: Path, free_port: int) -> Site:
    return make_site(root, port=free_port, demo=True)


@pytest.fixture(scope="module")
def live(graded_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that runs, for tests that leave it as it was; each start takes three seconds."""
    root = tmp_path_factory.mktemp("live") / "site"
    shutil.copytree(graded_root, root, ignore=shutil.ignore_patterns("__pycache__"))
    site = make_site(root, port=find_free_port(), demo=True)
    with served(site):
        yield site


def raw(site: Site, request: bytes, seconds: float = PATIENCE) -> bytes:
    """What a server answers to these very bytes."""
    with socket.create_connection((site.settings.host, site.settings.port), timeout=seconds) as connection:
        connection.sendall(request)
        with suppress(OSError):  # it has answered and left already
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        with suppress(ConnectionResetError):  # it did not read to the end
            while part := connection.recv(65536):
                answer += part
    return answer


@pytest.mark.thorough
def test_both_processes_end_when_the_one_above_them_is_killed(site: Site) -> None:
    with subprocess.Popen(command(site.settings), stderr=subprocess.DEVNULL) as server:
        wait_until(lambda: answers(site) and len(children(server)) == 2, "the server answers")
        started = [*children(server).values()]
        server.kill()
        server.wait()
        wait_until(lambda: not any(map(is_running, started)), "both end")


@pytest.mark.thorough
def test_pages_without_a_terminal_stay_as_a_service_manager_starts_them(site: Site) -> None:
    words = command(site.settings, "--only", "pages")
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: answers(site), "the server answers")
            assert server.poll() is None
        finally:
            server.terminate()


def test_what_http_does_not_allow_or_no_browser_sends_does_not_reach_a_page(live: Site) -> None:
    host = f"Host: 127.0.0.1:{live.settings.port}\r\n".encode()
    huge = raw(live, b"GET / HTTP/1.1\r\n" + host + b"X-Long: " + b"x" * 40_000 + b"\r\n\r\n")
    assert huge.startswith(b"HTTP/1.0 431") or huge.startswith(b"HTTP/1.1 431")
    large = raw(live, b"POST /demo HTTP/1.1\r\n" + host + b"Content-Length: 99999999999\r\n\r\n")
    assert b" 413 " in large.partition(b"\r\n")[0]
    other = raw(live, b"GET /sign-in HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    assert b" 400 " in other.partition(b"\r\n")[0]
    twice = raw(
        live,
        b"POST /demo HTTP/1.1\r\n" + host + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"
        b"Connection: close\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
    )
    assert b" 200 " not in twice.partition(b"\r\n")[0]


def begin(site: Site, path: str, length: int | str = "") -> socket.socket:
    """A connection on which a form begins, and does not end."""
    connection = socket.create_connection((site.settings.host, site.settings.port), timeout=PATIENCE)
    size = f"Content-Length: {length}" if length else "Transfer-Encoding: chunked"
    host = f"127.0.0.1:{site.settings.port}"
    connection.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}\r\n{size}\r\n\r\n".encode())
    return connection


def status(connection: socket.socket, seconds: float = PATIENCE) -> bytes:
    """The code that a server answers with; empty while it waits for more."""
    connection.settimeout(seconds)
    try:
        return connection.recv(65536).partition(b" ")[2][:3]
    except TimeoutError:
        return b""


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("path", ["/", "/demo", "/assignments/toy", "/class/toy/importer", "/class/toy/import/x"])
def test_a_body_that_no_page_takes_is_refused_before_it_is_read(live: Site, path: str) -> None:
    with begin(live, path, 100 * 2**20) as large:
        assert status(large) == b"413"
    with begin(live, path) as chunked:
        part = b"100000\r\n" + b"x" * 2**20 + b"\r\n"
        answered, sent = b"", 0
        with suppress(OSError):
            while not answered and sent < 100:
                chunked.sendall(part)
                sent += 1
                chunked.setblocking(False)
                with suppress(BlockingIOError):
                    answered = chunked.recv(65536)
                chunked.setblocking(True)
        assert sent < 60


def test_a_platforms_download_may_be_large_and_four_of_them_come_at_once(live: Site) -> None:
    with ExitStack() as opened:
        four = [opened.enter_context(begin(live, "/class/toy/import", 100 * 2**20)) for _ in range(4)]
        assert select.select(four, [], [], 1.0)[0] == []  # of each more is waited for
        assert status(opened.enter_context(begin(live, "/class/toy/import", 100 * 2**20))) == b"503"
        assert status(opened.enter_context(begin(live, "/class/toy/import", 101 * 2**20))) in (b"413", b"503")
        assert answers(live)
        opened.close()

    def is_waited_for() -> bool:
        with begin(live, "/class/toy/import", 100 * 2**20) as again:
            return status(again, 1.0) == b""

    until(is_waited_for)


def test_one_address_does_not_hold_all_connections(live: Site) -> None:
    address, unfinished = (live.settings.host, live.settings.port), b"GET /sign-in HTTP/1.1\r\nX-a: "
    with ExitStack() as opened:
        slow = opened.enter_context(socket.create_connection(address, 20, source_address=("127.0.0.2", 0)))
        slow.sendall(unfinished)
        for _ in range(MOST_CONNECTIONS + 100):
            opened.enter_context(socket.create_connection(address, timeout=20)).sendall(unfinished)
        assert answers(live)
        slow.sendall(b"b\r\nConnection: close\r\nHost: 127.0.0.1\r\n\r\n")
        assert status(slow) == b"200"


def test_whoever_hands_in_too_much_reads_how_much_it_may_be(live: Site) -> None:
    ada = Visitor(live.settings.course_url, "ada")
    with pytest.raises(urllib.error.HTTPError) as refused:
        ada.send("/assignments/toy", code="x" * (25 * 2**20))
    with refused.value as answer:
        assert (answer.code, b"MB can be handed in" in answer.read()) == (413, True)


@pytest.mark.thorough
def test_a_form_of_countless_fields_is_refused_before_it_is_read(live: Site) -> None:
    fields = b"&".join(b"%x" % number for number in range(3_000_000))
    length = f"Content-Length: {len(fields)}\r\nContent-Type: application/x-www-form-urlencoded".encode()
    host = f"Host: 127.0.0.1:{live.settings.port}".encode()
    head = b"POST %s HTTP/1.1\r\n" + host + b"\r\nConnection: close\r\n" + length + b"\r\n\r\n"
    for path in (b"/sign-out", b"/demo", b"/class/toy/import"):
        code = raw(live, head % path + fields).partition(b" ")[2][:3]
        assert code == (b"303" if b"class" in path else b"413"), "nobody is signed in"


def test_a_sender_that_drips_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    from waitress.adjustments import Adjustments

    now = 1000.0
    monkeypatch.setattr("autograder.web.server.time.monotonic", lambda: now)
    for bytes_each_second, is_cut in ((1, True), (20_000, False)):
        request = BoundedRequestParser(Adjustments())
        request.received(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")
        for _ in range(200):
            now += 1.0
            if not request.completed:
                request.received(b"x" * bytes_each_second)
        assert (request.completed, getattr(request.error, "code", 0)) == (is_cut, 408 if is_cut else 0)
        request.close()
    dripping_header = BoundedRequestParser(Adjustments())
    for letter in b"GET / HTTP/1.1":
        now += 10.0
        dripping_header.received(bytes([letter]))
        if dripping_header.completed:
            break
    assert dripping_header.error.code == 408


def test_slow_bodies_keep_no_thread_from_others(live: Site) -> None:
    slow = []
    for _ in range(30):
        connection = socket.create_connection((live.settings.host, live.settings.port))
        host = f"127.0.0.1:{live.settings.port}"
        connection.sendall(f"POST /demo HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\nx".encode())
        slow.append(connection)
    try:
        assert answers(live)
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.thorough
def test_a_header_with_an_underscore_is_not_the_proxys(site: Site) -> None:
    trusting = make_site(
        site.settings.course.parent, port=site.settings.port, trusted_proxy="127.0.0.1", user_header="X-Remote-User"
    )
    started = [*command(trusting.settings, "--only", "pages")]
    started.remove("--demo")
    started.remove("--allow-unsafe")
    more = ["--trusted-proxy", "127.0.0.1", "--user-header", "X-Remote-User"]
    with subprocess.Popen([*started, *more], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: answers(trusting), "the server answers")
            for name, found in ((b"X-Remote-User", b"Alex"), (b"X_Remote_User", b"/sign-in")):
                host = f"Host: 127.0.0.1:{site.settings.port}".encode()
                answer = raw(
                    trusting, b"GET / HTTP/1.1\r\n" + host + b"\r\nConnection: close\r\n" + name + b": root\r\n\r\n"
                )
                assert found in answer
                assert (b"Alex" in answer) == (name == b"X-Remote-User")
        finally:
            server.terminate()


def test_behind_tls_cookies_and_browsers_stay_there(root: Path) -> None:
    site = make_site(root, public_url="https://grader.uni.example")
    answer = site.app.test_client().get("/sign-in", base_url="https://grader.uni.example")
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    link = site.app.test_client().get(site.invite("ada"), base_url="https://grader.uni.example")
    cookie = link.headers["Set-Cookie"]
    assert cookie.startswith("__Host-autograder=")
    for part in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
        assert part in cookie
    assert site.app.test_client().get("/sign-in", base_url="https://evil.example").status_code == 400


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("login", ["", *PEOPLE])
def test_every_page_forbids_what_it_does_not_need(site: Site, login: str) -> None:
    quiet = Site(replace(site.settings, demo=False))
    key = quiet.key("ada-1")
    waiting = quiet.browser("ada").hand_in("x = 1\n").headers["Location"]
    for path in ("/", "/sign-in", "/class/toy", f"/hand-ins/{key}", "/nowhere", waiting):
        answer = quiet.browser(login).get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        waits = 'id="waiting"' in answer.text
        scripts = f" '{hash_page_script_for_csp()}'" * ('<div class="result">' in answer.text) + " 'self'" * waits
        allowed = f"; script-src{scripts}" if scripts else ""
        assert policy == f"{PAGE}{allowed}" + "; connect-src 'self'" * waits
        if path == waiting:
            assert waits == (login == "ada" or PEOPLE.get(login, ("student",))[0] != "student")
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert not re.search(
            r"<script(?! src=\"/static/waiting.js\" type=\"module\"></script>)|<style|\sstyle=|\son\w+=|javascript:",
            answer.text,
        )
        assert not re.findall(r'(?:src|href|action)="(?!/|#)', answer.text)
