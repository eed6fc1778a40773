"""Walk through the demo of the web: act as its people do, then read every page that links lead to."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path

import requests

from autograder.batch.batch_location import BatchLocation
from autograder.web.settings import CourseServerSettings
from tests.cli.commands import AUTOGRADER
from tests.recording.comparison import read_visible_text, steady
from tests.recording.programs import ROOT
from tests.web.small_class import add_small_class

PEOPLE = ("ada", "bob", "chen", "tess", "ines", "admin")
HOME, CLASS = "/assignments/autograd-engine", "/class/autograd-engine"
BOB = f"{CLASS}/students/bob"
DECISIONS: Mapping[str, Mapping[str, str]] = {
    "override": {"concept": "forward", "points": "3"},
    "comment": {"text": "Well <b>done</b>."},
    "points": {"points": "-1", "for": "style"},
    "reopen": {"until": "2099-01-31T12:00+01:00"},
    "extend": {"until": "2 days"},
    "undo": {"decision": "1"},
}
LINK = re.compile(r'href="(/[^"#]*)')
KEY = re.compile(r"(?<=/)[\w-]{24}(?=/|$)")
QUEUE = re.compile(r"Waiting\n0\nBeing graded\n0\nGraded\n(\d+)")
WAIT = 900


class Site:
    """A server of the demo, and a browser for each of its people."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.browsers = {person: requests.Session() for person in PEOPLE}
        self.keys: dict[str, str] = {}
        """The names that stand for random keys, in the order in which they were seen."""

    def sign_in(self) -> None:
        """Sign everybody in, as a click does."""
        for person in PEOPLE:
            assert self.post(person, "/demo", "/sign-in", {"login": person}).url == f"{self.address}/"

    def get(self, person: str, path: str) -> requests.Response:
        """Return a page as one of the people sees it."""
        return self.browsers[person].get(self.address + path, timeout=WAIT)

    def post(
        self, person: str, path: str, page: str, fields: Mapping[str, str], file: Path | None = None
    ) -> requests.Response:
        """Send a form of a page."""
        files = {"file": (file.name, file.read_bytes())} if file else None
        form = {"csrf_token": self.find(person, page, r'name="csrf_token" value="([^"]+)"'), **fields}
        return self.browsers[person].post(self.address + path, data=form, files=files, timeout=WAIT)

    def wait_until_graded(self, count: int) -> None:
        """Wait until so many hand-ins are graded, and none waits."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            queue = QUEUE.search(read_visible_text(self.get("admin", "/health").text))
            if queue and int(queue[1]) >= count:
                return
            time.sleep(0.5)
        raise TimeoutError(f"{count} hand-ins are not graded")

    def find(self, person: str, page: str, pattern: str) -> str:
        """Return what the group of a pattern matches first on a page."""
        found = re.search(pattern, self.get(person, page).text)
        assert found, f"{person} does not see {pattern} on {page}"
        return found[1]

    def name_keys(self, path: str) -> str:
        """Return a path with names in place of random keys."""
        return KEY.sub(lambda found: self.keys.setdefault(found[0], f"key-{len(self.keys) + 1}"), path)


def record_website(place: Path, environment: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return what each of the people sees on each page, and what forms answered."""
    with serve_demo(place / "web", environment) as site:
        answers = act(site)
        pages = {f"{person} {path}": text for person in PEOPLE for path, text in crawl(site, person)}
    seen = {"forms": answers, "pages": pages}
    return {area: {name: steady(text, place) for name, text in texts.items()} for area, texts in seen.items()}


@contextlib.contextmanager
def serve_demo(out: Path, environment: Mapping[str, str]) -> Iterator[Site]:
    """Serve the demo of a small class on a free port."""
    add_small_class(CourseServerSettings(ROOT, BatchLocation(out)))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = f"serve --demo --course {ROOT} --out {out} --port {port} --allow-unsafe --workers 2"
    silent = subprocess.DEVNULL
    server = subprocess.Popen([AUTOGRADER, *words.split()], env=environment, stdout=silent, stderr=silent)
    site = Site(f"http://127.0.0.1:{port}")
    try:
        for _ in range(WAIT):
            with contextlib.suppress(requests.ConnectionError):
                site.sign_in()
                break
            time.sleep(1)
        yield site
    finally:
        os.kill(server.pid, signal.SIGTERM)
        server.wait()


def act(site: Site) -> dict[str, str]:
    """Do what students and staff do by forms; return the pages that answered."""
    site.wait_until_graded(7)
    for example in ("overwrites.py", "notebook.ipynb"):
        site.post("ada", HOME, HOME, {}, ROOT / "examples" / "submissions" / example)
    site.wait_until_graded(9)
    answers = {
        action: site.post("ines", f"{BOB}/{action}", BOB, {"attempt": "bob-1", "reason": "as agreed", **fields})
        for action, fields in DECISIONS.items()
    }
    hand_in = site.find("bob", HOME, r'href="(/hand-ins/[^/"]+)"')
    answers["ask"] = site.post("bob", f"{hand_in}/ask", f"{hand_in}/ask", {"text": "Why not more?", "test": ""})
    inquiry = site.find("tess", "/inquiries", r'href="(/inquiries/[^"]+)"')
    reply = {"text": "See line 3.", "seen": site.find("tess", inquiry, r'name="seen" value="([^"]*)"')}
    answers["answer"] = site.post("tess", f"{inquiry}/answer", inquiry, reply)
    export = f"{CLASS}/export"
    answers["export"] = site.post("ines", export, export, {"platform": "nbgrader", "do": "preview"})
    return {name: f"{answer.status_code}\n{read_visible_text(answer.text)}" for name, answer in answers.items()}


def list_links(page: str) -> list[str]:
    """Return the links of a page to the same site."""
    return [unescape(link) for link in LINK.findall(page)]


def crawl(site: Site, person: str) -> Iterator[tuple[str, str]]:
    """Yield every page that somebody can reach by links, and what is seen of it."""
    waiting, known = ["/"], {"/"}
    for path in waiting:
        answer = site.get(person, path)
        kind = answer.headers["Content-Type"]
        text = answer.text
        if kind.startswith("text/html"):
            links = [*dict.fromkeys(one for one in list_links(text) if one not in known and "/static/" not in one)]
            known.update(links)
            waiting += links
            text = read_visible_text(text)
        if not path.endswith("report.json"):  # `batch` writes the same
            yield site.name_keys(path), f"{answer.status_code} {kind}\n{text}"
