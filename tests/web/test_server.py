"""A real server: what it refuses before a page sees it, and that every receipt has its result whatever is killed."""

from __future__ import annotations

import http.client
import os
import random
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from tests.running import is_running
from tests.toy import RIGHT
from tests.web.conftest import PEOPLE, TOKEN, Site, command, make_site, wait_until

SLOW = f"import time\ntime.sleep(0.2)\n{RIGHT}"


class Visitor:
    """A browser of somebody at a real server; it tries again while the server is away."""

    def __init__(self, url: str, login: str) -> None:
        self._url = url
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.send("/demo", "/sign-in", login=login)

    def get(self, path: str) -> str:
        with self._opener.open(self._url + path, timeout=30) as answer:
            return str(answer.read().decode())

    def send(self, path: str, page: str = "", **fields: str) -> str:
        """Send a form, and return the path of the page that comes then."""
        found = TOKEN.search(self.get(page or path))
        assert found
        data = urllib.parse.urlencode({"csrf_token": found[1], **fields}).encode()
        with self._opener.open(self._url + path, data, timeout=30) as answer:
            return str(answer.url.removeprefix(self._url))

    def hand_in(self, code: str) -> str:
        """Hand in until there is a receipt; the same file sent twice is one attempt while it waits."""
        end = time.monotonic() + 60
        while True:
            try:
                return self.send("/assignments/toy", code=code)
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, urllib.error.HTTPError) and error.code == 429:
                    time.sleep(5)
                assert time.monotonic() < end
                time.sleep(0.3)


@contextmanager
def served(site: Site) -> Iterator[subprocess.Popen[bytes]]:
    """Both processes of a server, and the one above them."""
    log, started = site.settings.place.output_folder / "log", command(site.settings, "--workers", "2")
    with log.open("wb") as written, subprocess.Popen(started, stderr=written) as server:
        try:
            wait_until(lambda: answers(site), "the server answers")
            yield server
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(60) == 0, log.read_text(encoding="utf-8")


def answers(site: Site) -> bool:
    try:
        with urllib.request.urlopen(f"{site.settings.url}/sign-in", timeout=5):
            return True
    except OSError:
        return False


def children(server: subprocess.Popen[bytes]) -> dict[str, int]:
    """The processes that a server started, by what they do."""
    found = {}
    for pid in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text(encoding="ascii").split():
        line = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
        if match := re.search(r"--only\0(pages|worker)", line):
            found[match[1]] = int(pid)
    return found


@pytest.fixture
def site(root: Path, free_port: int) -> Site:
    return make_site(root, port=free_port, demo=True)


def raw(site: Site, request: bytes, seconds: float = 20.0) -> bytes:
    """What a server answers to these very bytes."""
    with socket.create_connection((site.settings.host, site.settings.port), timeout=seconds) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        with suppress(ConnectionResetError):  # it did not read to the end
            while part := connection.recv(65536):
                answer += part
    return answer


def kill_again_and_again(site: Site, times: int) -> None:
    """Kill pages or worker while students hand in; then every receipt must have its result."""
    receipts: list[tuple[Visitor, str]] = []
    chance = random.Random(18)
    with served(site) as server:
        visitors = [Visitor(site.settings.url, login) for login in ("ada", "bob", "cy")]
        for number in range(times):
            receipts += [(visitor, visitor.hand_in(f"{SLOW}# {number}\n")) for visitor in visitors]
            victim = "worker" if number % 3 else "pages"
            wait_until(lambda victim=victim: victim in children(server), f"{victim} runs")  # type: ignore[misc]
            time.sleep(chance.uniform(0.0, 2.0))
            os.kill(children(server)[victim], signal.SIGKILL)
        wait_until(lambda: answers(site), "the server answers again")
        wait_until(lambda: {one.state for one in site.hand_ins()} <= {"graded", "failed"}, "all have an end", 240)
        assert {one.problem for one in site.hand_ins()} == {""}
        pages = [visitor.get(path) for visitor, path in receipts]
    assert len({path for _, path in receipts}) == 3 * times
    assert all("<iframe" in page for page in pages)
    mine = [one for one in site.hand_ins() if one.attempt > 2 or one.owner != "ada"]
    assert len(mine) >= 3 * times  # nothing is lost
    numbers = [one.submission for one in site.hand_ins()]
    assert len({*numbers}) == len(numbers)  # and nothing is there twice


def test_every_receipt_has_its_result_although_processes_are_killed(site: Site) -> None:
    kill_again_and_again(site, 3)


@pytest.mark.thorough
def test_every_receipt_has_its_result_although_processes_are_killed_often(site: Site) -> None:
    kill_again_and_again(site, 20)


def test_both_processes_end_when_the_one_above_them_is_killed(site: Site) -> None:
    with subprocess.Popen(command(site.settings), stderr=subprocess.DEVNULL) as server:
        wait_until(lambda: answers(site) and len(children(server)) == 2, "the server answers")
        started = [*children(server).values()]
        server.kill()
        server.wait()
        wait_until(lambda: not any(map(is_running, started)), "both end", 30)


def test_what_http_does_not_allow_or_no_browser_sends_does_not_reach_a_page(site: Site) -> None:
    with served(site):
        host = f"Host: 127.0.0.1:{site.settings.port}\r\n".encode()
        huge = raw(site, b"GET / HTTP/1.1\r\n" + host + b"X-Long: " + b"x" * 40_000 + b"\r\n\r\n")
        assert huge.startswith(b"HTTP/1.0 431") or huge.startswith(b"HTTP/1.1 431")
        large = raw(site, b"POST /demo HTTP/1.1\r\n" + host + b"Content-Length: 99999999999\r\n\r\n")
        assert b" 413 " in large.partition(b"\r\n")[0]
        other = raw(site, b"GET /sign-in HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        assert b" 400 " in other.partition(b"\r\n")[0]
        twice = raw(
            site,
            b"POST /demo HTTP/1.1\r\n" + host + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"
            b"Connection: close\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
        )
        assert b" 200 " not in twice.partition(b"\r\n")[0]


def test_slow_bodies_keep_no_thread_from_others(site: Site) -> None:
    with served(site):
        slow = []
        for _ in range(30):
            connection = socket.create_connection((site.settings.host, site.settings.port))
            host = f"127.0.0.1:{site.settings.port}"
            connection.sendall(f"POST /demo HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\nx".encode())
            slow.append(connection)
        try:
            started = time.monotonic()
            assert answers(site)
            assert time.monotonic() - started < 5
        finally:
            for connection in slow:
                connection.close()


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


@pytest.mark.parametrize("login", ["", *PEOPLE])
def test_every_page_forbids_what_it_does_not_need(site: Site, login: str) -> None:
    quiet = Site(replace(site.settings, demo=False))
    key = quiet.key("ada-1")
    for path in ("/", "/sign-in", "/class/toy", f"/hand-ins/{key}", f"/hand-ins/{key}/report", "/nowhere"):
        answer = quiet.browser(login).get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        is_report = path.endswith("/report") and answer.status_code == 200
        assert ("script-src" in policy, "style-src 'unsafe-inline'" in policy) == (is_report, is_report)
        assert "sandbox allow-scripts" in policy or not is_report
        assert not re.search("script-src[^;]*unsafe|allow-same-origin", policy + answer.text)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        if not path.endswith("/report"):
            assert not re.search(r"<script|<style|\sstyle=|\son\w+=|javascript:", answer.text)
            assert not re.findall(r'(?:src|href|action)="(?!/|#)', answer.text)
