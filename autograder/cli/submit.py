"""``autograder submit``: hand in to a course on the web, from a terminal or from a repository's job."""

from __future__ import annotations

import json
import os
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit

import click
import msgspec

from autograder.cli.terminal import exit_on_fault, make_console_without_markup, print_line
from autograder.course.deadline_rules import format_time_for_people
from autograder.faults import CallerFault, KitFault, ServiceFault, make_file_fault
from autograder.reports import ScoreReport, terminal_report
from autograder.text import escape_for_display

TOKEN = "AUTOGRADER_TOKEN"
"""The environment variable with the token; every user of the machine could read it on a command line."""
ANSWER_SECONDS = 60.0
POLL_SECONDS = (2.0, 20.0)
"""The first pause between two questions whether the result is there, and the longest."""
MOST_FAILURES = 10
"""Questions in a row that may stay without an answer, as while the server is started again."""
DONE = ("graded", "failed")


@click.command()
@click.argument("assignment")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--url", envvar="AUTOGRADER_URL", help="The course's address; AUTOGRADER_URL by default.")
@click.option("--no-wait", is_flag=True, help="Print the receipt, and do not wait for the result.")
@exit_on_fault
def command(assignment: str, file: Path, url: str | None, no_wait: bool) -> None:
    """Hand FILE in to ASSIGNMENT of a course on the web, wait, and show the result.

    The page of your account in that course makes the token for it, and shows two lines to copy, which set
    AUTOGRADER_URL and AUTOGRADER_TOKEN.

    Ctrl-C ends the waiting alone: what has a receipt is graded. The exit code says whether the file was handed in,
    not how many points it has.
    """
    server = _Server(_require_address(url), _require_token())
    try:
        content = file.read_bytes()
    except OSError as error:
        raise make_file_fault(error, file) from error
    where = f"/api/assignments/{quote(assignment, safe='')}/hand-ins?file={quote(file.name)}"
    receipt = server.ask(where, content)
    moment = format_time_for_people(datetime.fromisoformat(receipt["handed_in"]).astimezone())
    attempt = f"attempt {receipt['attempt']}, {moment}, SHA-256 {receipt['sha256']}"
    was_there = "the very file was handed in before and costs no attempt:"
    print_line(f"handed in as {attempt}" if receipt["is_new"] else f"{was_there} {attempt}", soft_wrap=True)
    if not no_wait:
        receipt = _wait_for_result(server, receipt)
        _print_result(receipt)
    print_line(f"on the web: {receipt['url']}", soft_wrap=True)


class _Server:
    """A course on the web, as a student with a token."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
        self._opener = urllib.request.build_opener(_NoRedirect)  # which would send the token elsewhere

    def ask(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        """Return what the server answers to a question, or to a file.

        Raises:
            CallerFault: the server refuses it, and says why.
            ServiceFault: there is no answer, or none of this kit's.
        """
        request = urllib.request.Request(self.url + path, body, self._headers)
        try:
            with self._opener.open(request, timeout=ANSWER_SECONDS) as response:
                answer = json.load(response)
        except HTTPError as error:
            raise self._read_refusal(error) from error
        except (OSError, ValueError) as error:
            text = escape_for_display(str(getattr(error, "reason", error)), 200)
            raise ServiceFault(f"there is no answer: {text}", self.url, "try again in a moment") from error
        if not isinstance(answer, dict) or "state" not in answer:
            raise ServiceFault(
                "the answer is not that of `autograder serve`", self.url, "compare it with the page's address"
            )
        return answer

    def _read_refusal(self, error: HTTPError) -> CallerFault | ServiceFault:
        try:
            text = escape_for_display(str(json.load(error)["error"]), 1000).removesuffix(".")
        except (ValueError, KeyError, TypeError, OSError):
            advice = "compare the address with that of your account's page"
            return ServiceFault(f"the server answers with status {error.code}", self.url, advice)
        if error.code >= 500 or error.code == 429:
            return ServiceFault(text, self.url, "nothing was handed in: try again later")
        return CallerFault(text, self.url)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _require_address(url: str | None) -> str:
    advice = "copy both lines from the page of your account"
    if not url:
        raise CallerFault("no course is named", "--url", advice)
    if urlsplit(url).scheme not in ("http", "https"):
        raise CallerFault(f"'{escape_for_display(url, 80)}' is not the address of a course", "--url", advice)
    return url.rstrip("/")


def _require_token() -> str:
    token = os.environ.get(TOKEN, "").strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise CallerFault("there is no token", TOKEN, "make one on the page of your account, and copy its lines")
    return token


def _wait_for_result(server: _Server, receipt: dict[str, Any]) -> dict[str, Any]:
    """Ask until the result is there; a server that does not answer for a while costs nothing."""
    pause, failures = POLL_SECONDS[0], 0
    with _show_waiting() as show:
        while receipt["state"] not in DONE:
            show(escape_for_display(str(receipt.get("progress", "")), 200))
            time.sleep(pause)
            pause = min(pause * 1.3, POLL_SECONDS[1])
            try:
                receipt = server.ask(f"/api/hand-ins/{receipt['key']}")
                failures = 0
            except ServiceFault:
                failures += 1
                if failures == MOST_FAILURES:
                    raise
    return receipt


@contextmanager
def _show_waiting() -> Iterator[Any]:
    console = make_console_without_markup(stderr=True)
    if not console.is_terminal:
        said = [""]

        def say(text: str) -> None:
            if text != said[-1]:
                said.append(text)
                print_line(text, to_stderr=True)

        yield say
        return
    with console.status("") as status:
        yield status.update


def _print_result(receipt: dict[str, Any]) -> None:
    if receipt["state"] == "failed":
        raise KitFault(
            "the grader failed on this file; the staff has been told, and it costs you no attempt",
            receipt["url"],
            "look there later",
        )
    if receipt["report"] is None:
        print_line("graded; the course shows results later")
        return
    try:
        report = msgspec.convert(receipt["report"], type=ScoreReport)
    except msgspec.ValidationError as error:
        advice = "look at the page; the server has another version of the kit"
        raise ServiceFault(f"the result cannot be read here: {error}", receipt["url"], advice) from error
    terminal_report.print_report(report, make_console_without_markup())
