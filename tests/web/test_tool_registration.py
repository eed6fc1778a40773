"""A platform registers this tool by a link of an administrator's, once, and only for itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Response
from werkzeug.test import TestResponse

from autograder.web.lti.administration import create_registration_link
from autograder.web.store.lti.audit import LtiActor
from tests.web.conftest import Site
from tests.web.lti.fake_platform import FakePlatform, serve_platform
from tests.web.lti_site import HERE


def configuration(fake: FakePlatform, **changes: Any) -> Response:
    told = {
        "issuer": fake.url, "authorization_endpoint": f"{fake.url}/auth", "token_endpoint": f"{fake.url}/token",
        "jwks_uri": f"{fake.url}/keys", "registration_endpoint": f"{fake.url}/register",
        "https://purl.imsglobal.org/spec/lti-platform-configuration": {"product_family_code": "moodle"}, **changes,
    }  # fmt: skip
    return Response(json.dumps(told))


@pytest.fixture
def fake() -> Iterator[FakePlatform]:
    with serve_platform() as served:
        served.answers["configuration"] = configuration(served)
        tool = {"https://purl.imsglobal.org/spec/lti-tool-configuration": {"deployment_id": "5"}, "client_id": "new"}
        served.answers["register"] = Response(json.dumps(tool))
        yield served


def make_link(site: Site, *, allow_private: bool) -> str:
    """Make a link to register; that private networks are allowed is what the command line says."""
    made: str = site.in_store(
        lambda store: create_registration_link(store, "", LtiActor("test"), allow_private=allow_private)
    )
    return made


def send(site: Site, link: str, url: str, headers: Any = None) -> TestResponse:
    form = {"url": url, "registration_token": "reg-secret"}
    return site.browser().client.post(link, data=form, headers=headers or HERE)


def test_moodle_registers_by_a_link_once(site: Site, fake: FakePlatform) -> None:
    link, url = make_link(site, allow_private=True), f"{fake.url}/configuration"
    shown = site.browser().client.get(
        link, query_string={"openid_configuration": url, "registration_token": "reg-secret"}
    )
    assert fake.url in shown.text
    assert fake.requests == []  # looking at it asks nothing
    assert "is known here as moodle" in send(site, link, url).text
    (kept,) = site.in_store(lambda store: store.lti_platforms.list_active())
    assert (kept.issuer, kept.client_id, kept.deployments, kept.kind) == (fake.url, "new", ("5",), "moodle")
    ((_, _, headers, body),) = fake.asked("register")
    assert headers["Authorization"] == "Bearer reg-secret"
    assert json.loads(body)["token_endpoint_auth_method"] == "private_key_jwt"
    assert send(site, link, url).status_code == 400
    assert len(fake.asked("register")) == 1


def test_only_a_link_of_an_administrator_registers(site: Site, fake: FakePlatform) -> None:
    root = site.browser("root")
    shown = root.post("/lms/registration-link", page="/lms").text
    link = re.search(r"<code>http://127.0.0.1:8000(/lti/register/[^<]+)</code>", shown)
    assert link
    for made_up in ("x" * 43, "x", "../../lms"):
        assert send(site, f"/lti/register/{made_up}", f"{fake.url}/configuration").status_code in (400, 404, 405)
    assert fake.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "{fake}/configuration", "https://127.0.0.1/x", "https://169.254.169.254/latest/meta-data", "https://10.0.0.1/",
        "https://localhost/", "http://1.1.1.1/", "file:///etc/passwd", "", "https://[::ffff:10.0.0.1]/",
    ],
)  # fmt: skip
def test_a_registration_url_in_here_is_not_asked(site: Site, fake: FakePlatform, url: str) -> None:
    answer = send(site, make_link(site, allow_private=False), url.format(fake=fake.url))
    assert answer.status_code == 400
    assert fake.requests == []
    assert site.in_store(lambda store: store.lti_platforms.list_active()) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "https://evil.example"}, {"registration_endpoint": "https://evil.example/register"},
        {"token_endpoint": "file:///etc/passwd"}, {"jwks_uri": ""}, {"issuer": 7},
    ],
)  # fmt: skip
def test_a_platform_that_speaks_for_another_is_not_believed(
    site: Site, fake: FakePlatform, changes: dict[str, Any]
) -> None:
    fake.answers["configuration"] = configuration(fake, **changes)
    assert send(site, make_link(site, allow_private=True), f"{fake.url}/configuration").status_code == 400
    assert fake.asked("register") == []
    assert site.in_store(lambda store: store.lti_platforms.list_active()) == []


def test_what_a_platform_leaves_null_keeps_it_from_no_registration(site: Site, fake: FakePlatform) -> None:
    claim = {"https://purl.imsglobal.org/spec/lti-platform-configuration": {"product_family_code": None}}
    fake.answers["configuration"] = configuration(fake, authorization_server=None, **claim)
    send(site, make_link(site, allow_private=True), f"{fake.url}/configuration")
    (platform,) = site.in_store(lambda store: store.lti_platforms.list_active())
    assert (platform.name, platform.token_audience) == ("lms", "")


@pytest.mark.parametrize(
    "answer",
    [
        Response(status=500),
        Response("{}"),
        Response("x"),
        Response('{"client_id": ""}'),
        Response('{"x": ' + "[" * 100_000 + "]" * 100_000 + "}"),
    ],
)
def test_a_registration_that_fails_keeps_nothing(site: Site, fake: FakePlatform, answer: Response) -> None:
    fake.answers["register"] = answer
    refused = send(site, make_link(site, allow_private=True), f"{fake.url}/configuration")
    assert refused.status_code == 400
    assert "reg-secret" not in refused.text
    assert site.in_store(lambda store: store.lti_platforms.list_active()) == []


def test_another_site_cannot_register(site: Site, fake: FakePlatform) -> None:
    link = make_link(site, allow_private=True)
    assert send(site, link, f"{fake.url}/configuration", {"Origin": "https://evil.example"}).status_code == 400
    assert fake.requests == []
