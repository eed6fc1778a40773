"""A platform that behaves, or not, as a test says: keys, tokens, line items and members, over real HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from html import escape
from itertools import count
from typing import Any
from urllib.parse import urlencode

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from flask import Flask, Response, request

from autograder.web.store.lti.platforms import LtiPlatform
from tests.web.lti.local_server import serve_app

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"


KEYS = 8


@cache
def make_keys() -> list[RSAPrivateKey]:
    return [generate_private_key(public_exponent=65537, key_size=2048) for _ in range(KEYS)]


TAKEN = count()


def make_key() -> RSAPrivateKey:
    """A key that is none of the last seven; to make one for each test would take longer than most tests."""
    return make_keys()[next(TAKEN) % KEYS]


@contextmanager
def reuse_tool_keys() -> Iterator[None]:
    """Let the tool take its keys from here, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.web.lti.tool.generate_private_key", lambda **_: make_key())
        yield


def describe_key(key: RSAPrivateKey, kid: str) -> dict[str, Any]:
    return {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())), "kid": kid, "use": "sig"}


COURSE_PAGE = """<!DOCTYPE html><title>Course</title><h1>Course</h1>
<iframe src="LOGIN" width="900" height="500"></iframe>
<script>
const kept = {};
window.addEventListener("message", ({ data, source, origin }) => {
  if (data.subject === "lti.put_data") kept[`${origin} ${data.key}`] = data.value;
  const value = kept[`${origin} ${data.key}`];
  const { subject, message_id, key } = data;
  source.postMessage({ subject: `${subject}.response`, message_id, key, value }, origin);
});
</script>"""
"""A course that shows the tool in a frame and keeps its state, as LTI Platform Storage says."""


def send_form(target: str, fields: Mapping[str, str]) -> str:
    """A page that sends a form at once."""
    inputs = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in fields.items())
    script = "<script>document.forms[0].submit()</script>"
    return f'<!DOCTYPE html><form method="post" action="{escape(target)}">{inputs}</form>{script}'


@dataclass
class FakePlatform:
    """One platform with one client; what it was asked is in ``requests``."""

    url: str = ""
    client_id: str = "client-1"
    tool: str = "http://127.0.0.1:8000"
    key: RSAPrivateKey = field(default_factory=make_key)
    kid: str = "key-1"
    token_seconds: int = 3600
    answers: dict[str, Response] = field(default_factory=dict)
    """What a path answers instead of what it would."""
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    tokens: int = 0
    delay: float = 0.0
    is_released: threading.Event = field(default_factory=threading.Event)
    """Ends the delay of every answer."""

    @property
    def platform(self) -> LtiPlatform:
        return LtiPlatform(
            "fake", self.url, self.client_id, f"{self.url}/auth?from=fake", f"{self.url}/token", f"{self.url}/keys",
            ("1",), allow_private=True,
        )  # fmt: skip

    def app(self) -> Flask:
        app = Flask("fake")

        @app.route("/<path:path>", methods=["GET", "POST", "PUT"])
        def answer(path: str) -> Any:
            body = request.get_data()
            self.requests.append((request.method, request.full_path.rstrip("?"), dict(request.headers), body))
            self.is_released.wait(self.delay)
            if path in self.answers:
                return self.answers[path]
            if path == "keys":
                return {"keys": [describe_key(self.key, self.kid)]}
            if path == "course":
                return COURSE_PAGE.replace("LOGIN", self.describe_login(request.args["tool"]))
            if path == "auth":
                fields = {"state": request.args["state"], "id_token": self.answer_login(request.args)}
                return send_form(request.args["redirect_uri"], fields)
            if path == "token":
                self.tokens += 1
                return {"access_token": f"secret-token-{self.tokens}", "expires_in": self.token_seconds}
            return {"path": path}

        return app

    def describe_login(self, tool: str) -> str:
        """The address with which a course begins a launch, in a frame, with storage for its state."""
        fields = {
            "iss": self.url, "login_hint": "5", "client_id": self.client_id, "target_link_uri": f"{tool}/lti/launch",
            "lti_storage_target": "_parent",
        }  # fmt: skip
        return escape(f"{tool}/lti/login?{urlencode(fields)}")

    def answer_login(self, asked: Mapping[str, str]) -> str:
        """The launch that the platform signs for a login."""
        return self.sign(self.claims(asked["nonce"], **{f"{CLAIM}target_link_uri": asked["redirect_uri"]}))

    def asked(self, path: str) -> list[tuple[str, str, dict[str, str], bytes]]:
        return [one for one in self.requests if one[1].partition("?")[0] == f"/{path}"]

    def claims(self, nonce: str, /, **changes: Any) -> dict[str, Any]:
        """The claims of a launch of a student; None takes a claim away."""
        now = int(time.time())
        made = {
            "iss": self.url, "aud": self.client_id, "sub": "7", "nonce": nonce, "iat": now, "exp": now + 60,
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}deployment_id": "1",
            f"{CLAIM}target_link_uri": f"{self.tool}/lti/launch",
            f"{CLAIM}roles": [f"{MEMBERSHIP}#Learner"],
            f"{CLAIM}context": {"id": "2", "title": "Micrograd 101"},
            f"{CLAIM}resource_link": {"id": "link-1", "title": "HW1"},
            f"{CLAIM}custom": {"assignment": "toy"},
            "name": "小龙 李",
        }  # fmt: skip
        return {name: value for name, value in {**made, **changes}.items() if value is not None}

    def sign(self, claims: dict[str, Any], **header: Any) -> str:
        return jwt.encode(claims, self.key, "RS256", headers={"kid": self.kid, **header})


@contextmanager
def serve_platform(**settings: Any) -> Iterator[FakePlatform]:
    """Serve a platform at this machine."""
    fake = FakePlatform(**settings)
    with serve_app(fake.app()) as fake.url:
        yield fake
