"""A real server with both its processes, and browsers of people who try again while it is away."""

from __future__ import annotations

import http.client
import re
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path

from tests.web.conftest import TOKEN, Site, command, wait_until


class Visitor:
    """A browser of somebody at a real server; it tries again while the server is away."""

    def __init__(self, url: str, login: str) -> None:
        self._url = url
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.send("/demo", "/sign-in", login=login)

    def get(self, path: str) -> str:
        with self._opener.open(self._url + path, timeout=300) as answer:
            return str(answer.read().decode())

    def send(self, path: str, page: str = "", **fields: str) -> str:
        """Send a form, and return the path of the page that comes then."""
        found = TOKEN.search(self.get(page or path))
        assert found
        data = urllib.parse.urlencode({"csrf_token": found[1], **fields}).encode()
        with self._opener.open(self._url + path, data, timeout=300) as answer:
            return str(answer.url.removeprefix(self._url))

    def hand_in(self, code: str) -> str:
        """Hand in until there is a receipt; the same file sent twice is one attempt while it waits."""
        end = time.monotonic() + 300
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
    log, started = site.settings.location.output_folder / "log", command(site.settings, "--workers", "2")
    with log.open("wb") as written, subprocess.Popen(started, stderr=written) as server:
        try:
            wait_until(lambda: answers(site), "the server answers")
            yield server
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(300) == 0, log.read_text(encoding="utf-8")


def answers(site: Site) -> bool:
    try:
        with urllib.request.urlopen(f"{site.settings.course_url}/sign-in", timeout=300):
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
