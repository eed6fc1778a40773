"""Explain to students what happened, and then what to try."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from autograder.bridge.student_exceptions import STOP_KINDS, ReportedException, StudentStopped, StudentTimeout
from autograder.grading.interpreter_messages import (
    BY_IDENTITY,
    EQ_OF_A_DATACLASS,
    NO_MESSAGE,
    collect_message_names,
    collect_showable_words,
    describe_end_of_program,
    find_hint_for_showable_message,
    is_known_name,
)
from autograder.grading.source_slips import (
    FailureExplainingSlip,
    find_dataclasses_with_generated_eq,
    find_slips,
)
from autograder.submissions import Submission
from autograder.text import escape_for_sentence


class RequiredNameNotUsable(Exception):
    """A name that a test needs is not there, is an untouched stub, or does not do what the test needs.

    Attributes:
        name: the name.
        is_tested_name: whether the test is about that very name.
        is_defined: whether the name is defined, but does not do what the test needs.
    """

    def __init__(self, name: str, *, is_tested_name: bool, is_defined: bool = False) -> None:
        super().__init__(name, is_tested_name, is_defined)
        self.name = name
        self.is_tested_name = is_tested_name
        self.is_defined = is_defined

    def __str__(self) -> str:
        return f"{self.name} {'does not work' if self.is_defined else 'is not written'} yet"


@dataclass(frozen=True, slots=True)
class DisclosableFacts:
    """Facts that the student already knows, and that a message may therefore contain.

    A process sees a hidden test's numbers, and could put them into any text that it sends.
    """

    known_words: frozenset[str] = frozenset()
    """The words and numbers in the submission's own text, Python's and the contract's."""
    line_count_by_file: dict[str, int] = field(default_factory=dict)
    """How many lines each of its files or cells has."""
    failure_explaining_slips: tuple[FailureExplainingSlip, ...] = ()
    """Slips in its source."""
    dataclass_names: frozenset[str] = frozenset()
    """Its classes whose `__eq__` is the one that `@dataclass` makes."""
    sources: dict[str, str] = field(default_factory=dict)
    """The text of each file or cell."""
    own_hints: tuple[tuple[str, str], ...] = ()
    """The assignment's own hints, each with a part of the interpreter's message that it is for."""

    def describe_raise_location(self, raised: ReportedException) -> str:
        """Return where something was raised, such as `` at value.py, line 3``, to be added to a sentence.

        The text begins with a space. It is empty if the submission has no such line.
        """
        there = 0 < raised.line <= self.line_count_by_file.get(raised.unit, 0)
        return f" at {raised.unit}, line {raised.line}" if there else ""

    def get_source_slip_hint(self, required_names: Collection[str], failure_text: str) -> str:
        """Return a hint that replaces a test's own one, if a slip in the source explains what the test saw.

        Args:
            required_names: the functions that the test needs.
            failure_text: what the test says, or the exception's message.
        """
        return next(
            (
                slip.hint
                for slip in self.failure_explaining_slips
                if slip.explains_failure(required_names, failure_text)
            ),
            "",
        )


def collect_disclosable_facts(
    submission: Submission, contract_names: Collection[str] = (), own_hints: tuple[tuple[str, str], ...] = ()
) -> DisclosableFacts:
    """Collect the facts that the author of a submission already knows.

    Args:
        submission: the submission.
        contract_names: the names that the assignment asks for.
        own_hints: the assignment's own hints.
    """
    sources = {unit.name: unit.source for unit in submission.units}
    sources |= {f"{name}.py": source for name, source in submission.modules.items()}
    return DisclosableFacts(
        collect_showable_words(sources.values(), contract_names),
        {name: source.count("\n") + 1 for name, source in sources.items()},
        find_slips(sources),
        find_dataclasses_with_generated_eq(sources),
        sources,
        own_hints,
    )


def explain_exception_with_hint(reported: ReportedException, disclosable_facts: DisclosableFacts) -> tuple[str, str]:
    """Explain an exception as (message, hint). A test's own hint speaks of wrong results, and never goes with one.

    Args:
        reported: the exception.
        disclosable_facts: what may be shown.
    """
    words, place = disclosable_facts.known_words, disclosable_facts.describe_raise_location(reported)
    within = f", in `{escape_for_sentence(reported.function, 60)}`" if is_known_name(reported.function, words) else ""
    kind = reported.kind if is_known_name(reported.kind, words) else reported.builtin
    if is_known_name(reported.package, words):
        package = escape_for_sentence(reported.package, 40)
        return (
            f"Your code uses {package}{place}{within}, and {package} is not installed where it is graded.",
            f"Write this part without {package}: the exercise needs nothing but Python's math module.",
        )
    advice = find_hint_for_showable_message(reported.message, words, disclosable_facts.own_hints)
    if ends := describe_end_of_program(reported.builtin, reported.message):
        return f"Your code {ends}{place}{within}.", advice or STOP_KINDS["exit"].hint
    if advice is None:
        return f"Your code raised {kind}{place}{within}.", NO_MESSAGE
    of_dataclass = (
        advice == BY_IDENTITY and collect_message_names(reported.message) & disclosable_facts.dataclass_names
    )
    hint = EQ_OF_A_DATACLASS if of_dataclass else advice
    return f"Your code raised {kind}{place}{within}: {escape_for_sentence(reported.message)}.", hint


def explain_test_exception(raised: BaseException) -> tuple[str, str]:
    """Explain that a hidden test raised because of a value from the student's code, as (message, hint)."""
    if isinstance(raised, AttributeError) and raised.obj is None:
        return "Your code gave None here.", "Does what is called here end with a `return`?"
    return "Your code gave something that cannot be used here: is it a number, or None?", ""


def explain_stopped_process(stopped: StudentStopped) -> str:
    """Explain to the student why a process was ended, or ended itself."""
    place = stopped.place if isinstance(stopped, StudentTimeout) else None
    if place is None:
        return f"Your code was stopped: {escape_for_sentence(stopped.message)}."
    within = f"`{escape_for_sentence(place.function, 60)}`, " if place.function else ""
    where = f"{within}{escape_for_sentence(place.unit, 80)}, line {place.line}"
    if stopped.cause in ("sleep", "wall"):
        return f"Your code waits, and does not go on: it was in {where}, when its time was up."
    if isinstance(stopped, StudentTimeout) and stopped.is_certain:
        return f"Your code does not end, or is far too slow: it was still in {where}, when its time was up."
    return f"Your code is too slow: it was still in {where}, when its time was up."


def explain_unusable_name(name: str, *, is_tested_name: bool, is_defined_but_failing: bool = False) -> str:
    """Explain that a name is missing, or that it is defined but does not do what a test needs."""
    if is_defined_but_failing:
        return f"This needs `{name}`, which does not work yet."
    return f"`{name}` is not written yet." if is_tested_name else f"This needs `{name}`, which is not written yet."
