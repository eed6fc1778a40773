"""The next page of a list is at the same server, or it is refused: the request for it carries an access token."""

from __future__ import annotations

import time
from itertools import count

import pytest

from autograder.faults import ServiceFault
from autograder.web.lti import http
from autograder.web.lti.http import HttpResponse, iterate_pages

PAGE = "https://lms.example/members?page=1"


@pytest.mark.parametrize(("bound", "limit"), [("MOST_PAGES", 3), ("MOST_LIST_BYTES", 25), ("MOST_SECONDS", 0.05)])
def test_a_list_without_end_is_not_taken_for_a_whole_one(
    bound: str, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, bound, limit)
    numbers = count(2)

    def fetch_page(_url: str) -> HttpResponse:
        time.sleep(0.02)
        return HttpResponse(200, {"link": f'<?page={next(numbers)}>; rel="next"'}, b"0123456789")

    with pytest.raises(ServiceFault, match="the platform's list of members does not end"):
        [*iterate_pages(PAGE, "members", fetch_page)]
    assert next(numbers) <= 6
