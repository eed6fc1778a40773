"""A server that answers as Canvas's web service does about one assignment: pages, links, limits and refusals."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "7~sesame"
ASSIGNMENT = "/api/v1/courses/101/assignments/4711"
PAGE = 2


@dataclass
class Canvas:
    """What it holds, and how it feels."""

    students: dict[int, dict[str, Any]] = field(default_factory=dict)
    assignment: dict[str, Any] = field(
        default_factory=lambda: {"id": 4711, "name": "HW1", "points_possible": 20.0, "grading_type": "points"}
    )
    answers: list[tuple[int, dict[str, str], str]] = field(default_factory=list)
    """Sent before anything is done, one a request: status, headers, text."""
    puts_answers: list[tuple[int, dict[str, str], str]] = field(default_factory=list)
    """The same, when a score is sent."""
    refused: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Students whose scores are not taken: status and reason."""
    lost: set[int] = field(default_factory=set)
    """Students whose scores are taken, and then the line breaks."""
    meanwhile: dict[int, Callable[[], None]] = field(default_factory=dict)
    """What happens to a student's score just before the next one looks at it alone."""
    before_listing: Callable[[], None] = lambda: None
    """What happens before the first page of all scores is read."""
    may_grade: bool = True
    token: str = TOKEN
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def add(self, id_: int, sortable: str, score: float | None = None, **more: Any) -> None:
        """One more student."""
        user = {"id": id_, "sortable_name": sortable, "name": sortable, "login_id": f"login{id_}"}
        self.students[id_] = {
            "user_id": id_,
            "assignment_id": 4711,
            "score": score,
            "entered_score": score,
            "excused": False,
            "assignment_visible": True,
            "user": user,
            "submission_comments": [],
            **more,
        }

    def comments(self, id_: int) -> list[str]:
        """What was said to a student."""
        return [one["comment"] for one in self.students[id_]["submission_comments"]]

    @property
    def puts(self) -> list[tuple[str, dict[str, str]]]:
        """The scores that were sent."""
        return [(path, sent) for method, path, sent in self.requests if method == "PUT"]

    def take(self, id_: int, sent: dict[str, str]) -> None:
        """Do as a teacher says."""
        one = self.students[id_]
        if "submission[posted_grade]" in sent:
            one["score"] = one["entered_score"] = float(sent["submission[posted_grade]"])
            one["graded_at"] = f"2026-11-22T10:00:{len(self.puts):02}Z"
        if "comment[text_comment]" in sent:
            one["submission_comments"].append({"id": 1, "comment": sent["comment[text_comment]"]})


def _handler(canvas: Canvas) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._serve()

        def do_PUT(self) -> None:
            self._serve()

        def _serve(self) -> None:
            address = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            sent = {key: values[-1] for key, values in parse_qs(body).items()}
            canvas.requests.append((self.command, address.path, sent))
            waiting = canvas.puts_answers if self.command == "PUT" and not canvas.answers else canvas.answers
            if waiting:
                status, headers, text = waiting.pop(0)
                self._answer(status, text, headers)
            elif self.headers.get("Authorization") != f"Bearer {canvas.token}":
                problem = json.dumps({"errors": [{"message": "Invalid access token."}]})
                self._answer(401, problem, {"WWW-Authenticate": 'Bearer realm="canvas-lms"'})
            elif address.path == "/api/v1/courses/101/assignments/4711":
                self._answer(200, json.dumps({**canvas.assignment, "course_id": 101}))
            elif address.path == "/api/v1/users/self":
                self._answer(200, json.dumps({"id": 7, "name": "Kim Teacher"}))
            elif address.path == "/api/v1/courses/101/permissions":
                self._answer(200, json.dumps({"manage_grades": canvas.may_grade}))
            elif address.path == f"{ASSIGNMENT}/submissions":
                self._list(parse_qs(address.query))
            elif match := re.fullmatch(rf"{ASSIGNMENT}/submissions/(\d+)", address.path):
                if self.command == "GET":
                    canvas.meanwhile.pop(int(match[1]), lambda: None)()
                    self._answer(200, json.dumps(canvas.students[int(match[1])]))
                else:
                    self._grade(int(match[1]), sent)
            else:
                self._answer(404, '{"errors":[{"message":"The specified resource does not exist."}]}')

        def _list(self, query: dict[str, list[str]]) -> None:
            assert query.get("include[]", ["user"])[0] == "user"
            page = int(query.get("page", ["1"])[0])
            if page == 1:
                canvas.before_listing()
            all_ = [*canvas.students.values()]
            more = f'<{canvas.url}{ASSIGNMENT}/submissions?page={page + 1}&per_page=2>; rel="next",'
            links = (more if page * PAGE < len(all_) else "") + f'<{canvas.url}{ASSIGNMENT}/submissions>; rel="first"'
            self._answer(200, json.dumps(all_[(page - 1) * PAGE : page * PAGE]), {"Link": links})

        def _grade(self, id_: int, sent: dict[str, str]) -> None:
            if id_ in canvas.refused:
                status, text = canvas.refused[id_]
                self._answer(status, text)
                return
            canvas.take(id_, sent)
            if id_ in canvas.lost:
                self.close_connection = True
                self.connection.close()
                return
            self._answer(200, json.dumps(canvas.students[id_]))

        def _answer(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
            content = text.encode()
            self.send_response(status)
            for key, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A line that was broken on purpose is no error."""


@contextmanager
def running(canvas: Canvas) -> Iterator[Canvas]:
    """It, for as long as this is open."""
    server = _Server(("127.0.0.1", 0), _handler(canvas))
    canvas.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield canvas
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
