"""Compose programs of the operations that an author lists: all small ones in order, random ones, and simpler ones."""

from __future__ import annotations

import ast
import builtins
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from autograder.diagnosis.definition import LETTERS

PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)(?::(\w+))?\}")
RESULT = "{}"
"""In code, the name of what it gives; in what to look at, the object."""
OPERATORS: dict[type, str] = {
    ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.Div: "__truediv__", ast.FloorDiv: "__floordiv__",
    ast.Mod: "__mod__", ast.Pow: "__pow__", ast.MatMult: "__matmul__", ast.USub: "__neg__", ast.Lt: "__lt__",
    ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__", ast.In: "__contains__", ast.NotIn: "__contains__",
}  # fmt: skip
FUNCTIONS = {
    "len": "__len__", "abs": "__abs__", "bool": "__bool__", "iter": "__iter__", "list": "__iter__",
    "sorted": "__iter__", "repr": "__repr__", "str": "__str__", "next": "__next__",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder: something to put into an operation's code."""

    name: str
    """A kind of object, or a name in ``values``."""
    label: str
    """Placeholders with one name and one label are the same thing; ``{Vector:a}`` has the label ``a``."""


@dataclass(frozen=True, eq=False)
class Operation:
    """One thing that programs do: ``Operation("{Vector} + {Vector}", gives="Vector")``. Compared by identity.

    Args:
        code: one expression, or some statements, as a student writes them. ``{Vector}`` stands for an object that an
            operation before gave, ``{numbers}`` for one of the values with that name. Two placeholders are two picks;
            with one label, as in ``{Vector:a}``, they are the same. Statements that give something write ``{}`` for
            its name: ``{} = Stack()`` and, in the next line, ``{}.push({number})``.
        gives: the kind of object that an expression gives, a name of your own. When empty, it gives plain data, which
            is looked at; None where what it gives is of no interest.
        about: names by which hidden tests say that they are about it; taken from the code when empty.
        bonus: whether the contract does not ask for it.
    """

    code: str
    gives: str | None = ""
    about: tuple[str, ...] = ()
    bonus: bool = False
    placeholders: tuple[Placeholder, ...] = field(init=False)
    """Its placeholders, each once."""

    def __post_init__(self) -> None:
        """Read the code.

        Raises:
            ValueError: it is not Python code.
        """
        tree = self._parse()
        is_expression = len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)
        if not is_expression and RESULT not in self.code:
            if self.gives:
                raise ValueError(
                    f"an operation that gives {self.gives!r} must be an expression, or have {{}} for its name: "
                    f"{self.code!r}"
                )
            object.__setattr__(self, "gives", None)
        object.__setattr__(self, "placeholders", tuple(dict.fromkeys(self._iterate_places())))
        object.__setattr__(self, "about", self.about or tuple(dict.fromkeys(_names_in(tree, self.gives))))

    def fill_placeholders(self, text_by_placeholder: Mapping[Placeholder, str], result_name: str = "") -> str:
        """Return the code with something in the place of each placeholder.

        Args:
            text_by_placeholder: what to put there.
            result_name: what to call what it gives; empty for no name.
        """
        places = self._iterate_places()
        code = PLACEHOLDER.sub(lambda _: text_by_placeholder[next(places)], self.code)
        if RESULT in self.code:
            return code.replace(RESULT, result_name or "it")
        return f"{result_name} = {code}" if result_name else code

    def _iterate_places(self) -> Iterator[Placeholder]:
        for place, match in enumerate(PLACEHOLDER.finditer(self.code)):
            yield Placeholder(match[1], match[2] or f"#{place}")

    def _parse(self) -> ast.Module:
        try:
            return ast.parse(PLACEHOLDER.sub(lambda m: f"_{m[1]}", self.code).replace(RESULT, "_it"))
        except SyntaxError as error:
            raise ValueError(f"an operation is not valid Python: {self.code!r}: {error.msg}") from error


def _names_in(tree: ast.Module, gives: str | None) -> Iterator[str]:
    """Yield the names of methods, functions and classes that code uses, as tests call them; the outermost first."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)):
                yield name
            case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
                yield FUNCTIONS[name]
            case ast.Call(func=ast.Name(id=name)) if name not in dir(builtins):
                yield name
                if name == gives:
                    yield "__init__"
            case ast.BinOp(op=operator) | ast.UnaryOp(op=operator) | ast.AugAssign(op=operator):
                yield from [OPERATORS[type(operator)]] if type(operator) in OPERATORS else []
            case ast.Compare(ops=operators):
                yield from (OPERATORS[type(one)] for one in operators if type(one) in OPERATORS)
            case ast.Subscript(ctx=ast.Load()):
                yield "__getitem__"
            case ast.Subscript(ctx=ast.Store()):
                yield "__setitem__"


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
        makers = find_makers(self.operations, self.values)
        for kind in {*self.produced_kinds, *self.observe}:
            if kind not in makers:
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


def find_makers(operations: Iterable[Operation], values: Container[str]) -> dict[str, Operation]:
    """Return the operation that makes the first object of each kind, the kinds in an order in which they can be.

    Args:
        operations: the operations that can be used.
        values: names of values; a maker needs these, and kinds that come before its own.
    """
    makers: dict[str, Operation] = {}
    while True:
        maker = next(
            (
                one
                for one in operations
                if one.gives and one.gives not in makers
                if all(slot.name in values or slot.name in makers for slot in one.placeholders)
            ),
            None,
        )
        if maker is None or not maker.gives:
            return makers
        makers[maker.gives] = maker


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


@dataclass(frozen=True, slots=True)
class OperationStep:
    """One operation of a program."""

    operation: Operation
    operands: tuple[int, ...]
    """For each of its placeholders: the step that gave the object, or which of the values."""

    def iterate_operands(self) -> Iterator[tuple[Placeholder, int]]:
        """Yield each placeholder with its operand."""
        return zip(self.operation.placeholders, self.operands, strict=True)


@dataclass(frozen=True, slots=True)
class CallProgram:
    """Operations, one after the other, and in the end a look at what they made."""

    vocabulary: ProgramVocabulary
    steps: tuple[OperationStep, ...]

    @property
    def step_result_names_or_empty(self) -> tuple[str, ...]:
        """Return the name of what each step gives; empty where it gives nothing."""
        letters = iter(self.vocabulary.unused_variable_names)
        return tuple("" if step.operation.gives is None else next(letters) for step in self.steps)

    def format_steps(self) -> tuple[str, ...]:
        """Return the code of each step."""
        names, values = self.step_result_names_or_empty, self.vocabulary.values
        codes = []
        for step, result_name in zip(self.steps, names, strict=True):
            texts = {
                slot: repr(values[slot.name][operand]) if slot.name in values else names[operand]
                for slot, operand in step.iterate_operands()
            }
            codes.append(step.operation.fill_placeholders(texts, result_name))
        return tuple(codes)

    def format_lines(self) -> tuple[str, ...]:
        """Return the whole program as a student writes it."""
        return tuple(line for code in self.format_steps() for line in code.split("\n"))

    def list_observed_expressions(self) -> tuple[str, ...]:
        """Return the expressions that are looked at in the end, in the order in which their objects were made."""
        found = []
        for name, step in zip(self.step_result_names_or_empty, self.steps, strict=True):
            gives = step.operation.gives
            if name:
                looks = self.vocabulary.observe.get(gives, ()) if gives else ("{}",)
                found += [code.replace(RESULT, name) for code in looks]
        return tuple(found)

    def get_used_step_indices(self, step_index: int) -> frozenset[int]:
        """Return the steps that gave what a step uses."""
        values = self.vocabulary.values
        return frozenset(
            operand for slot, operand in self.steps[step_index].iterate_operands() if slot.name not in values
        )


Steps = tuple[OperationStep, ...]
NEAREST = 3
"""Objects of a kind that a small program chooses from: those made last."""


class CallProgramComposer:
    """Makes programs of the operations that can be used."""

    def __init__(self, vocabulary: ProgramVocabulary, usable: Sequence[Operation]) -> None:
        """Make nothing yet.

        Args:
            vocabulary: what programs are made of.
            usable: the operations that can be used.
        """
        self.vocabulary, self.usable, self._values = vocabulary, usable, vocabulary.values
        self._makers = find_makers(usable, self._values)

    def enumerate_extensions(
        self, steps: Steps, operation: Operation, offset: int = 0, *, must_use_earlier_steps: bool = True
    ) -> Iterator[Steps]:
        """Yield every way to do one more operation.

        Args:
            steps: the steps before.
            operation: the operation.
            offset: where to begin in the list of values.
            must_use_earlier_steps: whether it must use something that was there before.
        """
        return self._fill(steps, operation, (), offset, len(steps) if must_use_earlier_steps else 0)

    def draw_steps(self, pick: random.Random, operation_count: int, last: Operation) -> Steps:
        """Draw operations on objects and values.

        Args:
            pick: draws.
            operation_count: how many operations, without those that only make the first objects.
            last: the last operation.
        """
        steps: Steps = ()
        for number in range(operation_count):
            operation = last if number == operation_count - 1 else self.usable[pick.randrange(len(self.usable))]
            operands: list[int] = []
            for slot in operation.placeholders:
                if slot.name in self._values:
                    operands.append(pick.randrange(len(self._values[slot.name])))
                    continue
                there = self._find_objects(steps, slot.name)
                chosen = pick.randrange(len(there) + 1)
                if chosen == len(there):
                    steps = self._make(steps, slot.name, pick.randrange(len(self.vocabulary.operations)))
                    operands.append(len(steps) - 1)
                else:
                    operands.append(there[chosen])
            steps = (*steps, OperationStep(operation, tuple(operands)))
        return steps

    def _fill(
        self, steps: Steps, operation: Operation, operands: tuple[int, ...], offset: int, must_use_below: int
    ) -> Iterator[Steps]:
        slots = operation.placeholders
        if len(operands) == len(slots):
            step = OperationStep(operation, operands)
            used = [operand for slot, operand in step.iterate_operands() if slot.name not in self._values]
            if not must_use_below or any(operand < must_use_below for operand in used):
                yield (*steps, step)
            return
        name = slots[len(operands)].name
        if name in self._values:
            used_here = sum(slot.name == name for slot in slots[: len(operands)])
            index = self._next_value(steps, name, offset + used_here)
            yield from self._fill(steps, operation, (*operands, index), offset, must_use_below)
            return
        made = self._make(steps, name, offset)
        ways = [(steps, one) for one in self._find_objects(steps, name)[:NEAREST]]
        ways.insert(len(ways) if must_use_below else 0, (made, len(made) - 1))
        for before, one in ways:
            yield from self._fill(before, operation, (*operands, one), offset, must_use_below)

    def _make(self, steps: Steps, kind: str, offset: int) -> Steps:
        """Return the steps with one more object of a kind; the last step makes it."""
        maker = self._makers[kind]
        operands = []
        for slot in maker.placeholders:
            if slot.name in self._values:
                operands.append(self._next_value(steps, slot.name, offset))
            else:
                steps = self._make(steps, slot.name, offset)
                operands.append(len(steps) - 1)
        return (*steps, OperationStep(maker, tuple(operands)))

    def _next_value(self, steps: Steps, name: str, offset: int) -> int:
        """Return the next value of a name: distinct ones say more than equal ones."""
        use_count = sum(slot.name == name for step in steps for slot in step.operation.placeholders)
        return (use_count + offset) % len(self._values[name])

    def _find_objects(self, steps: Steps, kind: str) -> list[int]:
        """Return the steps that gave an object of a kind, the last first."""
        return [at for at in range(len(steps) - 1, -1, -1) if steps[at].operation.gives == kind]


def enumerate_simpler_programs(program: CallProgram) -> Iterator[CallProgram]:
    """Yield programs to be preferred to this one: fewer operations, then the values that come first."""
    for gone in range(len(program.steps) - 1, -1, -1):
        yield from _without(program, gone)
    for chosen in (range(len(program.steps)), *([at] for at in range(len(program.steps)))):
        plainer = _with_first_values(program, chosen)
        if plainer != program:
            yield plainer


def rotate_program_values(program: CallProgram, value_index_offset: int) -> CallProgram:
    """Return the program with each value replaced by the one so many places later in its slot's list.

    After the last value of the list comes the first.
    """

    def rotate(slot: Placeholder, operand: int) -> int:
        values = program.vocabulary.values.get(slot.name)
        return (operand + value_index_offset) % len(values) if values else operand

    return _with_operands(program, program.steps, rotate)


def _with_operands(
    program: CallProgram, steps: Sequence[OperationStep], replace_operand: Callable[[Placeholder, int], int]
) -> CallProgram:
    return replace(
        program,
        steps=tuple(
            OperationStep(step.operation, tuple(replace_operand(*one) for one in step.iterate_operands()))
            for step in steps
        ),
    )


def _without(program: CallProgram, gone: int) -> Iterator[CallProgram]:
    """Yield the program without a step: with another object of its kind in its place, or without what needs it."""
    kind = program.steps[gone].operation.gives
    # what is made of values stays: two objects say more than one twice
    if kind and program.get_used_step_indices(gone):
        for other in range(gone - 1, -1, -1):
            if program.steps[other].operation.gives == kind:
                yield _drop(program, {gone}, {gone: other})
    dropped = {gone}
    for at in range(gone + 1, len(program.steps)):
        if dropped & program.get_used_step_indices(at):
            dropped.add(at)
    if len(dropped) < len(program.steps):
        yield _drop(program, dropped, {})


def _drop(program: CallProgram, dropped: set[int], instead: dict[int, int]) -> CallProgram:
    kept = [at for at in range(len(program.steps)) if at not in dropped]
    place = {at: number for number, at in enumerate(kept)}

    def move(slot: Placeholder, operand: int) -> int:
        return operand if slot.name in program.vocabulary.values else place[instead.get(operand, operand)]

    return _with_operands(program, [program.steps[at] for at in kept], move)


def _with_first_values(program: CallProgram, chosen: Collection[int]) -> CallProgram:
    """Return the program with the first values of each name in some steps: the first for its first use, and so on."""
    values = program.vocabulary.values
    uses: Counter[str] = Counter()
    steps = []
    for at, step in enumerate(program.steps):
        operands = []
        for slot, operand in step.iterate_operands():
            is_replaced = slot.name in values and at in chosen
            operands.append(uses[slot.name] % len(values[slot.name]) if is_replaced else operand)
            uses[slot.name] += 1
        steps.append(OperationStep(step.operation, tuple(operands)))
    return replace(program, steps=tuple(steps))
