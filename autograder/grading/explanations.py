"""Explain to students what happened, then what to try.

``text_filter`` decides which of a process's words may appear.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from autograder.bridge.errors import ReportedException, StudentStopped, StudentTimeout
from autograder.grading.interpreter_messages import BY_IDENTITY, EQ_OF_A_DATACLASS
from autograder.grading.source_slips import SourceSlip, find_dataclasses, find_source_slips
from autograder.grading.text_filter import collect_known_words, find_advice, find_names_in_message, is_known_name
from autograder.safe_text import clean_text
from autograder.submissions import Submission


@dataclass(frozen=True, slots=True)
class KnownToStudent:
    """What the student knows already, and a message may hold.

    A process that was shown a hidden test's numbers could put them into any text that it sends.
    """

    words: frozenset[str] = frozenset()
    """The words and numbers in the submission's own text, Python's and the contract's; see ``text_filter``."""
    lines: dict[str, int] = field(default_factory=dict)
    """How many lines each of its files or cells has."""
    facts: tuple[SourceSlip, ...] = ()
    """Slips in its source."""
    dataclasses: frozenset[str] = frozenset()
    """Its classes whose `__eq__` is the one that `@dataclass` makes."""
    class_name: str = ""
    """The class that the assignment asks for; empty where it asks for functions alone."""

    def describe_place(self, raised: ReportedException) -> str:
        """Say where something was raised; return an empty text if the submission has no such line."""
        there = 0 < raised.line <= self.lines.get(raised.unit, 0)
        return f" at {raised.unit}, line {raised.line}" if there else ""

    def choose_hint(self, names: Collection[str], words: str) -> str:
        """Say what to try instead of a test's own hint, if a slip in the source explains what the test saw.

        Args:
            names: the functions that the test needs.
            words: what the test says, or the exception's message.
        """
        return next((fact.hint for fact in self.facts if fact.explains(names, words)), "")


def collect_known_to_student(submission: Submission, names: Collection[str] = ()) -> KnownToStudent:
    """Collect what the author of a submission knows already.

    Args:
        submission: the submission.
        names: the names that the assignment asks for; the first one in capitals is the class that students write.
    """
    sources = {unit.name: unit.source for unit in submission.units}
    sources |= {f"{name}.py": source for name, source in submission.modules.items()}
    return KnownToStudent(
        collect_known_words(sources.values(), names),
        {name: source.count("\n") + 1 for name, source in sources.items()},
        find_source_slips(sources),
        find_dataclasses(sources),
        next((name for name in names if name[:1].isupper()), ""),
    )


def explain_exception(raised: ReportedException, known: KnownToStudent) -> tuple[str, str]:
    """Explain an exception as (message, hint); the hint is empty when nothing better is known.

    Args:
        raised: the exception.
        known: what may be shown.
    """
    words, place = known.words, known.describe_place(raised)
    within = f", in `{clean_text(raised.function, 60)}`" if is_known_name(raised.function, words) else ""
    kind = raised.kind if is_known_name(raised.kind, words) else raised.builtin
    if is_known_name(raised.package, words):
        package = clean_text(raised.package, 40)
        return (
            f"Your code uses {package}{place}{within}, and {package} is not installed where it is graded.",
            f"Write this part without {package}: the exercise needs nothing but Python's math module.",
        )
    advice = find_advice(raised.message, words, known.class_name)
    if advice is None:
        return f"Your code raised {kind}{place}{within}.", ""
    of_dataclass = advice == BY_IDENTITY and find_names_in_message(raised.message) & known.dataclasses
    hint = EQ_OF_A_DATACLASS if of_dataclass else advice
    return f"Your code raised {kind}{place}{within}: {clean_text(raised.message)}.", hint


def explain_misuse_in_test(raised: BaseException) -> tuple[str, str]:
    """Explain as ``explain_exception`` that a hidden test tripped over what the student's code gave:.

    Message, hint.
    """
    if isinstance(raised, AttributeError) and raised.obj is None:
        return "Your code gave None here.", "Does what is called here end with a `return`?"
    return "Your code gave something that cannot be used here: is it a number, or None?", ""


def explain_stopped_process(stopped: StudentStopped) -> str:
    """Explain that a process was ended, or ended itself."""
    place = stopped.place if isinstance(stopped, StudentTimeout) else None
    if place is None:
        return f"Your code was stopped: {clean_text(stopped.message)}."
    within = f"`{clean_text(place.function, 60)}`, " if place.function else ""
    where = f"{within}{clean_text(place.unit, 80)}, line {place.line}"
    if stopped.cause in ("sleep", "wall"):
        return f"Your code waits, and does not go on: it was in {where}, when its time was up."
    return f"Your code does not end: it was still in {where}, when its time was up."


def explain_missing_name(name: str, *, own: bool, written: bool = False) -> str:
    """Explain that a name is not there or, where ``written``, that it does not do what a test needs."""
    if written:
        return f"This needs `{name}`, which does not work yet."
    return f"`{name}` is not written yet." if own else f"This needs `{name}`, which is not written yet."
