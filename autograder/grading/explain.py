"""Explain to students what happened, then what to try. ``shown`` decides which of a process's words may appear."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from autograder.bridge.errors import Raised, StudentStopped, StudentTimeout
from autograder.grading.messages import BY_IDENTITY, EQ_OF_A_DATACLASS
from autograder.grading.shown import advice_on, is_known_name, names_in, words_of
from autograder.grading.source_facts import Fact, dataclasses_in, facts_in
from autograder.submissions import Submission
from autograder.text import clean


@dataclass(frozen=True, slots=True)
class Known:
    """What the student knows already, and a message may hold.

    A process that was shown a hidden test's numbers could put them into any text that it sends.
    """

    words: frozenset[str] = frozenset()
    """The words and numbers in the submission's own text, Python's and the contract's; see ``shown``."""
    lines: dict[str, int] = field(default_factory=dict)
    """How many lines each of its files or cells has."""
    facts: tuple[Fact, ...] = ()
    """Slips in its source."""
    dataclasses: frozenset[str] = frozenset()
    """Its classes whose `__eq__` is the one that `@dataclass` makes."""

    def place(self, raised: Raised) -> str:
        """Say where something was raised; return an empty text if the submission has no such line."""
        there = 0 < raised.line <= self.lines.get(raised.unit, 0)
        return f" at {raised.unit}, line {raised.line}" if there else ""

    def hint(self, names: Collection[str], words: str) -> str:
        """Say what to try instead of a test's own hint, if a slip in the source explains what the test saw.

        Args:
            names: the functions that the test needs.
            words: what the test says, or the exception's message.
        """
        return next((fact.hint for fact in self.facts if fact.explains(names, words)), "")


def known_of(submission: Submission, names: Collection[str] = ()) -> Known:
    """Collect what the author of a submission knows already.

    Args:
        submission: the submission.
        names: the names that the assignment asks for.
    """
    sources = {unit.name: unit.source for unit in submission.units}
    sources |= {f"{name}.py": source for name, source in submission.modules.items()}
    return Known(
        words_of(sources.values(), names),
        {name: source.count("\n") + 1 for name, source in sources.items()},
        facts_in(sources),
        dataclasses_in(sources),
    )


def of_error(raised: Raised, known: Known) -> tuple[str, str]:
    """Explain an exception as (message, hint); the hint is empty when nothing better is known.

    Args:
        raised: the exception.
        known: what may be shown.
    """
    words, place = known.words, known.place(raised)
    within = f", in `{clean(raised.function, 60)}`" if is_known_name(raised.function, words) else ""
    kind = raised.kind if is_known_name(raised.kind, words) else raised.builtin
    if is_known_name(raised.package, words):
        package = clean(raised.package, 40)
        return (
            f"Your code uses {package}{place}{within}, and {package} is not installed where it is graded.",
            f"Write this part without {package}: the exercise needs nothing but Python's math module.",
        )
    advice = advice_on(raised.message, words)
    if advice is None:
        return f"Your code raised {kind}{place}{within}.", ""
    of_dataclass = advice == BY_IDENTITY and names_in(raised.message) & known.dataclasses
    hint = EQ_OF_A_DATACLASS if of_dataclass else advice
    return f"Your code raised {kind}{place}{within}: {clean(raised.message)}.", hint


def of_use(raised: BaseException) -> tuple[str, str]:
    """Explain as ``of_error`` that a hidden test tripped over what the student's code gave: (message, hint)."""
    if isinstance(raised, AttributeError) and raised.obj is None:
        return "Your code gave None here.", "Does what is called here end with a `return`?"
    return "Your code gave something that cannot be used here: is it a number, or None?", ""


def of_stop(stopped: StudentStopped) -> str:
    """Explain that a process was ended, or ended itself."""
    place = stopped.place if isinstance(stopped, StudentTimeout) else None
    if place is None:
        return f"Your code was stopped: {clean(stopped.message)}."
    within = f"`{clean(place.function, 60)}`, " if place.function else ""
    where = f"{within}{clean(place.unit, 80)}, line {place.line}"
    if stopped.cause in ("sleep", "wall"):
        return f"Your code waits, and does not go on: it was in {where}, when its time was up."
    return f"Your code does not end: it was still in {where}, when its time was up."


def of_missing(name: str, *, own: bool, written: bool = False) -> str:
    """Explain that a name is not there or, where ``written``, that it does not do what a test needs."""
    if written:
        return f"This needs `{name}`, which does not work yet."
    return f"`{name}` is not written yet." if own else f"This needs `{name}`, which is not written yet."
