"""Read misconceptions and solution styles: edits of the reference solution."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, structs

from autograder.course.model import Assignment
from autograder.course.yaml_documents import YamlEntry, read_entries_and_faults, read_list_file, read_yaml_document
from autograder.faults import CourseFault, CourseWarning

FEWEST_ALIKE = 0.8
"""How like the searched line another one must be to be proposed as the one that was meant."""


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
    searched_line = next(line.strip() for line in searched_text.splitlines() if line.strip())
    solution_lines = [line.strip() for line in original_solution.splitlines()]
    if nearest := get_close_matches(searched_line, solution_lines, 1, FEWEST_ALIKE):
        number = solution_lines.index(nearest[0]) + 1
        return f"{problem}; the nearest is line {number}: {nearest[0]!r}", "copy it from there"
    return problem, "fix it after a change of the solution"


Sentence = Annotated[str, Meta(min_length=1)]


class Misconception(Struct, frozen=True, forbid_unknown_fields=True):
    """A named mistake: edits that make the reference solution wrong, with an explanation and hints."""

    id: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: Sentence
    concepts: Annotated[tuple[str, ...], Meta(min_length=1)]
    """The concepts in which it must lose marks."""
    edits: Annotated[tuple[SourceEdit, ...], Meta(min_length=1)]
    explanation: Sentence
    """What the program does; a sentence that begins with "Often" says how that comes about."""
    hints: Annotated[tuple[Sentence, ...], Meta(min_length=3, max_length=3)]
    """A question, where to look, and what to change."""
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
    files = [
        (path, read_list_file(path, MisconceptionCatalogue, "misconceptions"))
        for path in list_misconception_files(assignment)
    ]
    _check_ids_and_pairs(files)
    catalogue = MisconceptionCatalogue(
        misconceptions=tuple(one for _, catalogue in files for one in catalogue.misconceptions),
        pairs=tuple(pair for _, catalogue in files for pair in catalogue.pairs),
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


def read_misconception_entries_and_faults(assignment: Assignment) -> tuple[list[YamlEntry], list[CourseFault]]:
    """Return every usable entry in the files of misconceptions, and the first mistake of each other one."""
    entries, faults = [], list[CourseFault]()
    for path in list_misconception_files(assignment):
        try:
            found = read_entries_and_faults(read_yaml_document(path), MisconceptionCatalogue, "misconceptions")
        except CourseFault as fault:
            found = [], [fault]
        entries += found[0]
        faults += found[1]
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
    mentioned = Counter(name for one in catalogue.misconceptions for name in {*one.concepts, *one.may_affect})
    for name in sorted(mentioned.keys() - names):
        warnings.warn(
            f"grading.yml lists no concept {name!r}, but the misconceptions name it {mentioned[name]} times",
            CourseWarning,
            stacklevel=3,
        )
    listed = (
        structs.replace(
            one,
            concepts=tuple(name for name in one.concepts if name in names),
            may_affect=tuple(name for name in one.may_affect if name in names),
        )
        for one in catalogue.misconceptions
    )
    kept = {one.id: one for one in listed if one.concepts}
    pairs = tuple(pair for pair in catalogue.pairs if kept.keys() >= {*pair})
    return MisconceptionCatalogue(misconceptions=tuple(kept.values()), pairs=pairs)


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


def load_solution_styles(assignment: Assignment) -> tuple[SolutionStyle, ...]:
    """Return the plain style, followed by those in ``styles.yml`` beside the reference solution.

    Raises:
        CourseFault: the file cannot be read, or is malformed; all mistakes in it are reported together.
    """
    path = assignment.solution_file.parent / "styles.yml"
    return (SolutionStyle(PLAIN), *read_list_file(path, _StylesFile, "styles").styles)


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
        edited = solution_source
        for edit in edits:
            if edited.count(edit.old) != 1:
                break
            edited = edited.replace(edit.old, edit.new)
        else:
            return edited
    return None
