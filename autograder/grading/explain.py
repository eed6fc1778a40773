"""Sentences for what happened: first what, then what to try.

A student's exception may carry any text, and a hidden test's numbers pass through the student's process. So a
message is shown only where it is one of the interpreter's own, which say nothing but names.
"""

from __future__ import annotations

import builtins
import re
from dataclasses import dataclass, field
from itertools import groupby

from autograder.bridge.errors import Raised
from autograder.bridge.program import Loaded, LoadNote
from autograder.grading.messages import PATTERNS
from autograder.submissions import Submission
from autograder.text import clean, listed

TEMPLATE_MODULES = ("notebook_check", "otter")
"""What the template's notebook imports; it stays at home and nobody misses it."""

WORD = re.compile(r"[A-Za-z_]\w*")
QUOTED = re.compile(r"'([^']*)'|^([\w.<>]+)\(\)|, not (\w+)$")
PYTHONS = frozenset(
    {
        *dir(builtins),
        *("locals", "lambda", "NoneType", "function", "method", "builtin_function_or_method"),
        *("module", "generator", "data"),
    }
)


@dataclass(frozen=True, slots=True)
class Known:
    """What the student knows already, and a message may hold: a process that was shown a hidden test's numbers could
    put them into any text that it sends."""

    words: frozenset[str] = frozenset()
    """The names in the submission's own text, and Python's."""
    lines: dict[str, int] = field(default_factory=dict)
    """How many lines each of its files or cells has."""

    def place(self, raised: Raised) -> str:
        """Where something was raised, if there is such a place."""
        there = 0 < raised.line <= self.lines.get(raised.unit, 0)
        return f" at {raised.unit}, line {raised.line}" if there else ""


def known_of(submission: Submission) -> Known:
    """What the student of a submission knows."""
    sources = {unit.name: unit.source for unit in submission.units}
    sources |= {f"{name}.py": source for name, source in submission.modules.items()}
    return Known(
        PYTHONS | {word for source in sources.values() for word in WORD.findall(source)},
        {name: source.count("\n") + 1 for name, source in sources.items()},
    )


def of_error(raised: Raised, known: Known) -> tuple[str, str]:
    """What to say of an exception: (message, hint); the hint is empty when nothing better is known.

    Args:
        raised: the exception.
        known: what may be shown.
    """
    words, place = known.words, known.place(raised)
    named = raised.function and "<module>" not in raised.function and _known(raised.function, words)
    within = f", in `{clean(raised.function, 60)}`" if named else ""
    kind = raised.kind if raised.kind in words else raised.builtin
    if raised.package and _known(raised.package, words):
        package = clean(raised.package, 40)
        return (
            f"Your code uses {package}{place}{within}, and {package} is not installed where it is graded.",
            f"Write this part without {package}: the exercise needs nothing but Python's math module.",
        )
    for pattern, advice in PATTERNS:
        if pattern.fullmatch(raised.message) and _known(_quoted(raised.message), words):
            return f"Your code raised {kind}{place}{within}: {clean(raised.message)}.", advice
    return f"Your code raised {kind}{place}{within}.", ""


def _known(text: str, words: frozenset[str]) -> bool:
    """Whether a text names nothing that is not in ``words``."""
    return words.issuperset(WORD.findall(text))


def _quoted(message: str) -> str:
    """The names in one of the interpreter's messages: in quotes, or a function's at the start."""
    return " ".join("".join(groups) for groups in QUOTED.findall(message))


def of_use(raised: BaseException) -> tuple[str, str]:
    """What to say where a hidden test trips over what the student's code gave: (message, hint), as ``of_error``."""
    if isinstance(raised, AttributeError) and raised.obj is None:
        return "Your code gave None here.", "Does what is called here end with a `return`?"
    return "Your code gave something that cannot be used here: is it a number, or None?", ""


def of_missing(name: str, *, own: bool) -> str:
    """What to say of a name that is not there."""
    return f"`{name}` is not written yet." if own else f"This needs `{name}`, which is not written yet."


def of_loading(submission: Submission, loaded: Loaded, seconds: float) -> list[str]:
    """What to say of a submission's code that did not run well when it was loaded."""
    sentences = list(submission.notes)
    for unit, notes in groupby(loaded.notes, key=lambda note: note.unit):
        first, *more = notes
        name = clean(submission.units[unit].name, 80) if 0 <= unit < len(submission.units) else "the file"
        also = (
            f" So were {len(more)} more after it." if len(more) > 1 else " So was one more after it." if more else ""
        )
        line = _line(submission, unit, first.line)
        sentences.append(_of_note(first, name, line, seconds, alone=len(submission.units) == 1) + also)
    missing = [clean(name, 40) for name in loaded.missing if name not in TEMPLATE_MODULES][:10]
    if missing:
        names = listed(missing)
        verb = "is" if len(missing) == 1 else "are"
        sentences.append(
            f"{names} {verb} not installed where your code is graded. Importing costs nothing; using it in a graded "
            "method does."
        )
    return sentences


def _line(submission: Submission, unit: int, number: int) -> list[str]:
    """One line of a submission, if there is such a line: the process that names it may lie."""
    if not 0 <= unit < len(submission.units):
        return []
    lines = submission.units[unit].source.splitlines()
    return lines[number - 1 : number] if 0 < number <= len(lines) else []


def _of_note(note: LoadNote, unit: str, line: list[str], seconds: float, *, alone: bool) -> str:
    shown = f", `{clean(line[0].strip(), 60)}`" if line else ""
    place = f"{unit}, line {note.line}{shown}" if note.line else unit
    match note.kind:
        case "broken":
            rest = "nothing of it could be run" if alone else "this cell was left out"
            return f"{place}: {clean(note.message)} ({clean(note.error, 40)}); {rest}."
        case "timed out":
            what = f"this did not end within {seconds:g} s"
        case "stopped":
            what = clean(note.message)
        case _:
            what = f"{clean(note.error, 40)}: {clean(note.message)}"
    return f"{place}: {what}; this statement was left out, and the rest was run."
