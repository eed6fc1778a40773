"""Strict parsers of what platforms read after the grader ran on one submission, and what each platform sees in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

from markdown_it import MarkdownIt

from tests.platforms.forged import AROUND
from tests.platforms.gradescope import read_results
from tests.platforms.vpl_output import END, GRADE, comments_of

FULL_MARKS = 20.0
"""Of ``tests.reports.sample.a_report``."""
INLINE_TOKENS = {"inline", "text", "text_special", "softbreak", "hardbreak"}
"""What Markdown makes of text alone."""


@dataclass(frozen=True)
class ParsedReport:
    """What a platform reads in the files of one report."""

    share: float | None
    """The share of full marks; None where the platform takes none from it."""
    shape: object
    """Everything but the texts: keys, numbers, elements. No text of a student's may change it."""
    texts: tuple[str, ...]
    """The texts as they are shown."""


@dataclass(frozen=True)
class ReportSample:
    """How one platform reads a report."""

    parse: Callable[[Mapping[str, bytes]], ParsedReport]
    settings: Mapping[str, str] = field(default_factory=dict)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[object] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, sorted(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(tag)

    def handle_decl(self, decl: str) -> None:
        self.tags.append(decl)

    def handle_comment(self, data: str) -> None:
        self.tags.append("comment")

    def handle_data(self, data: str) -> None:
        self.text += data


def parse_page(html: str) -> tuple[list[object], str]:
    """Return the tags of a page with the names of their attributes, and its text."""
    page = _Page()
    page.feed(html)
    page.close()
    return page.tags, page.text


def parse_markdown(markdown: str) -> tuple[list[str], str]:
    """Return the kinds of elements in Markdown but those of plain text, and its text as it is shown."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    every = [one for token in tokens for one in (token, *(token.children or ()))]
    shown = {"text", "text_special", "code_inline", "code_block", "fence", "html_block", "html_inline"}
    text = "".join("\n" if "break" in one.type else one.content for one in every if one.type in shown | {"softbreak"})
    return sorted({one.type for one in every} - INLINE_TOKENS), text


def shape_of(value: Any) -> Any:
    """Return data without its texts."""
    if isinstance(value, dict):
        return {key: shape_of(one) for key, one in value.items()}
    if isinstance(value, list):
        return [shape_of(one) for one in value]
    return "" if isinstance(value, str) else value


def texts_of(value: Any) -> tuple[str, ...]:
    """Return the texts in data, without keys."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        return tuple(text for one in value for text in texts_of(one))
    return (value,) if isinstance(value, str) else ()


def _read_json(content: bytes) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(content.decode("ascii"), parse_constant=refuse)


def _from_json(content: bytes, score_key: str, full_marks: float = 1.0) -> ParsedReport:
    data = _read_json(content)
    return ParsedReport(data.get(score_key, 0.0) / full_marks, shape_of(data), texts_of(data))


def _autolab(files: Mapping[str, bytes]) -> ParsedReport:
    *lines, stages, scores = files["stdout"].decode().removesuffix("\n").split("\n")
    assert all(line.startswith(" ") for line in lines), "a line that could be Autolab's"
    data = json.loads(scores), json.loads(stages)
    shape = [shape_of(one) for one in data]
    return ParsedReport(data[0]["scores"]["autograded"] / FULL_MARKS, shape, (*lines, *texts_of(data[1])))


def _classroom50(files: Mapping[str, bytes]) -> ParsedReport:
    result = _read_json(files["result.json"])
    elements, text = parse_markdown(files["release-body.md"].decode())
    return ParsedReport(result["score"] / result["max-score"], (result, elements), (text,))


def _codegrade(files: Mapping[str, bytes]) -> ParsedReport:
    lines = [_read_json(line) for line in files["stdout"].splitlines()]
    (points,) = [line.pop("points") for line in lines if line["tag"] == "points"]
    return ParsedReport(float(Fraction(points)), shape_of(lines), texts_of(lines))


def _coderunner(files: Mapping[str, bytes]) -> ParsedReport:
    assert files["stdout"].count(b"\n") == 1
    data = _read_json(files["stdout"])
    tags, text = parse_page(data["epiloguehtml"])
    assert ElementTree.fromstring(f"<root>{data['epiloguehtml']}</root>") is not None
    return ParsedReport(data["fraction"], (shape_of(data), tags), (text,))


def _coursera(files: Mapping[str, bytes]) -> ParsedReport:
    data = _read_json(files["feedback.json"])
    tags, text = parse_page(files["htmlFeedback.html"].decode())
    return ParsedReport(data["fractionalScore"], (shape_of(data), tags), (text,))


def _gradescope(files: Mapping[str, bytes]) -> ParsedReport:
    data = read_results(files["results.json"])
    outputs = [parse_markdown(one) for one in (data["output"], *(test.get("output", "") for test in data["tests"]))]
    kinds = [elements for elements, _ in outputs]
    return ParsedReport(data["score"] / FULL_MARKS, (shape_of(data), kinds), tuple(text for _, text in outputs))


def _junit(files: Mapping[str, bytes]) -> ParsedReport:
    elements = [*ElementTree.fromstring(files["junit.xml"]).iter()]
    texts = [text for one in elements for text in (one.text or "", one.attrib.get("message", ""))]
    shape = [(one.tag, {key: value for key, value in one.attrib.items() if key != "message"}) for one in elements]
    return ParsedReport(None, shape, tuple(texts))


def _submitty_validator(files: Mapping[str, bytes]) -> ParsedReport:
    assert files["stdout"].count(b"\n") == 1
    return _from_json(files["stdout"], "score")


def _vpl(files: Mapping[str, bytes]) -> ParsedReport:
    printed = files["stdout"].decode()
    (grade,) = GRADE.findall(printed)
    (comment,) = comments_of(printed)
    return ParsedReport(float(grade) / FULL_MARKS, len(END.findall(printed)), (comment,))


def _xqueue(files: Mapping[str, bytes]) -> ParsedReport:
    data = _read_json(files["stdout"])
    message = ElementTree.fromstring(data["msg"])
    tags = [one.tag for one in message.iter()]
    return ParsedReport(data["score"], (shape_of(data), tags), ("".join(message.itertext()),))


SAMPLES: dict[str, tuple[ReportSample, ...]] = {
    "autolab": (ReportSample(_autolab),),
    "classroom50": (ReportSample(_classroom50, AROUND),),
    "codegrade": (ReportSample(_codegrade),),
    "coderunner": (ReportSample(_coderunner),),
    "coursera": (ReportSample(_coursera),),
    "gradescope": (ReportSample(_gradescope),),
    "junit": (ReportSample(_junit),),
    "otter": (ReportSample(lambda files: _from_json(files["results.json"], "score", FULL_MARKS)),),
    "prairielearn": (ReportSample(lambda files: _from_json(files["results.json"], "score")),),
    "submitty": (
        ReportSample(lambda files: _from_json(files["results.json"], "automatic_grading_total", FULL_MARKS)),
        ReportSample(_submitty_validator, {"form": "validator"}),
    ),
    "vpl": (ReportSample(_vpl),),
    "xqueue": (ReportSample(_xqueue),),
}
"""How each platform with a report writer reads a report, in each form that it may have."""
