"""Every error that the command line can print is one line with a form of its own: what, where, what to do next."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.faults import CallerFault, make_file_fault

PACKAGE = Path(__file__).parents[2] / "autograder"
ANYTHING = "…"
"""Stands for what is known only when the message is made."""
NAMES = frozenset({"Canvas", "Dask", "Gradescope", "Moodle", "Otter", "Python", "Slurm", "VPL", "YAML", ANYTHING})
"""Words that begin with a capital anywhere."""
CURES = re.compile(
    r"\b(must be|needs?|is made in one way|not a|a weight is|is lower-case|go down to|two tests have)\b"
)
"""Sentences that say themselves what to do."""
OTHER_WORDS = re.compile(
    r"\b(pupil|learner|candidate|teacher|exam|please|oops|sorry|invalid|illegal)\b", re.IGNORECASE
)
"""There is one vocabulary: student, course, grader. And a message says what is wrong, not that something is."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message in the source."""

    place: str
    kind: str
    what: str | None
    advice: str | None
    has_advice: bool


def text_of(node: ast.expr) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) or ANYTHING for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (text_of(left) or ANYTHING) + (text_of(right) or ANYTHING)
    return None


def messages() -> Iterator[Message]:
    """Every fault that the package makes where its sentence stands in the source."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name not in ("CallerFault", "CourseFault", "KitFault", "make_fault_at"):
                continue
            named = {one.arg: one.value for one in node.keywords}
            what = node.args[0] if node.args else named.get("what")
            advice = node.args[2] if len(node.args) > 2 else named.get("advice")
            if what is not None:
                place = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                yield Message(place, name, text_of(what), text_of(advice) if advice else None, advice is not None)


MESSAGES = [*messages()]


def told(found: Iterator[Message] | list[Message]) -> list[str]:
    return [f"{one.place}: {one.what} ({one.advice})" for one in found]


def begins_like_a_clause(text: str) -> bool:
    first = re.split(r"[\s,;:]", text, maxsplit=1)[0]
    return not first[:1].isupper() or first in NAMES or first.isupper()


def test_messages_are_found() -> None:
    assert len(MESSAGES) > 250
    assert sum(one.what is not None for one in MESSAGES) > 230


def test_a_message_is_one_line_without_a_full_stop() -> None:
    texts = [(one, text) for one in MESSAGES for text in (one.what, one.advice) if text]
    assert not told([one for one, text in texts if "\n" in text or text.endswith((".", "!")) or "  " in text])


def test_a_message_goes_on_from_the_place_that_stands_before_it() -> None:
    texts = [(one, text) for one in MESSAGES for text in (one.what, one.advice) if text]
    assert not told([one for one, text in texts if not begins_like_a_clause(text)])


def test_whoever_made_the_mistake_is_told_what_to_do() -> None:
    own = [one for one in MESSAGES if one.kind != "KitFault" and one.what is not None and not one.has_advice]
    assert not told([one for one in own if not CURES.search(one.what or "")])


def test_one_vocabulary_is_used() -> None:
    texts = [(one, text) for one in MESSAGES for text in (one.what, one.advice) if text]
    assert not told([one for one, text in texts if OTHER_WORDS.search(text)])


@pytest.mark.parametrize(
    ("error", "verb", "message"),
    [
        (FileNotFoundError(2, "No such file"), "read", "cannot be read: No such file (name one that is there)"),
        (PermissionError(13, "Permission denied"), "written", "(let this account write to it)"),
        (OSError(28, "No space left on device"), "written", "(make room on the disk)"),
        (IsADirectoryError(21, "Is a directory"), "read", "(name a file; this is a folder)"),
        (OSError(5, "Input/output error"), "read", "(look at the file and at its disk, then try again)"),
    ],
)
def test_what_the_system_refuses_is_told_with_what_helps(error: OSError, verb: str, message: str) -> None:
    fault = make_file_fault(error, "roster.csv", participle=verb)
    assert isinstance(fault, CallerFault)
    assert str(fault).startswith("roster.csv: cannot be ")
    assert str(fault).endswith(message)
