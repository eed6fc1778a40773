"""No text of a student's steers a terminal, forges a line, computes in a spreadsheet, or looks like another's."""

from __future__ import annotations

import csv
import io
import json
import logging
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from autograder.batch.file_names import assign_file_names, make_safe_file_name
from autograder.batch.gradebook import write_gradebook
from autograder.bridge.answer_checks import parse_reported_exception as arrived
from autograder.cli.shared_options import exit_on_fault, make_console
from autograder.course import Assignment
from autograder.diagnosis import NONE, Diagnosis
from autograder.diagnosis.counterexample_model import Counterexample, Node
from autograder.diagnosis.submission_diagnoser import SubmissionDiagnoser
from autograder.faults import CallerFault
from autograder.formula_cells import neutralize_formula
from autograder.grading import GradedSubmission, Grader
from autograder.grading.result_model import HiddenTestResult, HiddenTestSpec
from autograder.reports import ScoreReport, encode_report_json, make_score_report, terminal_report
from autograder.reports.report_files import MOST_NOTES, write_pytest_record
from autograder.safe_text import (
    MAX_COMBINING_MARKS,
    escape_for_display,
    escape_name_for_display,
    make_file_name_collision_key,
)
from autograder.submissions import SubmissionEntry
from autograder.submissions.safe_paths import is_windows_device_name

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
PLAIN = [
    *("größe", "値", "Ελλάδα", "Привет", "é", unicodedata.normalize("NFD", "é"), "नमस्ते", "สวัสดี", "a b", "🙂"),
    *("x = 'text'", "[red]x[/red]", "100 %", "a\\b", "…"),
]


@pytest.fixture(params=list(HOSTILE.values()), ids=list(HOSTILE))
def hostile(request: pytest.FixtureRequest) -> str:
    text = request.param
    assert isinstance(text, str)
    return text


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


# What is shown


def test_text_is_shown_as_one_line_of_what_can_be_seen(hostile: str) -> None:
    assert not is_seen(hostile), "as it is, it acts or hides"
    assert is_seen(escape_for_display(hostile))
    assert escape_for_display(hostile).splitlines() == [escape_for_display(hostile)]


@pytest.mark.parametrize("text", PLAIN)
def test_text_that_is_harmless_is_shown_as_it_is(text: str) -> None:
    assert escape_for_display(text) == text


def test_a_name_that_spells_an_escape_out_is_not_the_name_that_holds_it(hostile: str) -> None:
    spelt = escape_for_display(hostile)
    assert spelt != hostile
    assert escape_for_display(spelt) == escape_for_display(hostile), "as text they are shown alike"
    assert escape_name_for_display(spelt) != escape_name_for_display(hostile) or "\\" not in spelt


def test_no_text_makes_a_report_long() -> None:
    for text in ("x" * 10**6, "\x1b" * 10**6, "\u0301" * 10**6):
        assert len(escape_for_display(text)) <= 300
        assert len(escape_name_for_display(text[:5000])) <= 200


# Terminals, logs, markup


def graded(assignment: Assignment, text: str) -> GradedSubmission:
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
    return make_score_report(graded(assignment, text), assignment, diagnosis)


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
    terminal_report.print_report(report(engine, name), make_console(file=shown))
    assert name in shown.getvalue()


def test_a_fault_is_told_in_one_line(hostile: str, capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        raise CallerFault("does not exist", where=hostile)

    with pytest.raises(SystemExit):
        exit_on_fault(fails)()
    (line,) = capsys.readouterr().err.split("\n")[:-1]
    assert is_seen(line)


def test_a_record_of_a_log_cannot_be_forged(hostile: str) -> None:
    stream = StringIO()
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    logger.warning("graded %s", escape_name_for_display(hostile))
    assert stream.getvalue().splitlines() == [f"graded {escape_name_for_display(hostile)}"]


def test_pytests_own_record_is_ascii(tmp_path: Path, hostile: str) -> None:
    write_pytest_record({"tests": [{"longrepr": hostile, "other": object()}]}, tmp_path / "raw.json")
    text = (tmp_path / "raw.json").read_bytes()
    assert {*text} <= {10, *range(32, 128)}
    assert json.loads(text)["tests"][0]["longrepr"] == hostile


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


def test_a_class_that_says_it_is_built_in_steers_nothing(grader: Grader, tmp_path: Path) -> None:
    (tmp_path / "forged.py").write_text(FORGED)
    found = grader.grade(tmp_path / "forged.py")
    made = make_score_report(found, grader.assignment, SubmissionDiagnoser(grader).diagnose(found))
    assert made.diagnosis.counterexample is not None, "its exception is told"
    assert "this raises Exception" in made.diagnosis.counterexample.text
    assert all(is_seen(line) for text in texts_in(json.loads(encode_report_json(made))) for line in text.split("\n"))


# Spreadsheets

FORMULAS = {
    "an equals sign": '=HYPERLINK("https://example.org","x")',
    "a plus": "+1+1",
    "a minus": "-1+1",
    "an at": "@SUM(A1)",
    "a call of another program": "=cmd|' /C calc'!A0",
    "a tab before it": "\t=1+1",
    "a carriage return before it": "\r=1+1",
    "a line break before it": "\n=1+1",
    "a space before it": " =1+1",
    "a hard space before it": "\xa0=1+1",
    "an apostrophe before it": "'=1+1",
    "a quote before it": '"=1+1',
    "full width": "＝1+1",
    "full width of others": "＋1＋1",
    "an at of full width": "＠SUM(A1)",
    "a semicolon before it": "alice;=1+1",
    "a semicolon and a space before it": "alice; =1+1",
    "a quote that ends, and a semicolon": 'alice";=1+1;"',
    "a comma before it": "alice,=1+1",
}


def opens_formula(cell: str) -> bool:
    return cell.lstrip(' \t\r\n\xa0"')[:1] in {*"=+-@＝＋－＠"}


def cells(text: str) -> list[str]:
    """Every cell, with commas between cells and with semicolons."""
    return [
        cell
        for mark in ",;"
        for row in csv.reader(io.StringIO(text.replace("\r", "\n")), delimiter=mark)
        for cell in row
    ]


@pytest.mark.parametrize("text", FORMULAS.values(), ids=FORMULAS)
def test_no_text_is_a_formula_in_the_gradebook(engine: Assignment, tmp_path: Path, text: str) -> None:
    naive = io.StringIO()
    csv.writer(naive).writerow(["x", text])
    assert any(map(opens_formula, cells(naive.getvalue()))) or text.startswith(("'", "alice,")), "as it is"
    write_gradebook([report(engine, text)], engine, tmp_path / "gradebook.csv")
    written = (tmp_path / "gradebook.csv").read_text(encoding="utf-8")
    assert [cell for cell in cells(written) if opens_formula(cell)] == []
    assert len(written.splitlines()) == 2


@pytest.mark.parametrize("text", ["alice", "O'Neill", "'t Hooft", "a-b", "x+y", "a@b.org", "a = b; c", "値", "3"])
def test_what_is_no_formula_is_written_as_it_is(text: str) -> None:
    assert neutralize_formula(text) == text


def test_no_two_names_are_one_cell() -> None:
    names = ["=1", "'=1", "''=1", " =1", "' =1", "a;=1", "a;'=1", "+1", "'+1"]
    assert len({*map(neutralize_formula, names)}) == len(names)


# File names

NAMES = [
    *("..", ".", "", "/", "\\", "a/../b", ".hidden", "~", " ", "x" * 300, "値" * 300, "\ud800", "a\0b"),
    *("CON", "con", "Con", "nul", "AUX", "com1", "LPT9", "aux.b", "CON ", "prn.x.y", "conin$", "com¹"),
    *("alice", "Alice", "ALICE", "é", unicodedata.normalize("NFD", "é"), "STRASSE", "straße", "alice.", "alice~2"),
    *("%41", "A", "%2E", "%43ON"),
]


def entries(names: list[str]) -> list[SubmissionEntry]:
    return [SubmissionEntry(name, Path(name)) for name in names]


def test_reports_have_names_that_no_file_system_takes_for_one() -> None:
    distinct = list(dict.fromkeys(NAMES))
    assert len({*map(make_file_name_collision_key, distinct)}) < len(distinct), (
        "as they are, some system takes two for one"
    )
    made = assign_file_names(entries(distinct))
    assert len({make_file_name_collision_key(f"{name}.json") for name in made.values()}) == len(distinct)


@pytest.mark.parametrize("name", NAMES, ids=[escape_for_display(name, 20) for name in NAMES])
def test_a_report_has_a_name_that_every_file_system_takes(name: str) -> None:
    made = f"{make_safe_file_name(name)}.json"
    assert len(made.encode()) <= 255
    assert not {*'<>:"/\\|?*\0'} & {*made}
    assert made[0] not in ". "
    assert not is_windows_device_name(made)


@pytest.mark.parametrize(
    ("one", "two"), [("CON", "%43ON"), ("..", "%2E."), ("a/b", "a%2Fb"), ("\udcff", "%FF")], ids=ascii
)
def test_no_name_of_a_report_can_be_asked_for_by_another_student(one: str, two: str) -> None:
    assert make_safe_file_name(one) != make_safe_file_name(two)
