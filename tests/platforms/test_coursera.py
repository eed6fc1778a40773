"""Coursera: a score from 0 to 1, with the page beside it."""

from __future__ import annotations

import json

from autograder.platforms.single_report_writers import encode_coursera_files
from autograder.reports.html_report import render_report_as_html
from tests.platforms.forged import given
from tests.reports.sample import a_report


def test_the_score_is_a_number_from_0_to_1_and_the_page_stands_beside_it() -> None:
    files = encode_coursera_files(a_report(), given())
    feedback = json.loads(files["feedback.json"])
    assert set(feedback) == {"fractionalScore", "feedback", "feedbackType"}
    assert feedback["fractionalScore"] == 0.3
    assert feedback["feedbackType"] == "HTML"
    assert files["htmlFeedback.html"].decode() == render_report_as_html(a_report())


def test_none_and_all_are_numbers_too_and_no_booleans() -> None:
    for report, score in ((a_report(status="empty"), b"0.0"), (a_report(bonus=15.0), b"1.0")):
        assert b'"fractionalScore":' + score in encode_coursera_files(report, given())["feedback.json"]
