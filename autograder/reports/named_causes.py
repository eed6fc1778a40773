"""Collect the causes that a diagnosis names, each with the failed tests that follow from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.diagnosis import Cause, NamedMistake
from autograder.english_wording import format_count
from autograder.grading.hidden_test_model import OUTCOMES_WITH_FULL_POINTS
from autograder.reports.report_model import ReportedTest, ScoreReport


@dataclass(frozen=True, slots=True)
class DisplayedCause:
    """A cause as a student reads it: what it is called, and what follows from it."""

    suspects: tuple[NamedMistake, ...]
    """The possible mistakes, one for each title; several if the evidence does not distinguish them."""
    concepts: tuple[str, ...]
    tests: tuple[ReportedTest, ...]
    """Failed tests that the report shows, without those that an earlier cause explains."""
    is_first: bool
    """Whether no earlier cause explains a test."""

    @property
    def joined_titles(self) -> str:
        """Return the titles of all suspects."""
        return " or ".join(suspect.title for suspect in self.suspects)

    @property
    def first_hint(self) -> str:
        """Return the first of the cause's hints; empty if there are none."""
        return next(iter(self.suspects[0].hints), "")

    @property
    def suspects_with_prefix(self) -> tuple[tuple[str, NamedMistake], ...]:
        """Return each suspect with the word before its title: ``either: ``, ``or: `` or nothing."""
        if len(self.suspects) == 1:
            return (("", self.suspects[0]),)
        first_suspect, *other_suspects = self.suspects
        return (("either: ", first_suspect), *(("or: ", suspect) for suspect in other_suspects))

    @property
    def explained_tests_phrase(self) -> str:
        """Return a phrase such as ``explains 7 failed tests``; empty if the report shows none of them.

        A general mistake, which says what was seen of a part, concerns the tests that need this part: another mistake
        may be behind some of them.
        """
        noun = "failed test" if self.is_first else "more failed test"
        verb = "explains" if self.suspects[0].kind == "specific" else "concerns"
        return f"{verb} {format_count(len(self.tests), noun)}" if self.tests else ""

    @property
    def first_failure_text(self) -> str:
        """Return the outcome of the first test, and what it saw."""
        return f"{self.tests[0].outcome}: {self.tests[0].message}"

    def list_test_sentences(self, max_sentences: int) -> tuple[str, ...]:
        """Return what the tests ask for: the first few, and how many more there are."""
        return summarize_sentences(self.tests, max_sentences)


def summarize_sentences(tests: Iterable[ReportedTest], max_sentences: int) -> tuple[str, ...]:
    """Return what tests ask for: the first few sentences, each once, and how many more tests there are.

    The cases of a parametrized test have one sentence.
    """
    counts = Counter(test.sentence for test in tests)
    sentences = [sentence if count == 1 else f"{sentence} ({count} tests)" for sentence, count in counts.items()]
    more = sum([*counts.values()][max_sentences:])
    return (*sentences[:max_sentences], *([f"and {format_count(more, 'more test')}"] if more else []))


def list_named_causes(report: ScoreReport) -> list[DisplayedCause]:
    """Return the named causes in the diagnosis's order; each failed test is with the first one that explains it."""
    causes: list[DisplayedCause] = []
    unexplained_tests = {test.id: test for test in report.tests if test.outcome not in OUTCOMES_WITH_FULL_POINTS}
    for cause in report.diagnosis.causes:
        tests = tuple(unexplained_tests.pop(name) for name in cause.tests if name in unexplained_tests)
        is_first = not any(earlier_cause.tests for earlier_cause in causes)
        causes.append(DisplayedCause(tuple(_iterate_suspects_by_title(cause)), cause.concepts, tests, is_first))
    return causes


def map_test_ids_to_causes(report: ScoreReport) -> dict[str, DisplayedCause]:
    """Return the cause behind each failed test that has one, by the test's id."""
    return {test.id: cause for cause in list_named_causes(report) for test in cause.tests}


def _iterate_suspects_by_title(cause: Cause) -> Iterator[NamedMistake]:
    titles: set[str] = set()
    for suspect in cause.misconceptions:
        if suspect.title not in titles:
            titles.add(suspect.title)
            yield suspect
