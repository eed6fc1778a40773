"""Texts that act or hide where they are shown as they are, and reports made of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from autograder.course import Assignment
from autograder.diagnosis import NONE, Diagnosis
from autograder.diagnosis.model import Counterexample, Node
from autograder.grading import GradedSubmission
from autograder.grading.results import HiddenTestResult, HiddenTestSpec
from autograder.reports import ScoreReport, make_score_report
from autograder.reports.score_report_maker import MOST_NOTES
from autograder.text import MAX_COMBINING_MARKS

HOSTILE = {
    "a sequence that clears the screen": "\x1b[2J",
    "a sequence that makes text red": "\x1b[31m",
    "a sequence that sets the title": "\x1b]0;owned\x07",
    "a link that goes elsewhere": "\x1b]8;;https://example.org\x1b\\here\x1b]8;;\x1b\\",
    "a sequence that writes the clipboard": "\x1b]52;c;ZWNobw==\x07",
    "a control sequence in one character": "\x9b31m",
    "an operating system command in one character": "\x9d0;owned\x9c",
    "a device control string": "\x90q\x9c",
    "a carriage return over what was said": "all is well\rscore: 100",
    "backspaces over what was said": "0\b100",
    "a bell": "\x07",
    "a delete": "\x7f",
    "a null": "\0",
    "a line break": "a\nscore: 100",
    "a vertical tab": "a\vb",
    "a form feed": "a\fb",
    "a file separator": "a\x1cb",
    "a next line": "a\x85b",
    "a line separator": "a\u2028b",
    "a paragraph separator": "a\u2029b",
    "an override from right to left": "value\u202eyp.",
    "an embedding from right to left": "a\u202bb",
    "an isolate": "a\u2066b\u2069",
    "a mark from right to left": "a\u200fb",
    "an Arabic letter mark": "a\u061cb",
    "a space of no width": "a\u200bb",
    "a joiner of no width": "a\u200db",
    "a byte order mark": "\ufeffa",
    "a soft hyphen": "a\xadb",
    "an invisible multiplication": "a\u2062b",
    "letters that are tags": "a\U000e0041\U000e0042",
    "a selector of variants": "a\ufe0fb",
    "one of two hundred more selectors": "a\U000e0101b",
    "a filler that is a letter": "a\u3164b",
    "a filler of half width": "a\uffa0b",
    "a joiner of graphemes": "a\u034fb",
    "a pattern of Braille without a dot": "a\u2800b",
    "accents that reach into other lines": "e" + "\u0301" * 50,
    "a hard space": "a\xa0b",
    "a space as wide as a letter": "a\u3000b",
    "half a character": "a\ud800b",
    "a character of private use": "a\ue000b",
    "a character that is none": "a\uffffb",
}


def is_seen(text: str) -> bool:
    """Whether all of a text is one line of what can be seen, apart from marks that pile up."""
    unseen = {*"\ufe0f\U000e0101\u3164\uffa0\u034f\u2800"}
    return text.isprintable() and not unseen & {*text} and "\u0301" * (MAX_COMBINING_MARKS + 1) not in text


def texts_in(data: Any) -> Iterator[str]:
    """Every text in JSON data, keys included."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from texts_in(key)
            yield from texts_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from texts_in(value)


def grade_text(assignment: Assignment, text: str) -> GradedSubmission:
    """A result in which everything that a student has a say in is this text."""
    spec = HiddenTestSpec("forward.a-test", "forward", "A sentence.", "", (), (), Fraction(1))
    result = HiddenTestResult(spec, "error", f"Your code raised {text}.")
    return GradedSubmission(
        submission_id=text,
        sha256="",
        files=(text, text * 100),
        status="syntax-error",
        message=f"{text}, line 1: {text}",
        notes=(f"{text} is not installed", *(text for _ in range(2 * MOST_NOTES))),
        test_results=(result,),
        max_points_by_test={spec.id: Fraction(1)},
        concept_scores=(),
        tier="process",
    )


def story(text: str) -> Diagnosis:
    """A diagnosis whose counterexample was told by a student's process."""
    node = Node(name="a", data=1.0, data_got=text, grad_got=text)
    told = Counterexample(
        kind="error",
        program=("a = Value(1.0)",),
        leaves={"a": 1.0},
        nodes=(node,),
        error=text,
        order=(text,),
        remark=text,
        text=f"a = Value(1.0)   <-- this raises {text}",
    )
    return Diagnosis(verdict="unknown", reason="no match", counterexample=told)


def report(assignment: Assignment, text: str, diagnosis: Diagnosis = NONE) -> ScoreReport:
    return make_score_report(grade_text(assignment, text), assignment, diagnosis)
