"""pytest's record travels packed, and a person reads it in ASCII, whatever a student's code says."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

from autograder.store.results.result_model import (
    encode_packed_pytest_record_as_json,
    pack_pytest_record,
)


@pytest.mark.parametrize("said", ["plain", "é", "\ud800 half of a pair", "\x00\u202e"])
def test_what_a_test_said_comes_back_and_is_written_in_ascii(said: str) -> None:
    packed = pack_pytest_record({"tests": [{"longrepr": said, "duration": 0.1}]})
    assert json.loads(zlib.decompress(packed))["tests"][0] == {"longrepr": said, "duration": 0.1}
    written = encode_packed_pytest_record_as_json(packed)
    assert written.isascii()
    assert json.loads(written)["tests"][0]["longrepr"] == said


def test_what_json_has_no_word_for_becomes_text() -> None:
    packed = pack_pytest_record({"root": Path("hidden")})
    assert json.loads(zlib.decompress(packed)) == {"root": "hidden"}
