"""Draw the submissions of a class from the wheats, the styles, the catalogue of mistakes and lists of troubles."""

from __future__ import annotations

import ast
import csv
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from autograder.course import Assignment
from autograder.course.misconceptions import (
    SourceEdit,
    apply_edits,
    list_alternative_solutions,
    load_misconception_catalogue,
    load_solution_styles,
    try_apply_style_and_mistakes,
)
from autograder.course.yaml_documents import read_yaml_document
from benchmarks.generated_class.ungradable import UNGRADABLE
from benchmarks.generated_class.variants import essence, retyped

Kind = Literal["right", "wrong", "ungradable", "hanging"]

HANGING = Path(__file__).with_name("hanging.yml")
HOW_MANY_MISTAKES = (1, 1, 1, 1, 1, 1, 2, 2, 2, 3)
"""One of these numbers for each wrong submission."""
INDEX = "index.tsv"


@dataclass(frozen=True, slots=True)
class Made:
    """One submission of a generated class."""

    path: Path
    kind: Kind
    what: str
    """The wheat, the style and the mistakes, or the trouble."""


class _Hanging(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    edits: tuple[SourceEdit, ...]


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    hanging: tuple[_Hanging, ...]


def make_class(folder: Path, assignment: Assignment, size: int = 200, seed: int = 1) -> list[Made]:
    """Write a class and its index.

    Args:
        folder: where to; made, and must not exist. The submissions lie in ``submissions`` below it.
        assignment: the autograd engine.
        size: the number of submissions, 20 or more.
        seed: another one gives another class.

    Returns:
        The submissions, in the order of their names; the kinds are mixed.
    """
    draws = random.Random(seed)
    drawn = [
        (kind, what, content)
        for kind, source in _sources(assignment, draws).items()
        for (what, content), _ in zip(source(), range(_shares(size)[kind]), strict=False)
    ]
    draws.shuffle(drawn)
    (folder / "submissions").mkdir(parents=True)
    made = []
    for number, (kind, what, content) in enumerate(drawn):
        made.append(Made(folder / "submissions" / f"student{number:04}.py", kind, what))
        made[-1].path.write_bytes(content)
    with (folder / INDEX).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(("submission", "kind", "what"))
        writer.writerows((one.path.name, one.kind, one.what) for one in made)
    return made


def _shares(size: int) -> dict[Kind, int]:
    few = max(1, round(size * 0.05))
    wrong = round(size * 0.4)
    return {"right": size - wrong - 2 * few, "wrong": wrong, "ungradable": few, "hanging": few}


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


Source = Callable[[], Iterator[tuple[str, bytes]]]


def _sources(assignment: Assignment, draws: random.Random) -> dict[Kind, Source]:
    """Return where the submissions of each kind come from; each source is endless."""
    solution = assignment.solution_file.read_text(encoding="utf-8")
    styles = load_solution_styles(assignment)
    seen: set[str] = set()

    def is_new(source: str) -> bool:
        found = essence(source)
        new = found not in seen
        seen.add(found)
        return new

    def right() -> Iterator[tuple[str, bytes]]:
        alternatives = list_alternative_solutions(assignment)
        draws.shuffle(alternatives)
        for path in alternatives:
            if is_new(path.read_text(encoding="utf-8")):
                yield path.stem, path.read_bytes()
        while True:
            style = draws.choice(styles)
            source = retyped(try_apply_style_and_mistakes(style, solution, ()) or solution, draws)
            if is_new(source):
                yield f"retyped in style {style.id}", source.encode()

    def wrong() -> Iterator[tuple[str, bytes]]:
        # Mistakes that depend on addresses would make one class give two results.
        mistakes = [
            one for one in load_misconception_catalogue(assignment).misconceptions if not one.nondeterministic
        ]
        bonus = {concept.name for concept in assignment.concepts if concept.bonus}
        draws.shuffle(mistakes)
        mistakes.sort(key=lambda one: bonus.issuperset(one.concepts))  # few students write the bonus
        popularity = [1 / (rank + 2) for rank in range(len(mistakes))]
        while True:
            style, count = draws.choice(styles), draws.choice(HOW_MANY_MISTAKES)
            source = None
            while source is None:  # mistakes do not fit together where one replaces what another one looks for
                chosen = draws.choices(mistakes, popularity, k=count)
                source = (
                    try_apply_style_and_mistakes(style, solution, chosen)
                    if len({one.id for one in chosen}) == count
                    else None
                )
                source = source if source is not None and _is_python(source) else None
            source = retyped(source, draws)
            if is_new(source):
                yield f"{style.id}: {', '.join(one.id for one in chosen)}", source.encode()

    def ungradable() -> Iterator[tuple[str, bytes]]:
        while True:
            for name, trouble in UNGRADABLE.items():
                yield name, trouble(retyped(solution, draws))

    def hanging() -> Iterator[tuple[str, bytes]]:
        troubles = msgspec.convert(read_yaml_document(HANGING).data, _File).hanging
        while True:
            for trouble in troubles:
                source = apply_edits(solution, trouble.edits, f"{HANGING}: {trouble.id}")
                yield trouble.id, retyped(source, draws).encode()

    return {"right": right, "wrong": wrong, "ungradable": ungradable, "hanging": hanging}
