"""The column of a link is found wherever the platform lists it, and made only if it is nowhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Response

from autograder.faults import KitFault
from autograder.web.lti.http import HttpClient
from autograder.web.lti.line_items import find_or_make_line_item_url
from autograder.web.lti.tool import LINE_ITEM, AccessTokenProvider, PlatformClient
from autograder.web.store.lti.platforms import LtiResourceLink
from tests.web.lti.fake_platform import FakePlatform


def list_columns(fake: FakePlatform, *links: str, following: str = "") -> Response:
    """A page of columns, one for each link, by a platform that ignores which link is asked for."""
    columns: list[dict[str, Any]] = [
        {"id": f"{fake.url}/columns/{link}", "label": link, "scoreMaximum": 10, "resourceLinkId": link, "tag": None}
        for link in links
    ]
    headers = {"Link": f'<{following}>; rel="next"'} if following else {}
    return Response(json.dumps(columns), headers=headers)


def find(fake: FakePlatform, tokens: AccessTokenProvider) -> str:
    link = LtiResourceLink(1, 1, "ours", "toy", line_items_url=f"{fake.url}/columns?type=3", scopes=(LINE_ITEM,))
    return find_or_make_line_item_url(PlatformClient(fake.platform, tokens, HttpClient()), link, 20, "Toy")


def test_a_column_on_a_later_page_is_not_made_again(fake: FakePlatform, tokens: AccessTokenProvider) -> None:
    fake.answers["columns"] = list_columns(fake, "a", "b", following=f"{fake.url}/more")
    fake.answers["more"] = list_columns(fake, "ours")
    assert find(fake, tokens) == f"{fake.url}/columns/ours"
    assert [method for method, _, _, _ in fake.asked("columns")] == ["GET"]


def test_no_column_is_made_while_a_part_of_the_list_is_unknown(
    fake: FakePlatform, tokens: AccessTokenProvider
) -> None:
    fake.answers["columns"] = list_columns(fake, "a", following=f"{fake.url}/more")
    fake.answers["more"] = Response("later", 503)
    with pytest.raises(KitFault, match="cannot list the columns for marks: later"):
        find(fake, tokens)
    fake.answers["columns"] = list_columns(fake, "a", following="https://evil.example/more")
    with pytest.raises(KitFault, match="the next page of columns for marks is on another server"):
        find(fake, tokens)
    assert {method for method, _, _, _ in fake.asked("columns")} == {"GET"}


def test_a_column_of_the_assignment_that_is_of_no_link_is_taken_before_one_is_made(
    fake: FakePlatform, tokens: AccessTokenProvider
) -> None:
    columns = [
        {"id": f"{fake.url}/columns/1", "label": "a", "scoreMaximum": 10, "resourceLinkId": "a", "resourceId": "toy"},
        {"id": f"{fake.url}/columns/2", "label": "b", "scoreMaximum": 10, "resourceId": "engine"},
        {"id": f"{fake.url}/columns/3", "label": "c", "scoreMaximum": 10, "resourceId": "toy", "tag": "autograder"},
    ]
    fake.answers["columns"] = Response(json.dumps(columns))
    assert find(fake, tokens) == f"{fake.url}/columns/3"
    assert {method for method, _, _, _ in fake.asked("columns")} == {"GET"}
