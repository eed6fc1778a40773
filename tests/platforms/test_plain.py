"""Text for XML, HTML and JSON: it says what it said, and nothing in it is markup."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.platforms import ExportOptions
from autograder.platforms.common.json_encoding import encode_json_file, encode_json_line
from autograder.platforms.single_report_writers import encode_xqueue_files, shorten_text
from autograder.safe_text import replace_non_xml_characters
from tests.reports.sample import a_report


@given(st.text())
def test_any_text_can_stand_in_xml_once_it_is_without_what_xml_cannot_say(text: str) -> None:
    element = ElementTree.Element("a")
    element.text = replace_non_xml_characters(text)
    read = ElementTree.fromstring(ElementTree.tostring(element, encoding="utf-8")).text or ""
    assert read == element.text.replace("\r\n", "\n").replace("\r", "\n")


def test_what_xml_can_say_stays() -> None:
    assert replace_non_xml_characters("a\tb\n<c> ünï 🎓") == "a\tb\n<c> ünï 🎓"
    assert replace_non_xml_characters("a\x00b\x1bc\ud800d\uffff") == "a\ufffdb\ufffdc\ufffdd\ufffd"


def test_a_fragment_has_no_element_that_html_would_read_otherwise() -> None:
    assert b"/>" not in encode_xqueue_files(a_report(), ExportOptions())["stdout"]


@given(st.text())
def test_json_is_ascii_and_on_one_line_where_it_must_be(text: str) -> None:
    assert encode_json_line({"a": text}).isascii()
    assert len(encode_json_line({"a": text}).splitlines()) == 1
    assert encode_json_file({"a": text}).isascii()


@pytest.mark.parametrize("write", [encode_json_line, encode_json_file])
def test_what_is_no_number_is_never_written_as_one(write: object) -> None:
    assert callable(write)
    with pytest.raises(ValueError, match="not JSON compliant"):
        write({"score": float("nan")})


def test_a_text_that_is_cut_says_so() -> None:
    assert shorten_text("abc", 3) == "abc"
    assert shorten_text("abcd", 3) == "ab…"
