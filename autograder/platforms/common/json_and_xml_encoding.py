"""Write text and data as platforms read them: nothing in them can be taken for something else."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

from autograder.reports.report_model import ScoreReport
from autograder.reports.report_phrases_and_numbers import format_final_points
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.safe_text import CUT_MARK

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot say, not even as a number."""


def encode_json_line(value: Any) -> bytes:
    """Return data as JSON in ASCII on one line, with a line end."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def encode_json_file(value: Any) -> bytes:
    """Return data as a JSON file."""
    return json.dumps(value, allow_nan=False, indent=1).encode() + b"\n"


def shorten_text(text: str, max_length: int) -> str:
    """Shorten a text to at most so many characters; a text that is cut ends in a mark."""
    return text if len(text) <= max_length else text[: max_length - len(CUT_MARK)] + CUT_MARK


def replace_non_xml_characters(text: str) -> str:
    """Return a text with a replacement character for each character that XML cannot say."""
    return NOT_XML.sub("\ufffd", text)


def format_report_as_xhtml_fragment(visible_report: ScoreReport) -> str:
    """Return a report as HTML that is also well-formed XML with one root: points, and the rest as on a terminal.

    Args:
        visible_report: a report that is already cut to what the student may see.
    """
    root = ElementTree.Element("div")
    ElementTree.SubElement(root, "p").text = replace_non_xml_characters(format_final_points(visible_report))
    ElementTree.SubElement(root, "pre").text = replace_non_xml_characters(render_report_as_plain_text(visible_report))
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)
