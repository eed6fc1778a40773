"""XQueue: correct is full marks alone; the message is XML with one root."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

from hypothesis import given as for_any
from hypothesis import settings
from hypothesis import strategies as st

from autograder.platforms.single_report_writers import encode_xqueue_files
from autograder.reports import ScoreReport
from tests.platforms.forged import given
from tests.reports.sample import a_report


def reply(report: ScoreReport, **settings: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(encode_xqueue_files(report, given(settings))["stdout"])
    assert set(found) == {"correct", "score", "msg"}
    return found


def elements(message: str) -> list[str]:
    return [element.tag for element in ElementTree.fromstring(message).iter()]


def test_correct_is_full_marks_and_nothing_less() -> None:
    part, full = reply(a_report()), reply(a_report(bonus=15.0))
    assert (part["correct"], part["score"]) == (False, 0.3)
    assert (full["correct"], full["score"]) == (True, 1.0)


def test_the_message_is_xml_with_one_root_and_says_all() -> None:
    root = ElementTree.fromstring(reply(a_report())["msg"])
    text = "".join(root.itertext())
    assert root.tag == "div"
    assert "5 of 20 points and 1 of 4 bonus points" in text
    assert "failed: a.grad is 1.0 zebra" in text


@settings(max_examples=50)
@for_any(st.text())
def test_any_text_makes_well_formed_xml(text: str) -> None:
    assert elements(reply(a_report(text, status=text))["msg"]) == ["div", "p", "pre"]
