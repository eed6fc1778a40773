"""Collect the causes of failed tests, with the tests that follow from each, and choose the hints that are open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec import structs

from autograder.diagnosis import NamedMistake
from autograder.grading.results import OUTCOMES_WITH_FULL_POINTS, HiddenTestResult
from autograder.repair.model import EditDiff, Repair
from autograder.repair.words import ToldMistake, tell_mistakes
from autograder.reports.report_model import (
    ReportedTest,
    ScoreReport,
    filter_report_for_student,
    get_first_visible_stage,
    limit_explanations_for_student,
)
from autograder.reports.wording import add_full_stop
from autograder.text import format_count


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
    diffs: tuple[EditDiff, ...] = ()
    """The change that puts it right, where the repair says it and the reader may see it."""
    is_diff_open: bool = True
    """Whether the change is shown at once, and not after the last hint."""

    @property
    def concepts_suffix(self) -> str:
        """Return the concepts in parentheses, to follow the title; empty without any."""
        return f" ({', '.join(self.concepts)})" if self.concepts else ""

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
        """Return a phrase such as ``explains 7 failed tests``; empty if the report shows none of them."""
        blocked = sum(test.outcome == "blocked" for test in self.tests)
        failed = len(self.tests) - blocked
        noun = "failed test" if self.is_first else "more failed test"
        phrases = [format_count(failed, noun)] if failed else []
        if blocked:
            phrases.append(f"{blocked if failed else format_count(blocked, 'test')} that could not be run")
        return f"explains {' and '.join(phrases)}" if phrases else ""

    @property
    def first_failure_text(self) -> str:
        """Return the outcome of the first test, and what it saw."""
        return f"{self.tests[0].outcome}: {self.tests[0].message}"

    def list_test_sentences(self, max_sentences: int) -> tuple[str, ...]:
        """Return what the tests ask for: the first few, and how many more there are."""
        return tuple(sentence for sentence, _ in pair_sentences_with_tests(self.tests, max_sentences))

    def pair_sentences_with_tests(self) -> tuple[tuple[str, str], ...]:
        """Return all that the tests ask for, each sentence with the id of its first test."""
        return pair_sentences_with_tests(self.tests, len(self.tests))


def pair_sentences_with_tests(tests: Iterable[ReportedTest], max_sentences: int) -> tuple[tuple[str, str], ...]:
    """Return what tests ask for: the first few sentences, each once and with the id of its first test.

    The cases of a parametrized test have one sentence. The last text says how many more tests there are.
    """
    ids: dict[str, list[str]] = {}
    for test in tests:
        ids.setdefault(test.sentence, []).append(test.id)
    pairs = [(text if len(of) == 1 else f"{text} ({len(of)} tests)", of[0]) for text, of in ids.items()]
    more = sum(map(len, [*ids.values()][max_sentences:]))
    return (*pairs[:max_sentences], *([(f"and {format_count(more, 'more test')}", "")] if more else []))


def list_causes(report: ScoreReport) -> list[DisplayedCause]:
    """Return the named causes in the diagnosis's order, or else what the repair mends, in the order of lines.

    Each failed test is with the first cause that explains it. If one mistake is named and one is mended, they are the
    same, and explain what either explains.
    """
    mistakes = _tell_repaired_mistakes(report)
    unexplained_tests = _map_failed_tests_by_id(report)
    causes: list[DisplayedCause] = []

    def take_tests(test_ids: Iterable[str]) -> tuple[tuple[ReportedTest, ...], bool]:
        """Return those of the tests that no earlier cause explains, and whether none explains any."""
        wanted = {*test_ids}
        tests = tuple(unexplained_tests.pop(name) for name in [*unexplained_tests] if name in wanted)
        return tests, not any(earlier_cause.tests for earlier_cause in causes)

    for cause in report.diagnosis.causes:
        is_same = len(mistakes) == len(report.diagnosis.causes) == 1
        tests, is_first = take_tests((*cause.tests, *(mistakes[0].mends if is_same else ())))
        suspect_by_title: dict[str, NamedMistake] = {}
        for suspect in cause.misconceptions:
            suspect_by_title.setdefault(suspect.title, suspect)
        causes.append(DisplayedCause((*suspect_by_title.values(),), cause.concepts, tests, is_first))
    for mistake in () if causes else mistakes:
        tests, is_first = take_tests(mistake.mends)
        causes.append(_make_cause(mistake, tests, is_first))
    return causes


def list_repairs_of_named_causes(report: ScoreReport) -> list[DisplayedCause]:
    """Return what the repair mends, to stand below the named causes; nothing where it is the causes itself."""
    mistakes = _tell_repaired_mistakes(report) if report.diagnosis.causes else ()
    return [_make_cause(mistake, (), False) for mistake in mistakes]


def get_shown_repair_or_none(report: ScoreReport) -> Repair | None:
    """Return the repair that a report shows: one that was proven."""
    repair = report.diagnosis.repair
    return repair if repair and repair.edits and repair.proven else None


def _tell_repaired_mistakes(report: ScoreReport) -> tuple[ToldMistake, ...]:
    repair = get_shown_repair_or_none(report)
    tried = [name for name, test in _map_failed_tests_by_id(report).items() if test.outcome != "not attempted"]
    return tell_mistakes(repair, tried) if repair else ()


def _make_cause(mistake: ToldMistake, tests: tuple[ReportedTest, ...], is_first: bool) -> DisplayedCause:
    suspect = NamedMistake(id="", title=mistake.title, explanation=mistake.summary, hints=mistake.steps)
    concepts = tuple(dict.fromkeys(test.concept for test in tests))
    return DisplayedCause((suspect,), concepts, tests, is_first, mistake.diffs, mistake.is_for_staff)


def _map_failed_tests_by_id(report: ScoreReport) -> dict[str, ReportedTest]:
    return {test.id: test for test in report.tests if test.outcome not in OUTCOMES_WITH_FULL_POINTS}


def map_test_ids_to_causes(report: ScoreReport) -> dict[str, DisplayedCause]:
    """Return the cause behind each failed test that has one, by the test's id."""
    return {test.id: cause for cause in list_causes(report) for test in cause.tests}


UNTRIED_OUTCOMES = ("blocked", "not attempted")
TRIED_AND_LOST = ("failed", "error", "timeout", "crashed")


def map_failed_tests_to_plainer_ones(results: Sequence[HiddenTestResult]) -> dict[str, HiddenTestResult]:
    """Return, by its id, for each failed test the plain one of its concept that failed before it, if there is one.

    The plain test of some names is the first of the concept that is about them. A test that raised something else, or
    was stopped otherwise, does not follow.

    Args:
        results: the results of a submission's tests, in the order of the suite.
    """
    plain_by_concept: dict[str, dict[frozenset[str], HiddenTestResult]] = {}
    found: dict[str, HiddenTestResult] = {}
    for result in results:
        spec = result.spec
        plain_by_names = plain_by_concept.setdefault(spec.concept, {})
        if result.outcome in TRIED_AND_LOST:
            needed = {*spec.required_names, *spec.tested_names}
            plainer = [one for names, one in plain_by_names.items() if names <= needed and _may_follow(result, one)]
            if plainer:
                found[spec.id] = found.get(plainer[0].spec.id, plainer[0])
        plain_by_names.setdefault(frozenset(spec.tested_names), result)
    return found


def _may_follow(result: HiddenTestResult, plain: HiddenTestResult) -> bool:
    is_alike = result.outcome == "failed" or result.message == plain.message
    return plain.outcome in TRIED_AND_LOST and is_alike


def find_concept_to_fix_first(report: ScoreReport) -> str:
    """Return the first failing concept, to be fixed before later ones; empty if the hints of all concepts are shown.

    Concepts depend on each other in the order of ``grading.yml``, and a bonus depends on all of them.
    """
    if list_causes(report) or report.status.message:
        return ""
    failed_concepts = {
        test.concept for test in report.tests if test.outcome not in (*OUTCOMES_WITH_FULL_POINTS, *UNTRIED_OUTCOMES)
    }
    return next(
        (concept.name for concept in report.concepts if concept.name in failed_concepts and not concept.bonus), ""
    )


def redirect_hints_to_first_fix(report: ScoreReport) -> ScoreReport:
    """Return the report for a list of single tests: a withheld hint is replaced by a note on what to fix first.

    What is said at one test is not said again at those below it that are seen at the same time.

    Args:
        report: the whole report, or the part that a student sees.
    """
    report = limit_explanations_for_student(report)
    visible_report = filter_report_for_student(
        report, get_first_visible_stage([test.visibility for test in report.tests])
    )
    causes = map_test_ids_to_causes(visible_report)
    first_concept = find_concept_to_fix_first(visible_report)
    tests: list[ReportedTest] = []
    said = set[tuple[str, str]]()
    for test in report.tests:
        hint = test.hint
        if cause := causes.get(test.id):
            hint = f"Fix this first: {add_full_stop(cause.joined_titles)} {cause.first_hint}".rstrip()
        elif hint and first_concept and test.concept != first_concept:
            hint = f"Fix {first_concept} first: this may follow from it."
        tests.append(structs.replace(test, hint="" if (test.visibility, hint) in said else hint))
        said.add((test.visibility, hint))
    return structs.replace(report, tests=tests)
