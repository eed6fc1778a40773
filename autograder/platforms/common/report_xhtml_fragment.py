"""Show a report as a fragment of XHTML, for platforms that take one in a grader's answer."""

from __future__ import annotations

from xml.etree import ElementTree

from autograder.reports.report_model import ScoreReport
from autograder.reports.report_wording import format_final_points
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.safe_text import replace_non_xml_characters


def format_report_as_xhtml_fragment(visible_report: ScoreReport) -> str:
    """Return a report as HTML that is also well-formed XML with one root: points, and the rest as on a terminal.

    Args:
        visible_report: a report that is already cut to what the student may see.
    """
    root = ElementTree.Element("div")
    ElementTree.SubElement(root, "p").text = replace_non_xml_characters(format_final_points(visible_report))
    ElementTree.SubElement(root, "pre").text = replace_non_xml_characters(render_report_as_plain_text(visible_report))
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)
