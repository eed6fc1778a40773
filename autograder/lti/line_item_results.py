"""Fetch the marks in a platform's line item."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlencode, urlsplit, urlunsplit

from autograder.faults import KitFault
from autograder.lti.platform_client import PlatformClient, append_path_segment_to_url
from autograder.lti.platform_results import PlatformResult, parse_platform_results
from autograder.lti.platform_retry_policy import (
    PlatformAnswer,
    convert_fault_to_platform_answer,
    convert_response_to_platform_answer,
)

RESULTS_TYPE = "application/vnd.ims.lis.v2.resultcontainer+json"


def fetch_results(
    client: PlatformClient, line_item_url: str, token_scopes: Collection[str], only_subject: str = ""
) -> tuple[PlatformAnswer, list[PlatformResult]]:
    """Fetch all pages of a line item's results; return the last answer and the results.

    A failed request does not raise. If a page fails, the answer describes the failure, and the results are those of
    all persons on the pages before it.

    Args:
        client: the platform's.
        line_item_url: the line item.
        token_scopes: what the token is for.
        only_subject: the only person who is asked for; everybody when empty.
    """
    url = append_path_segment_to_url(line_item_url, "results")
    if only_subject:
        url = add_query_fields_to_url(url, user_id=only_subject)
    results: list[PlatformResult] = []
    answer = PlatformAnswer(200)

    try:
        for response in client.fetch_pages(url, token_scopes, RESULTS_TYPE, "results"):
            answer = convert_response_to_platform_answer(response)
            if not answer.is_ok:
                return answer, results
            results += parse_platform_results(response.body)
    except KitFault as fault:
        return convert_fault_to_platform_answer(fault), results
    except ValueError:
        return PlatformAnswer(0, "the answer is not a list of results"), results
    return answer, [result for result in results if only_subject in ("", result.user_id)]


def add_query_fields_to_url(url: str, **fields: str) -> str:
    """Return a URL with query fields added.

    >>> add_query_fields_to_url("https://lms.example/results?type_id=1", user_id="a b")
    'https://lms.example/results?type_id=1&user_id=a+b'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, urlencode(fields))))))
