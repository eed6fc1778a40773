"""Read misconceptions and solution styles: edits of the reference solution."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct, structs

from autograder.course.model import Assignment
from autograder.course.yaml_documents import (
    YamlDocument,
    YamlEntry,
    make_validation_fault,
    read_entries_and_faults,
    read_yaml_document,
)
from autograder.faults import CourseFault, CourseWarning, format_did_you_mean_suffix, raise_course_faults_if_any

FEWEST_ALIKE = 0.7
"""The share of a searched line's names that a line must match to be proposed as the one that was meant."""
NEARLY_THE_SAME = 0.85
NAME = re.compile(r"\w+")


class SourceEdit(Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of the reference solution, and the text that replaces it."""

    old: Annotated[str, Meta(min_length=1)]
    """The piece to replace; it must occur exactly once in the solution."""
    new: str


def apply_edits(solution_source: str, edits: Iterable[SourceEdit], owner_name: str) -> str:
    """Apply edits to the reference solution.

    Raises:
        CourseFault: a piece to be replaced does not occur exactly once in the solution at that point.
    """
    edited = solution_source
    for edit in edits:
        if edited.count(edit.old) != 1:
            problem, advice = explain_failed_edit(edit.old, edited, solution_source)
            raise CourseFault(problem, where=owner_name, advice=advice)
        edited = edited.replace(edit.old, edit.new)
    return edited


def explain_failed_edit(searched_text: str, edited_solution: str, original_solution: str) -> tuple[str, str]:
    """Return why a piece cannot be replaced, and what to do about it.

    Args:
        searched_text: the text that the edit looks for.
        edited_solution: the solution after all earlier edits.
        original_solution: the solution before any edit.
    """
    count = edited_solution.count(searched_text)
    problem = f"a piece to replace stands {count} times in the solution: {searched_text.strip()!r}"
    if count:
        return problem, "make it longer, until it stands there once"
    if searched_text in original_solution:
        return f"{problem}; an edit before it replaced that", "put the edits together"
    number, line = _find_nearest_line(searched_text, original_solution)
    if not number:
        return problem, "fix it after a change of the solution"
    if not _list_lines_missing(searched_text, original_solution):
        return (
            f"{problem}; its lines are there, first {line!r} in line {number}",
            "look at the indentation and the order",
        )
    return f"{problem}; the nearest is line {number}: {line!r}", "copy it from there"


def _list_lines_missing(piece: str, solution: str) -> list[str]:
    return [line for line in piece.splitlines() if line.strip() and line.strip() not in solution]


def _find_nearest_line(piece: str, solution: str) -> tuple[int, str]:
    """Return number and text of the solution's line that is most like the first missing line of a piece.

    The number is 0 if no line is alike enough. If no line of the piece is missing, its first non-empty line counts.
    """
    searched_lines = [*_list_lines_missing(piece, solution), *piece.split("\n")]
    searched_line = next((line.strip() for line in searched_lines if line.strip()), "")
    best_likeness, nearest = FEWEST_ALIKE, (0, "")
    for number, line in enumerate(solution.splitlines(), start=1):
        likeness = _compute_likeness(searched_line, line.strip())
        if likeness > best_likeness:
            best_likeness, nearest = likeness, (number, line.strip())
    return nearest


def _compute_likeness(searched_text: str, line: str) -> float:
    """Return how much of the wanted text is in a line in the same order, by whole names and numbers, from 0 to 1.

    Letters alone would make a long line like anything. They count where the two texts are nearly the same, as after a
    slip within a name.
    """
    words, line_words = NAME.findall(searched_text), NAME.findall(line)
    blocks = SequenceMatcher(None, words, line_words, autojunk=False).get_matching_blocks()
    common_length = sum(len("".join(words[block.a : block.a + block.size])) for block in blocks)
    by_letters = SequenceMatcher(None, searched_text, line, autojunk=False).ratio()
    return max(common_length / max(len("".join(words)), 1), by_letters if by_letters >= NEARLY_THE_SAME else 0.0)


Sentence = Annotated[str, Meta(min_length=1)]


class Misconception(Struct, frozen=True, forbid_unknown_fields=True):
    """A named mistake: edits that make the reference solution wrong, with an explanation and hints."""

    id: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: Sentence
    concepts: Annotated[tuple[str, ...], Meta(min_length=1)]
    """The concepts in which it must lose marks."""
    edits: Annotated[tuple[SourceEdit, ...], Meta(min_length=1)]
    explanation: Sentence
    hints: Annotated[tuple[Sentence, ...], Meta(min_length=3, max_length=3)]
    """Three hints, from a question to what to change."""
    nondeterministic: bool = False
    """Whether its behaviour depends on memory addresses: it then looks different on every run, and is never named."""
    may_affect: tuple[str, ...] = ()
    """Further concepts in which it may lose marks, because these cannot be tested separately."""


class MisconceptionCatalogue(Struct, frozen=True, forbid_unknown_fields=True):
    """All misconceptions of an assignment."""

    misconceptions: tuple[Misconception, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    """Pairs of ids of misconceptions that a student may well have at once."""


def list_alternative_solutions(assignment: Assignment) -> list[Path]:
    """Return the files of the correct alternatives to the reference solution."""
    return sorted((assignment.solution_file.parent / "wheats").glob("*.py"))


def list_misconception_files(assignment: Assignment) -> list[Path]:
    """Return the files of misconceptions: ``misconceptions.yml`` and ``misconceptions/*.yml`` beside the solution."""
    folder = assignment.solution_file.parent
    single = folder / "misconceptions.yml"
    return [*([single] if single.is_file() else []), *sorted((folder / "misconceptions").glob("*.yml"))]


def load_misconception_catalogue(assignment: Assignment) -> MisconceptionCatalogue:
    """Read all files of misconceptions: ``misconceptions.yml``, then those in ``misconceptions/`` in order of name.

    The catalogue is empty if there are none.

    Concepts that ``grading.yml`` does not list are left out with a warning, and so are misconceptions that
    concern only such concepts.

    Raises:
        CourseFault: a file is malformed, holds an id twice, or names a pair of unknown ids.
    """
    files = [(path, _read_catalogue(path)) for path in list_misconception_files(assignment)]
    _check_ids_and_pairs(files)
    catalogue = MisconceptionCatalogue(
        misconceptions=tuple(
            misconception for _, file_catalogue in files for misconception in file_catalogue.misconceptions
        ),
        pairs=tuple(pair for _, file_catalogue in files for pair in file_catalogue.pairs),
    )
    return _keep_listed_concepts(catalogue, assignment)


def apply_misconceptions(solution_source: str, *misconceptions: Misconception) -> str:
    """Return the reference solution with the edits of these misconceptions.

    Raises:
        CourseFault: a piece to be replaced does not occur in the source exactly once.
    """
    for misconception in misconceptions:
        solution_source = apply_edits(solution_source, misconception.edits, misconception.id)
    return solution_source


def read_misconception_entries_and_faults(
    assignment: Assignment,
) -> tuple[list[YamlEntry], list[CourseFault]]:
    """Return the usable fields of every entry in the files of misconceptions, and every mistake in the files."""
    entries, faults = [], list[CourseFault]()
    for path in list_misconception_files(assignment):
        try:
            file_entries, file_faults = _read_entries(read_yaml_document(path))
        except CourseFault as fault:
            file_entries, file_faults = [], [fault]
        entries += file_entries
        faults += file_faults
    return entries, faults


def _read_catalogue(path: Path) -> MisconceptionCatalogue:
    document = read_yaml_document(path)
    try:
        return msgspec.convert(document.data, MisconceptionCatalogue)
    except msgspec.ValidationError as error:
        raise_course_faults_if_any(_read_entries(document)[1])
        raise make_validation_fault(document, error, advice="see docs/writing-tests.md") from error


def _read_entries(document: YamlDocument) -> tuple[list[YamlEntry], list[CourseFault]]:
    entries, faults = read_entries_and_faults(document, "misconceptions", Misconception)
    known_keys = MisconceptionCatalogue.__struct_fields__
    faults += [
        document.make_fault_at(
            f"unknown key {str(name)!r}{format_did_you_mean_suffix(str(name), known_keys)}",
            (str(name),),
            f"choose from {', '.join(known_keys)}",
        )
        for name in document.data
        if name not in known_keys
    ]
    return entries, faults


def _check_ids_and_pairs(files: list[tuple[Path, MisconceptionCatalogue]]) -> None:
    known_ids: set[str] = set()
    for path, catalogue in files:
        for misconception in catalogue.misconceptions:
            if misconception.id in known_ids:
                raise CourseFault(
                    f"two misconceptions have the id {misconception.id!r}",
                    where=str(path),
                    advice="give one another id",
                )
            known_ids.add(misconception.id)
    for path, catalogue in files:
        for pair in catalogue.pairs:
            if unknown := set(pair) - known_ids:
                raise CourseFault(
                    f"a pair names unknown misconceptions: {', '.join(sorted(unknown))}",
                    where=str(path),
                    advice="correct the ids, or take the pair out",
                )


def _keep_listed_concepts(catalogue: MisconceptionCatalogue, assignment: Assignment) -> MisconceptionCatalogue:
    """Return the catalogue without the concepts that the course does not list, since a course may be older."""
    names = {concept.name for concept in assignment.concepts}
    unlisted = Counter(
        name
        for misconception in catalogue.misconceptions
        for name in {*misconception.concepts, *misconception.may_affect} - names
    )
    if not unlisted:
        return catalogue
    for name, count in sorted(unlisted.items()):
        warnings.warn(
            f"grading.yml lists no concept {name!r}, but the misconceptions name it {count} times",
            CourseWarning,
            stacklevel=3,
        )
    misconceptions = []
    for misconception in catalogue.misconceptions:
        concepts = tuple(name for name in misconception.concepts if name in names)
        may_affect = tuple(name for name in misconception.may_affect if name in names)
        if concepts:
            misconceptions.append(structs.replace(misconception, concepts=concepts, may_affect=may_affect))
    kept_ids = {misconception.id for misconception in misconceptions}
    pairs = tuple(pair for pair in catalogue.pairs if kept_ids.issuperset(pair))
    return MisconceptionCatalogue(misconceptions=tuple(misconceptions), pairs=pairs)


PLAIN = "plain"
"""The id of the style of the unchanged reference solution."""


class SolutionStyle(Struct, frozen=True, forbid_unknown_fields=True):
    """An equally correct way to write the reference solution, as edits of it."""

    id: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    edits: tuple[SourceEdit, ...] = ()
    mistakes: bool = True
    """Whether misconceptions are observed in this style; if not, it only shows what tests ask of such an engine."""


class _StylesFile(Struct, frozen=True, forbid_unknown_fields=True):
    styles: tuple[SolutionStyle, ...] = ()


def _styles_file(assignment: Assignment) -> Path:
    return assignment.solution_file.parent / "styles.yml"


def load_solution_styles(assignment: Assignment) -> tuple[SolutionStyle, ...]:
    """Return the plain style, followed by those in ``styles.yml`` beside the reference solution.

    Raises:
        CourseFault: the file cannot be read, or is malformed; all mistakes in it are reported together.
    """
    path = _styles_file(assignment)
    if not path.is_file():
        return (SolutionStyle(PLAIN),)
    document = read_yaml_document(path)
    try:
        return (SolutionStyle(PLAIN), *msgspec.convert(document.data, _StylesFile).styles)
    except msgspec.ValidationError as error:
        raise_course_faults_if_any(read_entries_and_faults(document, "styles", SolutionStyle)[1])
        raise make_validation_fault(document, error, advice="see docs/writing-tests.md") from error


def try_apply_style_and_mistakes(
    style: SolutionStyle, solution_source: str, misconceptions: Sequence[Misconception]
) -> str | None:
    """Return the reference solution in this style, with these mistakes.

    Args:
        style: the style. Its edits are applied before those of the mistakes; if they do not fit then, after them.

    Returns:
        The source; None if the edits do not fit together.
    """
    mistakes = [edit for misconception in misconceptions for edit in misconception.edits]
    for edits in ((*style.edits, *mistakes), (*mistakes, *style.edits)):
        edited = _apply_edits_if_they_fit(solution_source, edits)
        if edited is not None:
            return edited
    return None


def _apply_edits_if_they_fit(source: str, edits: Sequence[SourceEdit]) -> str | None:
    for edit in edits:
        if source.count(edit.old) != 1:
            return None
        source = source.replace(edit.old, edit.new)
    return source
