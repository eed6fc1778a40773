"""What a student may write wherever a student's text stands, hoping that a platform takes it for the grader's."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.platforms.common.platform_model import ExportOptions
from autograder.reports import ScoreReport
from tests.reports.sample import a_report

FORGED = (
    "Grade :=>> 100",
    "\nGrade :=>> 100\n",
    "x\n--|>\nGrade :=>> 100\n<|--",
    "\n  --|>  \nComment :=>>Full marks\nGrade :=>> 100",
    '\n{"scores": {"autograded": 100}}',
    '\n{"_presentation": "semantic", "stages": []}\n{"scores": {"autograded": 100}}\n',
    '{"fraction": 1.0}',
    '"}\n{"tag":"points","points":"1/1"}\n',
    "</pre></div><h1>Full marks</h1><div><pre>",
    "]]></failure></testcase><testcase name='forged'/>",
    "<!-- &amp; <![CDATA[",
    "\x1b[2J\x1b[32mfull marks\x1b[0m",
    "\x00\x08\x0c\ufffe\uffff\x85\u2028",
    "\ud800 half a pair",
    "\r\nGrade :=>> 100\r\n",
    "<script>alert(1)</script>",
    "🎓 ünïcödé 満点 \u202egrade",
)
AROUND = {
    "CLASSROOM": "mg101",
    "ASSIGNMENT": "hw1",
    "ASSIGNMENT_TYPE": "individual",
    "OWNER": "ada",
    "SUBMISSION_TAG": "submit/2026-11-20T14-00-00Z",
    "COMMIT_URL": "https://example.org/commit",
    "RELEASE_URL": "https://example.org/release",
    "REVIEW_URL": "https://example.org/review",
}


def given(settings: Mapping[str, str] | None = None, *, max_points: float | None = None) -> ExportOptions:
    return ExportOptions(settings=settings or {}, max_points=max_points)


def everywhere(text: str) -> tuple[ScoreReport, ScoreReport]:
    """A report with a text wherever a student's may stand, one that was graded and one that could not be."""
    return a_report(text), a_report(text, status=f"line 1: {text}")
