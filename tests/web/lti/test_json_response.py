"""Whatever a platform answers, it is decoded or refused."""

from __future__ import annotations

import pytest

from autograder.web.lti.http import decode_json_response, drop_null_members
from autograder.web.lti.results import parse_platform_results

NESTED = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    "body", [b'[{"userId": "7", "x": ' + NESTED + b"}]", NESTED, b'[{"userId": 7}]', b"\xff", b""]
)
def test_results_that_are_none_are_refused(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # its text is the decoder's
        parse_platform_results(body)


def test_a_null_member_counts_as_absent_and_a_null_in_a_list_does_not() -> None:
    assert decode_json_response(b'{"a": null, "b": [null, {"c": null}]}', dict[str, list[dict[str, str] | None]]) == {
        "b": [None, {}]
    }


def test_nulls_are_dropped_to_a_depth_only() -> None:
    nested: object = {"x": None}
    for _ in range(5000):
        nested = [nested]
    assert drop_null_members(nested) == nested
