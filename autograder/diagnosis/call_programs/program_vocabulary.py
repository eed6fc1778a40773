"""Put operations, values and observations together, and say which of them can be used with what a submission has."""

from __future__ import annotations

import ast
import builtins
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograder.diagnosis.call_programs.operation import PLACEHOLDER, RESULT, Operation
from autograder.diagnosis.program_family import LETTERS

Values = Sequence[Any] | Callable[[random.Random], Any]
"""Values to choose from, the simplest first; or a function that draws one."""
BUILTINS = frozenset(dir(builtins))
DRAWN = 24
"""Values drawn by such a function, from one seed: they are the same for everyone."""


@dataclass(frozen=True, eq=False)
class ProgramVocabulary:
    """The operations and values that programs are made of. Compared by identity: an assignment has one."""

    operations: tuple[Operation, ...]
    values: Mapping[str, tuple[Any, ...]]
    observe: Mapping[str, tuple[str, ...]]
    """For each kind of object, what to look at in the end: code with ``{}`` for the object."""

    def __post_init__(self) -> None:
        """Check that everything fits together.

        Raises:
            ValueError: a placeholder stands for nothing, or a kind cannot be made; it says which.
        """
        known = {*self.values, *self.produced_kinds}
        for operation in self.operations:
            for slot in operation.placeholders:
                if slot.name not in known:
                    raise ValueError(
                        f"{{{slot.name}}} in {operation.code!r} stands for nothing: no operation gives it, and "
                        f"`values` does not list it; known: {', '.join(sorted(known))}"
                    )
        for name, values in self.values.items():
            if not values or name in self.produced_kinds:
                raise ValueError(f"`values` lists nothing for {name!r}, or an operation gives it")
        for kind in {*self.produced_kinds, *self.observe}:
            if kind not in self.maker_index_by_object_kind:
                raise ValueError(f"no operation makes a first {kind!r}")
        for code in (code for codes in self.observe.values() for code in codes):
            try:
                ast.parse(code.replace(RESULT, "_"), mode="eval")
            except SyntaxError as error:
                raise ValueError(f"`observe` must hold expressions: {code!r}: {error.msg}") from error

    @cached_property
    def produced_kinds(self) -> frozenset[str]:
        """Return the kinds of objects that operations give."""
        return frozenset(one.gives for one in self.operations if one.gives)

    @cached_property
    def maker_index_by_object_kind(self) -> dict[str, int]:
        """Return the operation that makes an object of each kind from values and from kinds that come before."""
        return self.map_makeable_kinds_to_maker_index(range(len(self.operations)))

    def map_makeable_kinds_to_maker_index(self, usable_operation_indices: Collection[int]) -> dict[str, int]:
        """Return the operation that makes the first object of each kind, the kinds in an order in which they can be.

        Args:
            usable_operation_indices: the numbers of the operations that can be used.
        """
        made: dict[str, int] = {}
        while True:
            more = [
                (operation.gives, at)
                for at, operation in enumerate(self.operations)
                if at in usable_operation_indices and operation.gives and operation.gives not in made
                if all(slot.name in self.values or slot.name in made for slot in operation.placeholders)
            ]
            if not more:
                return made
            made.setdefault(*more[0])

    @cached_property
    def names_expected_of_submission(self) -> frozenset[str]:
        """Return the names that the code expects of a submission: classes and functions."""
        return frozenset(name for code in self._codes for name in list_unassigned_names(code)) - {"_"}

    @property
    def _codes(self) -> Iterator[str]:
        looks = (look for looks in self.observe.values() for look in looks)
        for code in (*(one.code for one in self.operations), *looks):
            yield PLACEHOLDER.sub("_", code).replace(RESULT, "_")

    @cached_property
    def unused_variable_names(self) -> tuple[str, ...]:
        """Return names for what programs make, without those that the code itself uses."""
        trees = map(ast.parse, self._codes)
        used = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
        return tuple(f"{letter}{number}" for number in ("", *range(2, 9)) for letter in LETTERS if letter not in used)


def list_unassigned_names(code: str | ast.AST) -> tuple[str, ...]:
    """Return the names that code uses without assigning them, apart from Python's own.

    Parameters, function and class definitions, and imports do not count as assignments.

    >>> list_unassigned_names("y = len(x) + z")
    ('z', 'x')
    """
    tree = ast.parse(code) if isinstance(code, str) else code
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return tuple(dict.fromkeys(node.id for node in names if node.id not in own | BUILTINS))


def list_or_draw_values(value_sources_by_name: Mapping[str, Values]) -> dict[str, tuple[Any, ...]]:
    """Return the values of each name; draw those that a function gives."""
    made: dict[str, tuple[Any, ...]] = {}
    for name, given in value_sources_by_name.items():
        if callable(given):
            pick = random.Random(0)
            drawn = [given(pick) for _ in range(DRAWN)]
            made[name] = tuple(dict(zip(map(repr, drawn), drawn, strict=True)).values())
        else:
            made[name] = tuple(given)
    return made
