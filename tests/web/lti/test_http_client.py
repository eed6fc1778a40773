"""Requests to platforms end in time, are not too large, and go nowhere else."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from flask import Response

from autograder.web.lti import http
from autograder.web.lti.http import HttpClient, RefusedAddress, UnansweredRequest, get_origin, require_permitted_url
from tests.machine import PATIENCE
from tests.web.lti.fake_platform import FakePlatform

OK = b"HTTP/1.1 200 OK\r\n"
DRIPS = [
    (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    (OK + b"Content-Length: 100000\r\n\r\n", b"x"),
    (OK + b"\r\n", b"x"),
    (OK + b"X-Long: ", b"x"),
]
"""How an answer begins, and what comes of it again and again."""


def get(url: str, *, allow_private: bool = True, **settings: Any) -> http.HttpResponse:
    return HttpClient(**settings).send("GET", url, allow_private=allow_private)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/keys", "https://localhost/keys", "https://10.1.2.3/", "https://192.168.0.1/",
        "https://172.16.0.9/", "https://169.254.169.254/latest/meta-data", "https://[::1]/", "https://[fe80::1]/",
        "https://[fd00::1]/", "https://[::ffff:127.0.0.1]/", "https://0.0.0.0/", "https://2130706433/",
        "https://[64:ff9b::a9fe:a9fe]/", "https://[2002:a00:1::]/", "https://[64:ff9b:1::7f00:1]/",
        "https://[64:ff9b:1::808:808]/", "https://[fec0::2]/", "https://[::7f00:1]/", "https://[::ffff:0:7f00:1]/",
        "https://[2001:0:a00:1::f7f7:f7f7]/", "https://[2001:0:808:808::80ff:fffe]/", "https://[2001:db8::1]/",
        "https://[100::1]/", "https://[ff02::1]/", "https://[4000::1]/", "https://192.0.2.1/", "https://198.18.0.1/",
        "https://240.0.0.1/", "https://255.255.255.255/", "https://127.1/", "https://localhost./",
        "https://0x7f.1/", "https://100.64.0.1/", "https://224.0.0.1/", "https://no-such-host.invalid/",
        "http://1.1.1.1/", "ftp://1.1.1.1/", "file:///etc/passwd", "gopher://1.1.1.1/", "//1.1.1.1", "", "https://",
        "https://user@1.1.1.1/", "https://1.1.1.1\\@127.0.0.1/", "https://1.1.1.1/a b", "https://[::1/", "https://1.1.1.1:x/",
    ],
)  # fmt: skip
def test_addresses_in_here_and_no_addresses_are_refused(url: str) -> None:
    with pytest.raises(RefusedAddress):
        get(url, allow_private=False)


@pytest.mark.parametrize(
    "host", ["1.1.1.1", "[2606:4700::1111]", "[::ffff:1.1.1.1]", "[64:ff9b::101:101]", "[2002:101:101::1]"]
)
def test_public_addresses_are_not(host: str) -> None:
    require_permitted_url(f"https://{host}/keys", allow_private=False)


def test_a_name_that_means_another_address_a_moment_later_is_refused(
    fake: FakePlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(fake.url.rpartition(":")[2])
    monkeypatch.setattr(
        http, "require_permitted_url", lambda *_, **__: None
    )  # as if the name had been public just now
    with pytest.raises(RefusedAddress, match="private network"):
        get(f"https://localhost:{port}/keys", allow_private=False)
    assert fake.requests == []


def test_a_redirect_within_the_origin_is_followed(fake: FakePlatform) -> None:
    fake.answers["old"] = Response(status=302, headers={"Location": "/keys?new=1"})
    assert "keys" in get(f"{fake.url}/old").decode_json()


@pytest.mark.parametrize("target", ["http://localhost:{}/keys", "https://127.0.0.1:{}/keys", "//evil.example/"])
def test_a_redirect_to_another_origin_is_not(fake: FakePlatform, target: str) -> None:
    fake.answers["old"] = Response(status=302, headers={"Location": target.format(fake.url.rpartition(":")[2])})
    assert get(f"{fake.url}/old").status == 302
    assert fake.asked("keys") == []


def test_redirects_end(fake: FakePlatform) -> None:
    fake.answers["old"] = Response(status=302, headers={"Location": "/old"})
    with pytest.raises(UnansweredRequest, match="redirects without end"):
        get(f"{fake.url}/old")


def test_a_post_is_never_redirected(fake: FakePlatform) -> None:
    fake.answers["old"] = Response(status=307, headers={"Location": "/token"})
    assert HttpClient().send("POST", f"{fake.url}/old", allow_private=True, content=b"x").status == 307
    assert fake.asked("token") == []


def test_an_answer_that_is_too_large_is_not_read_to_its_end(
    fake: FakePlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "MOST_BYTES", 1000)
    fake.answers["large"] = Response("x" * 1001)
    with pytest.raises(UnansweredRequest, match="longer than 1000 bytes"):
        get(f"{fake.url}/large")


def test_a_platform_that_does_not_answer_may_have_acted(fake: FakePlatform) -> None:
    fake.delay = 0.5
    with pytest.raises(UnansweredRequest, match="does not answer in time") as caught:
        get(f"{fake.url}/keys", read_seconds=0.1)
    assert caught.value.may_have_arrived


@pytest.mark.parametrize("beginning_and_drip", DRIPS, indirect=True, ids=["chunks", "a body", "no end", "a header"])
def test_a_platform_that_answers_a_byte_at_a_time_is_not_waited_for(beginning_and_drip: str) -> None:
    started = time.monotonic()
    with pytest.raises(UnansweredRequest, match="does not answer in time") as caught:
        get(beginning_and_drip, total_seconds=0.3)
    assert caught.value.may_have_arrived
    assert time.monotonic() - started < PATIENCE  # no server ends by itself


def test_a_body_that_stops_is_not_waited_for(fake: FakePlatform) -> None:
    def stop_after_a_byte() -> Iterator[bytes]:
        yield b"x"
        time.sleep(1)

    fake.answers["stops"] = Response(stop_after_a_byte())
    with pytest.raises(UnansweredRequest, match="does not answer in time"):
        get(f"{fake.url}/stops", read_seconds=0.1)


def test_redirects_all_share_one_time(fake: FakePlatform) -> None:
    fake.delay = 0.2
    fake.answers["old"] = Response(status=302, headers={"Location": "/old"})
    with pytest.raises(UnansweredRequest, match="does not answer in time"):
        get(f"{fake.url}/old", total_seconds=0.5)


def test_a_platform_that_cannot_be_reached_has_not_acted(free_address: str) -> None:
    with pytest.raises(UnansweredRequest) as caught:
        get(f"{free_address}/scores?token=secret")
    assert not caught.value.may_have_arrived
    assert "secret" not in str(caught.value)


def test_netrc_does_not_replace_a_token(fake: FakePlatform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login mallory password x\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    HttpClient().send("GET", f"{fake.url}/x", allow_private=True, headers={"Authorization": "Bearer t"})
    assert fake.asked("x")[0][2]["Authorization"] == "Bearer t"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://a.example/x", "https://a.example"),
        ("https://A.example:443", "https://a.example"),
        ("http://[::1]:80/", "http://[::1]"),
        ("https://a.example@evil.example/", "https://evil.example"),
        ("javascript:alert(1)", ""),
        ("/lti/launch", ""),
        ("https://[", ""),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    assert get_origin(url) == origin


@pytest.fixture
def free_address() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{found.getsockname()[1]}"


@pytest.fixture
def beginning_and_drip(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that begins to answer, and then sends the same few bytes again and again."""
    beginning, drip = request.param
    server = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(10_000)
            connection.sendall(beginning)
            with suppress(OSError):
                while not stop.wait(0.05):
                    connection.sendall(drip)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/"
    stop.set()
    thread.join()
    server.close()
