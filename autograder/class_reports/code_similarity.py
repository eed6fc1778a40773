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
    max_pairs: int = 200,
) -> SimilarCodeFindings:
    """Compare all programs of a class with each other.

    Args:
        programs: what students handed in.
        given_sources: source that the course gave to students, such as the template and the lecture's code;
            passages in it are ignored.
        unreadable_submission_ids: submissions that could not be read.
        max_pairs: how many pairs to report.
    """
    ordered = sorted(programs, key=lambda program: program.name)
    course = [tokenize_code(source) for source in given_sources]
    templates = {replace_names_by_numbers(tokens) for tokens in course}
    alike: dict[tuple[str, ...], list[SubmittedProgram]] = defaultdict(list)
    tokens: dict[tuple[str, ...], tuple[CodeToken, ...]] = {}
    read: dict[str, tuple[CodeToken, ...]] = {}
    for program in ordered:
        if program.source not in read:
            read[program.source] = tuple(tokenize_code(program.source))
        key = replace_names_by_numbers(read[program.source])
        alike[key].append(program)
        tokens[key] = read[alike[key][0].source]
    untouched = [program.name for key in alike if key in templates or not key for program in alike[key]]
    own = {key: found for key, found in alike.items() if key not in templates and key}
    taken = {one for some in course for one in map_fingerprints_to_positions([token.shape for token in some])}
    versions = [
        _Version(tuple(found), tokens[key], map_fingerprints_to_positions([token.shape for token in tokens[key]]))
        for key, found in own.items()
    ]
    common = _find_common(versions) - taken
    pairs = _find_pairs(versions, taken | common)
    return SimilarCodeFindings(
        programs=len(ordered),
        identical=tuple(_find_groups(own.values(), by_bytes=True)),
        renamed=tuple(_find_groups(own.values(), by_bytes=False)),
        pairs=tuple(pairs[:max_pairs]),
        untouched=tuple(sorted(untouched)),
        unread=tuple(unreadable_submission_ids),
        common=len(common),
    )


def _find_groups(alike: Iterable[Sequence[SubmittedProgram]], *, by_bytes: bool) -> list[tuple[str, ...]]:
    """Return groups of different students with the same bytes, or with other bytes and the same normalised code."""
    groups = []
    for programs in alike:
        same: dict[str, list[SubmittedProgram]] = defaultdict(list)
        for program in programs:
            same[program.source].append(program)
        if by_bytes:
            groups += [found for found in same.values() if _are_different(found)]
        elif len(same) > 1 and _are_different(programs):
            groups.append([*programs])
    return sorted((tuple(one.name for one in found) for found in groups), key=lambda names: (-len(names), names))


def _are_different(programs: Sequence[SubmittedProgram]) -> bool:
    """Return whether programs are by more than one student, as far as that is known."""
    shared = frozenset.intersection(*(program.owners for program in programs))
    return len(programs) > 1 and not shared


def _find_common(versions: Sequence[_Version]) -> set[int]:
    """Return the passages that too many programs have to be evidence."""
    counts = Counter(one for version in versions for one in version.passages)
    most = max(COMMON_LEAST, COMMON_SHARE * len(versions))
    return {one for one, count in counts.items() if count > most}


def _find_pairs(versions: Sequence[_Version], left_out: Collection[int]) -> list[SimilarProgramPair]:
    """Return the pairs with enough common passages, the most similar first."""
    own = [version.passages.keys() - left_out for version in versions]
    shares: dict[tuple[int, int], tuple[float, int]] = {}
    for first, second in combinations(range(len(versions)), 2):
        shared = len(own[first] & own[second])
        if shared >= LEAST_PASSAGES:
            share = shared / min(len(own[first]), len(own[second]))
            if share >= LEAST_SHARE and not versions[first].owners & versions[second].owners:
                shares[first, second] = (share, shared)
    by_version: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for (first, second), (share, _) in shares.items():
        by_version[first].append((share, second))
        by_version[second].append((share, first))
    ranked = sorted(shares, key=lambda pair: (-shares[pair][0], -shares[pair][1], versions[pair[0]].names))
    pairs = []
    for first, second in ranked:
        share, shared = shares[first, second]
        near = {other for one in (first, second) for has, other in by_version[one] if has >= share}
        others = sum(len(versions[other].programs) for other in near - {first, second})
        both = own[first] & own[second]
        pairs.append(_make_pair(versions[first], versions[second], both, share, shared, others))
    return pairs


def _make_pair(
    first: _Version, second: _Version, passages: Collection[int], share: float, shared: int, others: int
) -> SimilarProgramPair:
    return SimilarProgramPair(
        (first.names, second.names), share, shared, others, (_mark(first, passages), _mark(second, passages))
    )


def _mark(version: _Version, passages: Collection[int]) -> tuple[CodeLine, ...]:
    """Return the lines of a program, with those marked that lie in one of these passages."""
    marked = {
        version.tokens[at].line
        for one in passages
        for start in version.passages[one]
        for at in range(start, min(start + RUN, len(version.tokens)))
    }
    lines = split_source_lines(version.programs[0].source)
    return tuple(CodeLine(number + 1, line, number in marked) for number, line in enumerate(lines))
