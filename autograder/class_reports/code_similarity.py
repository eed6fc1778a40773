"""Find submissions with equal or similar code. Pure; the order of the class does not change the result.

The similarity of two programs is the share of the smaller one's own fingerprints that the other one has: containment
as in A. Broder, "On the resemblance and containment of documents" (1997), https://doi.org/10.1109/SEQUEN.1997.666900.
Names are replaced and the fingerprints chosen as in ``winnowing``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from autograder.class_reports.code_tokens import (
    CodeToken,
    replace_names_by_numbers,
    split_source_lines,
    tokenize_code,
)
from autograder.class_reports.similar_code_findings import (
    CodeLine,
    SimilarCodeFindings,
    SimilarProgramPair,
    SubmittedProgram,
)
from autograder.class_reports.winnowing import RUN, map_fingerprints_to_positions

LEAST_SHARE = 0.6
LEAST_PASSAGES = 8
"""Fewest common passages for a pair to be reported: about a quarter of a small engine."""
MOST_PAIRS = 200
"""The number of pairs that are reported, the most similar first."""
COMMON_SHARE, COMMON_LEAST = 0.1, 5
"""A passage in more than a tenth of the programs, and in more than five, counts as common to the class."""


@dataclass(frozen=True, slots=True)
class _Version:
    """A program with all submissions of it: they are equal except for names, comments and layout."""

    programs: tuple[SubmittedProgram, ...]
    tokens: tuple[CodeToken, ...]
    passages: dict[int, list[int]]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(program.name for program in self.programs)

    @property
    def owners(self) -> frozenset[str]:
        return frozenset().union(*(program.owners for program in self.programs))


def find_similar_code(
    programs: Iterable[SubmittedProgram],
    given_sources: Iterable[str],
    unreadable_submission_ids: Sequence[str] = (),
) -> SimilarCodeFindings:
    """Compare all programs of a class with each other.

    Args:
        programs: what students handed in.
        given_sources: source that the course gave to students, such as the template and the lecture's code;
            passages in it are ignored.
        unreadable_submission_ids: submissions that could not be read.
    """
    sorted_programs = sorted(programs, key=lambda program: program.name)
    course_tokens = [tokenize_code(source) for source in given_sources]
    templates = {replace_names_by_numbers(tokens) for tokens in course_tokens}
    programs_by_key: dict[tuple[str, ...], list[SubmittedProgram]] = defaultdict(list)
    tokens_by_key: dict[tuple[str, ...], tuple[CodeToken, ...]] = {}
    tokens_by_source: dict[str, tuple[CodeToken, ...]] = {}
    for program in sorted_programs:
        if program.source not in tokens_by_source:
            tokens_by_source[program.source] = tuple(tokenize_code(program.source))
        key = replace_names_by_numbers(tokens_by_source[program.source])
        programs_by_key[key].append(program)
        tokens_by_key[key] = tokens_by_source[programs_by_key[key][0].source]
    untouched_names = [
        program.name for key in programs_by_key if key in templates or not key for program in programs_by_key[key]
    ]
    own_programs = {key: group for key, group in programs_by_key.items() if key not in templates and key}
    course_passages = {
        passage
        for tokens in course_tokens
        for passage in map_fingerprints_to_positions([token.shape for token in tokens])
    }
    versions = [
        _Version(
            tuple(group),
            tokens_by_key[key],
            map_fingerprints_to_positions([token.shape for token in tokens_by_key[key]]),
        )
        for key, group in own_programs.items()
    ]
    common_passages = _find_common(versions) - course_passages
    pairs = _find_pairs(versions, course_passages | common_passages)
    return SimilarCodeFindings(
        programs=len(sorted_programs),
        identical=tuple(_find_groups(own_programs.values(), by_letters=True)),
        renamed=tuple(_find_groups(own_programs.values(), by_letters=False)),
        pairs=tuple(pairs[:MOST_PAIRS]),
        untouched=tuple(sorted(untouched_names)),
        unread=tuple(unreadable_submission_ids),
        common=len(common_passages),
    )


def _find_groups(program_groups: Iterable[Sequence[SubmittedProgram]], *, by_letters: bool) -> list[tuple[str, ...]]:
    """Return groups of different students with the same code, or with code that only normalised is the same."""
    groups = []
    for programs in program_groups:
        programs_by_source: dict[str, list[SubmittedProgram]] = defaultdict(list)
        for program in programs:
            programs_by_source[program.source].append(program)
        if by_letters:
            groups += [group for group in programs_by_source.values() if _are_different(group)]
        elif len(programs_by_source) > 1 and _are_different(programs):
            groups.append([*programs])
    return sorted(
        (tuple(program.name for program in group) for group in groups), key=lambda names: (-len(names), names)
    )


def _are_different(programs: Sequence[SubmittedProgram]) -> bool:
    """Return whether programs are by more than one student, as far as that is known."""
    shared_owners = frozenset.intersection(*(program.owners for program in programs))
    return len(programs) > 1 and not shared_owners


def _find_common(versions: Sequence[_Version]) -> set[int]:
    """Return the passages that too many programs have to be evidence."""
    counts = Counter(passage for version in versions for passage in version.passages)
    max_count = max(COMMON_LEAST, COMMON_SHARE * len(versions))
    return {passage for passage, count in counts.items() if count > max_count}


def _find_pairs(versions: Sequence[_Version], excluded_passages: Collection[int]) -> list[SimilarProgramPair]:
    """Return the pairs with enough common passages, the most similar first."""
    passage_sets = [version.passages.keys() - excluded_passages for version in versions]
    shares: dict[tuple[int, int], tuple[float, int]] = {}
    for first, second in combinations(range(len(versions)), 2):
        shared_count = len(passage_sets[first] & passage_sets[second])
        if shared_count >= LEAST_PASSAGES:
            share = shared_count / min(len(passage_sets[first]), len(passage_sets[second]))
            if share >= LEAST_SHARE and not versions[first].owners & versions[second].owners:
                shares[first, second] = (share, shared_count)
    by_version: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for (first, second), (share, _) in shares.items():
        by_version[first].append((share, second))
        by_version[second].append((share, first))
    ranked_pairs = sorted(shares, key=lambda pair: (-shares[pair][0], -shares[pair][1], versions[pair[0]].names))
    pairs = []
    for first, second in ranked_pairs:
        share, shared_count = shares[first, second]
        near_indexes = {
            neighbour
            for index in (first, second)
            for neighbour_share, neighbour in by_version[index]
            if neighbour_share >= share
        }
        neighbour_count = sum(len(versions[neighbour].programs) for neighbour in near_indexes - {first, second})
        common_passages = passage_sets[first] & passage_sets[second]
        pairs.append(
            _make_pair(versions[first], versions[second], common_passages, share, shared_count, neighbour_count)
        )
    return pairs


def _make_pair(
    first: _Version,
    second: _Version,
    passages: Collection[int],
    share: float,
    shared_count: int,
    neighbour_count: int,
) -> SimilarProgramPair:
    return SimilarProgramPair(
        (first.names, second.names),
        share,
        shared_count,
        neighbour_count,
        (_mark_lines(first, passages), _mark_lines(second, passages)),
    )


def _mark_lines(version: _Version, passages: Collection[int]) -> tuple[CodeLine, ...]:
    """Return the lines of a program, with those marked that lie in one of these passages."""
    marked_lines = {
        version.tokens[position].line
        for passage in passages
        for start in version.passages[passage]
        for position in range(start, min(start + RUN, len(version.tokens)))
    }
    lines = split_source_lines(version.programs[0].source)
    return tuple(CodeLine(number + 1, line, number in marked_lines) for number, line in enumerate(lines))
