"""Name the wrong parts of a submission: by misconceptions of the catalogue if they are proven, else by findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.course.misconceptions import Misconception
from autograder.course.solution_styles import SolutionStyle, try_apply_style_and_mistakes
from autograder.diagnosis.caches import LruCache
from autograder.diagnosis.diagnosis_model import NamedMistake
from autograder.diagnosis.naming.finding_groups import group_parts_by_merged_finding
from autograder.diagnosis.naming.general_mistake_texts import GeneralMistakeTemplate
from autograder.diagnosis.naming.misconception_matching import (
    MatchingMisconceptions,
    list_styles_plain_first,
    match_misconceptions_greedily,
)
from autograder.diagnosis.naming.misconception_observations_file import Observed
from autograder.diagnosis.naming.mistake_candidate_runs import MistakeCandidateRunner
from autograder.diagnosis.part_examination import PartResults, select_wrong_parts
from autograder.diagnosis.program_readings import ProgramReadings, was_stopped
from autograder.diagnosis.random_program_traces import RandomProgramTraces

MOST_TRIED = 12
"""How many choices of misconceptions and style are compared with one submission to find one that fits."""
MOST_OF_A_PART = 2
"""How many findings on one part are reported, the first ones: later ones mostly follow from them."""
MOST_REMEMBERED = 500
"""How many comparisons of submissions are remembered."""


@dataclass(frozen=True, slots=True)
class NamedWrongPartGroup:
    """A group of wrong parts, and the mistakes that are named for them."""

    parts: tuple[str, ...]
    named_mistakes: tuple[NamedMistake, ...]
    misconceptions: tuple[Misconception, ...] = ()
    """The proven misconceptions of the catalogue; empty if the name is that of a general mistake."""


@dataclass(frozen=True, slots=True)
class MistakeNamer:
    """Names the wrong parts of submissions to one assignment.

    The names come from its misconceptions and the templates of general mistakes.
    """

    catalogue: Mapping[str, Misconception]
    observed_misconceptions: Mapping[str, Observed]
    general_templates_by_id: Mapping[str, GeneralMistakeTemplate]
    styles: Mapping[str, SolutionStyle]
    solution_source: str
    """The reference solution's source."""
    candidate_runner: MistakeCandidateRunner
    confirmation_cache: LruCache[
        tuple[Sequence[MatchingMisconceptions], Sequence[Any], Sequence[ProgramReadings]],
        tuple[list[MatchingMisconceptions] | None],
    ]
    """The confirmed matches, by the matches, the programs and a submission's traces on them."""
    merged_findings: Mapping[str, Sequence[str]]
    """See ``AssignmentDiagnosis``."""

    def name_wrong_parts(
        self, results: PartResults, trace_random_and_failing_programs: Callable[[], RandomProgramTraces]
    ) -> list[NamedWrongPartGroup]:
        """Name the wrong parts for which there is a name.

        Args:
            results: the results of the submission's parts.
            trace_random_and_failing_programs: returns the submission's traces on random programs; called only if
                misconceptions match all wrong parts.

        Returns:
            Groups of parts with their names, in the order of the parts; parts without a name are left out. That a
            part was stopped is told, and is no evidence for a misconception.
        """
        wrong = select_wrong_parts(results)
        digests = {name: result.digest for name, result in wrong.items() if not result.was_stopped}
        found = match_misconceptions_greedily(digests, self.observed_misconceptions)
        explained = {part for match in found for part in match.parts}
        if found and explained == digests.keys():
            confirmed = self._confirmed(found, trace_random_and_failing_programs())
            if confirmed is not None:
                specific = [one for one in map(self._specific, confirmed) if one is not None]
                told = {part for one in specific for part in one.parts}
                rest = {part: result for part, result in wrong.items() if part not in told}
                places = [*wrong]
                return sorted(
                    [*specific, *self._seen(rest)], key=lambda one: min(places.index(part) for part in one.parts)
                )
        return [*self._seen(wrong)]

    def _confirmed(
        self, found: tuple[MatchingMisconceptions, ...], tried: RandomProgramTraces
    ) -> list[MatchingMisconceptions] | None:
        """Return the matches with only the names that random programs confirm; None if no choice of names fits.

        The result is remembered for equal matches, programs and traces, unless a run was stopped.
        """
        key = (found, tried.programs, tried.traces)
        known = self.confirmation_cache.get(key)
        if known is not None:
            return known[0]
        stopped = self.candidate_runner.stopped
        confirmed = self._compared(found, tried)
        if stopped == self.candidate_runner.stopped and not any(map(was_stopped, tried.traces)):
            self.confirmation_cache.store(key, (confirmed,))
        return confirmed

    def _compared(
        self, found: Sequence[MatchingMisconceptions], tried: RandomProgramTraces
    ) -> list[MatchingMisconceptions] | None:
        """Return what ``_confirmed`` does, without remembering it.

        Find a choice of one name for each match that fits. Then try every other name in its place, one at a time.
        """
        left = MOST_TRIED
        base: list[str] = []
        style = ""
        for names, one in self._choices(found):
            left -= 1
            if left < 0:
                return None
            if self._does_the_same(names, one, tried):
                base, style = names, one
                break
        if not base:
            return None
        confirmed = []
        for place, match in enumerate(found):
            same = [base[place]]
            for name in match.names:
                others = [*base[:place], name, *base[place + 1 :]]
                if name not in same and any(
                    self._does_the_same(others, one, tried) for one in dict.fromkeys((style, "plain"))
                ):
                    same.append(name)
            ordered = tuple(name for name in match.names if name in same)
            confirmed.append(MatchingMisconceptions(match.parts, ordered))
        return confirmed

    def _choices(self, found: Sequence[MatchingMisconceptions]) -> Iterator[tuple[list[str], str]]:
        """Yield choices to try: the ids of one misconception for each match, and a style.

        The first name of each match comes first, in every style. Then each further name takes the place of a first.
        """
        first = [match.names[0] for match in found]
        for style in list_styles_plain_first(first[0], self.observed_misconceptions):
            yield first, style
        for place, match in enumerate(found):
            for name in match.names[1:]:
                names = [*first[:place], name, *first[place + 1 :]]
                for style in list_styles_plain_first(name, self.observed_misconceptions):
                    yield names, style

    def _does_the_same(self, names: Sequence[str], style: str, tried: RandomProgramTraces) -> bool:
        source = try_apply_style_and_mistakes(
            self.styles[style], self.solution_source, [self.catalogue[name] for name in dict.fromkeys(names)]
        )
        return source is not None and self.candidate_runner.behaves_like_submission(source, tried)

    def _specific(self, match: MatchingMisconceptions) -> NamedWrongPartGroup | None:
        ones = [self.catalogue[name] for name in match.names]
        titles = {one.title: one for one in reversed(ones)}
        told = [one for one in ones if titles[one.title] is one]
        if len(told) > 1:
            return None  # each title says more than was seen, and at most one of them is true
        return NamedWrongPartGroup(
            tuple(sorted(match.parts)),
            tuple(
                NamedMistake(id=one.id, title=one.title, explanation=one.explanation, hints=one.hints) for one in told
            ),
            tuple(told),
        )

    def _seen(self, wrong: PartResults) -> Iterator[NamedWrongPartGroup]:
        """Yield general names for the findings on each part; equal findings on several parts get one name."""
        findings = [(name, finding) for name, result in wrong.items() for finding in result.findings[:MOST_OF_A_PART]]
        for parts, finding in group_parts_by_merged_finding(findings, self.merged_findings):
            if finding.finding_id in self.general_templates_by_id:
                yield NamedWrongPartGroup(
                    parts,
                    (self.general_templates_by_id[finding.finding_id].make_named_mistake(finding.quoted_values),),
                )
