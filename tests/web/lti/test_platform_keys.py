"""A platform's key set is read within bounds, and one platform's fault is no other's."""

from __future__ import annotations

import base64
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from flask import Response

from autograder.faults import Fault
from autograder.web.lti.http import HttpClient
from autograder.web.lti.tool import PAUSE, PlatformKeyCache
from tests.machine import PATIENCE, cost_of
from tests.web.lti.fake_platform import FakePlatform, serve_platform


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def encode_number(byte_count: int) -> str:
    return base64.urlsafe_b64encode(b"\xff" * byte_count).decode()


def test_a_private_key_in_a_key_set_is_left_out_without_searching_its_factors(fake: FakePlatform) -> None:
    private = {"kty": "RSA", "kid": "x", "e": "AQAB", "n": encode_number(2048), "d": encode_number(2048)}
    fake.answers["keys"] = Response(json.dumps({"keys": [private]}))

    def ask() -> None:
        with pytest.raises(Fault, match="does not show"):
            PlatformKeyCache(HttpClient()).get_key(fake.platform, "x")

    assert cost_of(ask) < 16


def test_a_platform_that_answers_slowly_holds_up_no_launch_from_another_one(fake: FakePlatform) -> None:
    cache = PlatformKeyCache(HttpClient())
    fake.delay = PATIENCE
    with serve_platform() as other, ThreadPoolExecutor(1) as threads:
        slow = threads.submit(cache.get_key, fake.platform, fake.kid)
        while not fake.asked("keys"):
            time.sleep(0.01)
        key = cache.get_key(replace(other.platform, id=other.platform.id + 1), other.kid)
        assert isinstance(key, RSAPublicKey)
        assert not slow.done()
        fake.is_released.set()


def test_an_unknown_key_holds_up_no_launch_with_a_known_one(fake: FakePlatform) -> None:
    cache = PlatformKeyCache(HttpClient())
    known = cache.get_key(fake.platform, fake.kid)
    fake.delay = PATIENCE
    with ThreadPoolExecutor(1) as threads:
        unknown = threads.submit(cache.get_key, fake.platform, "forged")
        while len(fake.asked("keys")) < 2:
            time.sleep(0.01)
        assert cache.get_key(fake.platform, fake.kid) == known
        assert not unknown.done()
        fake.is_released.set()
        with pytest.raises(Fault, match="does not show"):
            unknown.result()


def test_a_platform_without_a_key_set_is_asked_again_only_after_a_pause(fake: FakePlatform) -> None:
    clock = Clock()
    cache = PlatformKeyCache(HttpClient(), clock)
    fake.answers["keys"] = Response("broken", status=500)
    for _ in range(3):
        with pytest.raises(Fault, match="not a key set"):
            cache.get_key(fake.platform, fake.kid)
    assert len(fake.asked("keys")) == 1
    clock.now += PAUSE
    del fake.answers["keys"]
    assert isinstance(cache.get_key(fake.platform, fake.kid), RSAPublicKey)


def test_a_key_set_is_fetched_once_for_launches_at_the_same_time(fake: FakePlatform) -> None:
    cache = PlatformKeyCache(HttpClient())
    fake.delay = 0.2
    with ThreadPoolExecutor(4) as threads:
        keys = [*threads.map(lambda _: cache.get_key(fake.platform, fake.kid), range(4))]
    assert len({id(key) for key in keys}) == len(fake.asked("keys")) == 1
