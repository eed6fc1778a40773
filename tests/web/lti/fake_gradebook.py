"""A gradebook with the rules of Moodle, Open edX or Canvas, that does to requests what a test says, and logs them."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import jwt
from flask import Flask, Response, jsonify, request

from autograder.web.lti.tool import RESULT_READ_ONLY, SCORE, ToolSigningKeyFile
from autograder.web.store.lti.platforms import LtiPlatform, PlatformKind
from autograder.web.store.server_store import ServerStore
from tests.web.lti.local_server import serve_app

ITEM = "mod/lti/services.php/2/lineitems/2/lineitem"
Fault = Literal["", "401", "403", "409", "429", "500", "503", "drop before", "drop after", "hang after", "late"]
FAULTS: tuple[Fault, ...] = ("401", "403", "409", "429", "503", "drop before", "drop after", "hang after", "late")


@dataclass
class Entry:
    """One request to the gradebook."""

    what: str
    user: str
    status: int
    fault: Fault = ""
    message: dict[str, Any] = field(default_factory=dict)
    is_stored: bool = False


@dataclass
class FakeGradebook:
    """One line item of a platform.

    Attributes:
        kind: whose rules hold, those of 5.4 in what was measured.
        ahead: seconds by which its clock is ahead.
        faults: what happens to the next requests, in order; nothing when it is empty.
        fault_rate: how often a request gets a fault by chance besides.
        keys: the tool's keys, which it fetches when a signature is by another than those it knows.
    """

    keys: ToolSigningKeyFile
    kind: PlatformKind = "moodle"
    ahead: float = 0.0
    maximum: float = 100.0
    teachers: frozenset[str] = frozenset()
    overridden: set[str] = field(default_factory=set)
    """Whose mark a person set: a message changes it no more."""
    locked: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    fault_rate: float = 0.0
    later: Callable[[Callable[[], object]], object] = lambda act: threading.Timer(1.5, act).start()
    """Does what arrives late."""
    is_deleted: bool = False
    """Whether somebody deleted the line item."""
    url: str = ""
    grades: dict[str, tuple[float, str, datetime]] = field(default_factory=dict)
    """Points out of ``maximum``, the comment, and when it was written, or with which timestamp."""
    log: list[Entry] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    known_keys: dict[str, Any] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    @property
    def line_item_url(self) -> str:
        return f"{self.url}/{ITEM}?type_id=1"

    @property
    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.ahead)

    def app(self) -> Flask:
        app = Flask("gradebook")
        app.add_url_rule("/token", view_func=self.give_token, methods=["POST"])
        app.add_url_rule(f"/{ITEM}/results", view_func=self.show_results)
        app.add_url_rule(f"/{ITEM}/scores", view_func=self.take_score, methods=["POST"])
        return app

    def give_token(self) -> Any:
        kid = jwt.get_unverified_header(request.form["client_assertion"])["kid"]
        known = self.known_keys
        if kid not in known:  # the key set is fetched again, too late for this request
            self.known_keys = {one["kid"]: one for one in self.keys.get_or_make_public_jwks()["keys"]}
            if known:
                return {"error": "invalid_client"}, 401
            known = self.known_keys
        claims = jwt.decode(
            request.form["client_assertion"], jwt.PyJWK(known[kid]).key, ["RS256"], audience=f"{self.url}/token",
            leeway=90,
        )  # fmt: skip
        assert claims["sub"] == "client"
        assert {*request.form["scope"].split()} <= {RESULT_READ_ONLY, SCORE}
        token = f"token-{self.chance.random()}"
        self.tokens.add(token)
        return {"access_token": token, "token_type": "Bearer", "expires_in": 3600}

    def show_results(self) -> Any:
        assert request.args["type_id"] == "1"
        user = request.args.get("user_id", "")
        refused = self.refuse("results", user)
        if refused is not None:
            return refused
        with self.lock:
            found = [self.describe(name) for name in self.grades if user in ("", name)]
        self.log.append(Entry("results", user, 200))
        return jsonify(found)

    def describe(self, user: str) -> dict[str, Any]:
        points, comment, moment = self.grades[user]
        made = {"userId": user, "resultScore": points, "resultMaximum": self.maximum, "comment": comment}
        return {**made, "timestamp": moment.isoformat(timespec="seconds")} if self.kind == "moodle" else made

    def take_score(self) -> Any:
        assert request.args["type_id"] == "1"
        assert request.content_type == "application/vnd.ims.lis.v1.score+json"
        message: dict[str, Any] = request.get_json(force=True)
        user = message["userId"]
        refused = self.refuse("score", user, message)
        if refused is not None:
            return refused
        status, body = self.store(message)
        return Response(body, status, mimetype="application/json")

    def refuse(self, what: str, user: str, message: dict[str, Any] | None = None) -> Any:
        """Do to a request what a fault says; None if it is answered as it should be."""
        message = message or {}
        fault: Fault = self.faults.pop(0) if self.faults else ""
        if not fault and self.chance.random() < self.fault_rate:
            fault = self.chance.choice(FAULTS)
        if fault in ("drop after", "hang after", "late") and what == "results":
            fault = "drop before"
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.tokens or fault == "401":
            self.log.append(Entry(what, user, 401, fault))
            self.tokens.clear()
            return jsonify({"status": 401, "reason": "Unauthorized"}), 401
        if fault in ("409", "429", "500", "503"):
            self.log.append(Entry(what, user, int(fault), fault, message))
            return Response("[]", int(fault), {"Retry-After": "0"})
        if self.is_deleted:
            self.log.append(Entry(what, user, 404))
            return Response("not found", 404)
        if fault == "403":
            self.log.append(Entry(what, user, 403, fault, message))
            return Response("403 Forbidden (Rate Limit Exceeded)", 403)
        if fault == "late":
            self.later(lambda: self.store(message, fault))
        elif fault in ("drop after", "hang after"):
            self.store(message, fault)
        elif fault == "drop before":
            self.log.append(Entry(what, user, 0, fault, message))
        if fault == "hang after":
            request.environ["werkzeug.socket"].recv(1)  # until the other side leaves
        if fault:
            request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            return Response("", 200)
        return None

    def store(self, message: dict[str, Any], fault: Fault = "") -> tuple[int, str]:
        with self.lock:
            status, body = self.judge(message)
            is_stored = status < 300 and message["userId"] not in self.overridden
            self.log.append(Entry("score", message["userId"], status, fault, message, is_stored))
            return status, body

    def judge(self, message: dict[str, Any]) -> tuple[int, str]:
        """Store a message as the platform would."""
        user, timestamp = message["userId"], datetime.fromisoformat(message["timestamp"])
        last = self.grades[user][2] if user in self.grades else None
        is_moodle = self.kind == "moodle"
        if user in self.teachers:
            return (422 if self.kind == "canvas" else 400), "[]"
        if user in self.locked:
            return 500, "[]"
        if last is not None and is_moodle and timestamp.replace(microsecond=0) <= last:
            return 409, "[]"
        if last is not None and self.kind == "openedx" and timestamp <= last:
            return 400, '{"timestamp":["Score already exists for the provided timestamp"]}'
        if last is not None and self.kind == "canvas" and timestamp < last:
            return 400, "Provided timestamp is before last updated timestamp"
        moment = self.now.replace(microsecond=0) if is_moodle else timestamp
        if message.get("gradingProgress") != "FullyGraded" or "scoreGiven" not in message:
            self.grades.pop(user, None)
            return 200, ""
        points = message["scoreGiven"] / message["scoreMaximum"] * self.maximum
        comment = message.get("comment", "")
        if self.kind == "canvas" and user in self.grades:
            comment = comment or self.grades[user][1]
        if user in self.overridden:
            points, comment = self.grades[user][:2]
        self.grades[user] = points, comment, moment
        return (201, "{}") if self.kind == "openedx" else (200, "")

    def override(self, user: str, points: float) -> None:
        """Let a person set a mark in the gradebook."""
        self.grades[user] = points, "", self.now.replace(microsecond=0)
        self.overridden.add(user)


@contextmanager
def serve_gradebook(keys: ToolSigningKeyFile, **settings: Any) -> Iterator[FakeGradebook]:
    """Serve a gradebook at this machine."""
    fake = FakeGradebook(keys, **settings)
    with serve_app(fake.app()) as fake.url:
        yield fake


@dataclass(frozen=True)
class Place:
    """Where the marks of a class go, as the store knows it."""

    platform: LtiPlatform
    context: int
    line_item: int
    people: tuple[int, ...]


def connect(store: ServerStore, fake: FakeGradebook, users: int, assignment: str = "toy") -> Place:
    """Make a gradebook, and so many students of it, known to a store."""
    platform = store.lti_platforms.save_platform(
        LtiPlatform(
            "lms", fake.url, "client", f"{fake.url}/auth", f"{fake.url}/token", f"{fake.url}/keys", ("1",),
            fake.kind, allow_private=True,
        )
    )  # fmt: skip
    context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "", title="Micrograd 101")
    store.lti_contexts.set_connected(context.id, is_connected=True)
    item = store.lti_links.add_or_update(
        context.id, "link", assignment, line_item_url=fake.line_item_url, scopes=[RESULT_READ_ONLY, SCORE]
    )
    people = [
        store.lti_people.add(
            platform.id,
            "1",
            f"u{number}",
            store.accounts.upsert_enrolment("", f"s{number}", "student").account,
        )
        for number in range(users)
    ]
    return Place(platform, context.id, item.id, tuple(one.id for one in people))
