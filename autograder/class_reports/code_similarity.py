"""Find programs of a class that share passages, apart from what the course gave."""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from autograder.course import Assignment
from autograder.submissions import UngradableSubmission, read_submission

TOKEN = re.compile(
    r"""
    (?P<string> [bfru]{0,2} (?: '{3}(?:[^\\']|\\.|'(?!''))*(?:'{3})? | \"{3}(?:[^\\"]|\\.|"(?!""))*(?:\"{3})?
      | '(?:[^\\'\n]|\\.)*'? | "(?:[^\\"\n]|\\.)*"? ) )
    | (?P<name> [^\W\d]\w* )
    | (?P<number> \.?\d (?: e[-+]\d | [\w.] )* )
    | (?P<operator> -> | (?: \*\* | // | >> | << | [-+*/%@&|^=<>:] )=? | != | [~;,.()\[\]{}] )
    | \#[^\n]*
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
"""Matches a token or a comment of Python; in what is no Python, whatever looks like one. It never fails midway."""
FIXED_WORDS = frozenset({*keyword.kwlist, *dir(builtins), "self", "cls"})
"""The words that are not a student's choice."""


class CodeToken(NamedTuple):
    """One token of a program."""

    text: str
    start: int
    """The offset of its first character in the source."""
    kind: str
    """``name``, ``number`` or ``string``; empty for an operator and one of ``FIXED_WORDS``."""

    @property
    def shape(self) -> str:
        """Return the token with names and values replaced by their kind; Python's own names stay."""
        if self.kind == "name":
            return self.text if self.text.startswith("__") else "n"
        return "0" if self.kind == "number" else "s" if self.kind == "string" else self.text


def tokenize_code(source: str) -> list[CodeToken]:
    """Return the tokens of Python source, whether or not it is valid, without comments and docstrings."""
    code, tokens = _use_plain_line_ends(source), []
    for found in TOKEN.finditer(code):
        kind, text, start = found.lastgroup, found[0], found.start()
        if kind is None or (kind == "string" and _is_alone_on_its_lines(code, start, found.end())):
            continue
        if kind == "operator" or (kind == "name" and text in FIXED_WORDS and code[start - 1 : start] != "."):
            kind = ""
        tokens.append(CodeToken(text, start, kind))
    return tokens


def _is_alone_on_its_lines(code: str, start: int, end: int) -> bool:
    """Return whether nothing else stands on the lines of a string, as of a docstring."""
    before = code[code.rfind("\n", 0, start) + 1 : start]
    return not before.strip() and not code[end : (code + "\n").find("\n", end)].strip()


def _use_plain_line_ends(source: str) -> str:
    return source.replace("\r\n", "\n").replace("\r", "\n")


def replace_names_by_numbers(tokens: Iterable[CodeToken]) -> tuple[str, ...]:
    """Return tokens with each name replaced by the number of its first use, so that renaming makes no difference.

    >>> replace_names_by_numbers(tokenize_code("total = total + x  # add"))
    ('#0', '=', '#0', '+', '#1')
    """
    numbers: dict[str, str] = {}
    return tuple(
        numbers.setdefault(token.text, f"#{len(numbers)}") if token.kind == "name" else token.text for token in tokens
    )


RUN = 12
"""Tokens per hashed run, about two lines; shorter equal passages are never found."""
WINDOW = 8
"""Hashes per window; equal passages of ``RUN + WINDOW - 1`` tokens always share a fingerprint."""


def map_fingerprints_to_positions(normalized_tokens: Sequence[str]) -> dict[int, list[int]]:
    """Return the fingerprints of a program, each with the tokens at which its passages begin.

    >>> program = [f"t{number}" for number in range(100)]
    >>> first, second = map_fingerprints_to_positions(program), map_fingerprints_to_positions(["import", *program])
    >>> len(first.keys() & second.keys()) >= len(first) - 1
    True
    """
    hashes = _hash_runs(normalized_tokens)
    positions_by_hash: dict[int, list[int]] = {}
    position = -1  # of the least hash in the window, the last one of equals
    for end in range(max(0, min(WINDOW, len(hashes)) - 1), len(hashes)):
        start = max(0, end - WINDOW + 1)
        if position < start:
            least = min(hashes[start : end + 1])
            position = max(at for at in range(start, end + 1) if hashes[at] == least)
        elif hashes[end] <= hashes[position]:
            position = end
        else:
            continue
        positions_by_hash.setdefault(hashes[position], []).append(position)
    return positions_by_hash


BASE, BITS = 0x9E3779B97F4A7C15, (1 << 64) - 1


def _hash_runs(shapes: Sequence[str]) -> list[int]:
    """Return a hash of each run of ``RUN`` tokens, made of the one before it: a rolling hash, by Karp and Rabin."""
    leaving, value, hashes = pow(BASE, RUN, BITS + 1), 0, []
    numbers = [_hash_shape(shape) for shape in shapes]
    for at, number in enumerate(numbers):
        value = (value * BASE + number - (leaving * numbers[at - RUN] if at >= RUN else 0)) & BITS
        if at >= RUN - 1:
            hashes.append(value)
    return hashes


@lru_cache(maxsize=100_000)
def _hash_shape(shape: str) -> int:
    return int.from_bytes(hashlib.blake2b(shape.encode("utf-8", "replace"), digest_size=8).digest())


CAUTION = (
    "This is a list of questions, not of cheats. Students work from one lecture and one template, and a right "
    "program of thirty lines can be written in few ways. What the course gave and what many of this class have was "
    "left out; the rest may still come from a book, a tutor or a group that was allowed. A program can also be taken "
    "without its author's knowledge. Look at how many others share as much, at odd names, and at mistakes that both "
    "have; then talk to both students before you decide anything."
)
"""The meaning of a finding of equal code, shown wherever there is one."""


@dataclass(frozen=True, slots=True)
class SubmittedProgram:
    """The code of one submission, and its students."""

    name: str
    """The submission's id."""
    source: str
    owners: frozenset[str] = frozenset()
    """The students of the submission, where known; two attempts of the same student are not reported."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of a program, and whether it is in a passage that both programs have."""

    number: int
    """From 1."""
    text: str
    shared: bool


@dataclass(frozen=True, slots=True)
class SimilarProgramPair:
    """Two programs with common passages that are neither given by the course nor common in the class."""

    names: tuple[tuple[str, ...], tuple[str, ...]]
    """The submissions on either side; several if they are equal except for names, comments and layout."""
    share: float
    """The share of the smaller program's own passages that the other one has, from 0 to 1."""
    shared: int
    """The number of common passages."""
    others: int
    """The number of other submissions of this class that share at least as much with one of the two."""
    lines: tuple[tuple[CodeLine, ...], tuple[CodeLine, ...]]


@dataclass(frozen=True, slots=True)
class SimilarCodeFindings:
    """Submissions that are the same or nearly the same."""

    programs: int
    """The number of compared programs."""
    identical: tuple[tuple[str, ...], ...]
    """Groups of submissions with the same code, letter for letter."""
    renamed: tuple[tuple[str, ...], ...]
    """Groups that are equal except for names, comments and layout, but differ in letters."""
    pairs: tuple[SimilarProgramPair, ...]
    """Near ones, the most similar first."""
    untouched: tuple[str, ...]
    """Submissions of the unchanged template, which are not a finding."""
    unread: tuple[str, ...]
    """Submissions that could not be compared."""
    common: int
    """The number of passages ignored because many programs of this class have them."""


def select_findings(findings: SimilarCodeFindings, is_about: Callable[[str], bool]) -> SimilarCodeFindings:
    """Return the findings about at least one of some submissions, with all of whom they are."""
    return replace(
        findings,
        identical=tuple(group for group in findings.identical if any(map(is_about, group))),
        renamed=tuple(group for group in findings.renamed if any(map(is_about, group))),
        pairs=tuple(pair for pair in findings.pairs if any(map(is_about, chain(*pair.names)))),
        untouched=tuple(filter(is_about, findings.untouched)),
        unread=tuple(filter(is_about, findings.unread)),
    )


def replace_submission_names(
    findings: SimilarCodeFindings, get_shown_name: Callable[[str], str]
) -> SimilarCodeFindings:
    """Return the finding with each submission under another name, and in the order of these names."""

    def replace_names(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(map(get_shown_name, names)))

    def replace_group_names(groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        return tuple(sorted(map(replace_names, groups), key=lambda names: (-len(names), names)))

    pairs = (_replace_pair_names(pair, replace_names) for pair in findings.pairs)
    return replace(
        findings,
        identical=replace_group_names(findings.identical),
        renamed=replace_group_names(findings.renamed),
        pairs=tuple(sorted(pairs, key=lambda pair: (-pair.share, -pair.shared, pair.names))),
        untouched=replace_names(findings.untouched),
        unread=replace_names(findings.unread),
    )


def _replace_pair_names(
    pair: SimilarProgramPair, replace_names: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> SimilarProgramPair:
    (names, lines), (other_names, other_lines) = sorted(
        ((replace_names(names), lines) for names, lines in zip(pair.names, pair.lines, strict=True)),
        key=lambda names_and_lines: names_and_lines[0],
    )
    return replace(pair, names=(names, other_names), lines=(lines, other_lines))


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
    programs: Iterable[SubmittedProgram], given_sources: Iterable[str], unreadable_submission_ids: Sequence[str] = ()
) -> SimilarCodeFindings:
    """Compare all programs of a class with each other.

    Args:
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
        pairs=tuple(pairs),
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
    """Return the pairs with enough common passages, the most similar first, up to ``MOST_PAIRS``."""
    passage_sets = [version.passages.keys() - excluded_passages for version in versions]
    shares: dict[tuple[int, int], tuple[float, int]] = {}
    for first, second in _find_candidates(passage_sets):
        shared_count = len(passage_sets[first] & passage_sets[second])
        if shared_count >= LEAST_PASSAGES:
            share = shared_count / min(len(passage_sets[first]), len(passage_sets[second]))
            if share >= LEAST_SHARE and not versions[first].owners & versions[second].owners:
                shares[first, second] = (share, shared_count)
    by_version: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for (first, second), (share, _) in shares.items():
        by_version[first].append((share, second))
        by_version[second].append((share, first))
    ranked_pairs = sorted(shares, key=lambda pair: (-shares[pair][0], -shares[pair][1], pair))
    pairs = []
    for first, second in ranked_pairs[:MOST_PAIRS]:
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


def _find_candidates(passage_sets: Sequence[Collection[int]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs that may share enough: all that do, and few others.

    Of two programs, the smaller one shares at least ``least`` of its n passages. So it shares one of any
    n - least + 1 of them, and only programs that have one of its rarest are looked at.
    """
    holders: dict[int, list[int]] = defaultdict(list)
    for index, passages in enumerate(passage_sets):
        for passage in passages:
            holders[passage].append(index)
    for index, passages in enumerate(passage_sets):
        least = max(LEAST_PASSAGES, int(LEAST_SHARE * len(passages)))
        rarest = sorted(passages, key=lambda passage: len(holders[passage]))[: max(0, len(passages) - least + 1)]
        for other in {other for passage in rarest for other in holders[passage]}:
            if (len(passage_sets[other]), other) > (len(passages), index):
                yield min(index, other), max(index, other)


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
    positions = {
        position
        for passage in passages
        for start in version.passages[passage]
        for position in range(start, min(start + RUN, len(version.tokens)))
    }
    code = _use_plain_line_ends(version.programs[0].source)
    marked_lines = {1 + code.count("\n", 0, version.tokens[position].start) for position in positions}
    return tuple(CodeLine(number, line, number in marked_lines) for number, line in enumerate(code.split("\n"), 1))


def try_read_submission_code(submission_path: Path, assignment: Assignment) -> str | None:
    """Return the code of a submission as one text; None if it cannot be read."""
    try:
        submission = read_submission(submission_path, assignment)
    except UngradableSubmission:
        return None
    return "\n\n".join([*(unit.source for unit in submission.units), *submission.modules.values()])


def try_read_submission_codes(submission_paths: Iterable[Path], assignment: Assignment) -> list[str | None]:
    """Return the code of each of some submissions, as ``try_read_submission_code`` does."""
    return [try_read_submission_code(path, assignment) for path in submission_paths]


def iterate_given_sources(assignment: Assignment, other_given_paths: Iterable[Path] = ()) -> Iterator[str]:
    """Yield the source that students were given: the template, the public tests, and other given files."""
    folders = [assignment.template_folder, assignment.folder / "public", *other_given_paths]
    for path in folders:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix.lower() in (".py", ".ipynb") and file.is_file():
                source = try_read_submission_code(file, assignment)
                if source:
                    yield source
