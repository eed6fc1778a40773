"""No text of a student's acts or hides in a report, nor is it markup."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from autograder.bridge.connection import parse_reported_exception as arrived
from autograder.cli.terminal import make_console_without_markup
from autograder.course import Assignment
from autograder.diagnosis.diagnoser import SubmissionDiagnoser
from autograder.grading import Grader
from autograder.reports import encode_report_json, make_score_report, terminal_report
from autograder.reports.score_report_maker import MOST_NOTES
from tests.redteam.hostile_texts import is_seen, report, story, texts_in


def test_every_text_of_a_report_can_be_seen(engine: Assignment, hostile: str) -> None:
    made = json.loads(encode_report_json(report(engine, hostile, story(hostile))))
    assert not all(map(is_seen, texts_in(json.loads(json.dumps(msgspec.to_builtins(story(hostile)))))))
    broken = [text for text in texts_in(made) if not all(map(is_seen, text.split("\n")))]
    assert broken == []
    assert [text for text in texts_in({**made, "diagnosis": {}}) if "\n" in text] == []


def test_a_report_names_no_more_than_so_many_things(engine: Assignment) -> None:
    made = report(engine, "x")
    assert len(made.notes) == MOST_NOTES + 1
    assert made.notes[-1] == f"And {MOST_NOTES + 1} more."


def test_a_report_on_a_terminal_can_be_seen(engine: Assignment, hostile: str) -> None:
    raw, shown = StringIO(), StringIO()
    print(hostile.encode("utf-8", "replace").decode(), file=raw)
    assert not is_seen(raw.getvalue()[:-1]) or "\ud800" in hostile, "printed as it is, it acts or hides"
    console = Console(file=shown, width=200, force_terminal=False, markup=False, highlight=False)
    terminal_report.print_report(report(engine, hostile), console)
    assert all(map(is_seen, shown.getvalue().split("\n")))


@pytest.mark.parametrize("name", ["[red]x[/red]", "[link=https://example.org]x[/link]", "[/]", "[bold", ":warning:"])
def test_a_name_is_no_markup(engine: Assignment, name: str) -> None:
    marked = StringIO()
    try:
        Console(file=marked, width=200).print(name)
    except Exception:  # an unbalanced tag raises
        marked.write("raises")
    assert name not in marked.getvalue() or name == "[bold", "rich interprets it"
    shown = StringIO()
    terminal_report.print_report(report(engine, name), make_console_without_markup(file=shown))
    assert name in shown.getvalue()


def test_an_exception_is_built_in_only_if_python_has_it(hostile: str) -> None:
    told = {"kind": "X", "message": "", "unit": "", "line": 1, "function": "", "package": ""}
    assert arrived({**told, "builtin": hostile}).builtin == "Exception"
    assert arrived({**told, "builtin": "KeyError"}).builtin == "KeyError"


FORGED = """\
class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, _children, "\\x1b[31m[red]"

    def __add__(self, other):
        raise type("\\x1b]0;owned\\x07\\nscore: 100\\u202e", (KeyError,), {"__module__": "builtins"})("\\x1b[2J")

    def backward(self):
        self.grad = 1.0
"""


def test_a_class_that_says_it_is_built_in_steers_nothing(tier_grader: Grader, tmp_path: Path) -> None:
    (tmp_path / "forged.py").write_text(FORGED)
    found = tier_grader.grade(tmp_path / "forged.py")
    made = make_score_report(found, tier_grader.assignment, SubmissionDiagnoser(tier_grader).diagnose(found))
    assert made.diagnosis.counterexample is not None, "its exception is told"
    assert "this raises Exception" in made.diagnosis.counterexample.text
    assert all(is_seen(line) for text in texts_in(json.loads(encode_report_json(made))) for line in text.split("\n"))
