"""Run the code of a program on a student's objects, and read what it made as plain, comparable data.

The code is the course's own. It runs here, as a hidden test does: a student's objects are stand-ins, and each thing
done to one is a message to the student's process. A list or set that a program writes down lives over there, so that
it is seen whether a student's object keeps or changes it.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType
from typing import Any

from autograder.bridge import StandIn, StudentProxy, StudentStopped
from autograder.diagnosis.call_programs.program_vocabulary import list_unassigned_names
from autograder.diagnosis.counterexample_model import format_number
from autograder.diagnosis.program_readings import ProgramReadings, Seen, convert_to_reading, make_comparable_failure
from autograder.faults import KitFault

END = "\n"
"""Ends what was read of one expression in ``ProgramReadings.data``."""
MAX_PARTS = 200
"""Numbers, texts and brackets that are kept of one reading."""
LIST, SET = "_list_over_there", "_set_over_there"
BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: "{}"}
MOST_REMEMBERED = 20_000


def run_steps_then_observe(
    student: StudentProxy, steps: Sequence[str], observed_expressions: Sequence[str]
) -> ProgramReadings:
    """Run steps one after the other, then look at what they made.

    Args:
        student: what the student wrote.
        steps: code.
        observed_expressions: expressions.

    Returns:
        The readings as ``data``, flat, each ended by ``END``; or the failure of the step that raised an exception.

    Raises:
        StudentStopped: the process was stopped.
        KitFault: the kit or the machine failed.
    """
    names: dict[str, Any] = {"__builtins__": builtins, LIST: student.make_list, SET: student.make_set}
    for at, step in enumerate(steps):
        try:
            code, unknown = _compiled(step, "exec")
            names |= {name: student.get(name) for name in unknown if name not in names}
            exec(code, names)
        except (KitFault, StudentStopped):
            raise
        except Exception as error:
            return ProgramReadings(failure=make_comparable_failure(error, "step", at))
    return ProgramReadings(
        tuple(part for one in observed_expressions for part in (*_observed(student, one, names), END))
    )


def trace_steps_or_failure(
    student: StudentProxy, steps: Sequence[str], observed_expressions: Sequence[str]
) -> ProgramReadings:
    """Run steps as ``run_steps_then_observe`` does; if the process is stopped, return a trace of that failure alone.

    That trace has no readings, not even of the steps before. A KitFault is still raised.
    """
    try:
        return run_steps_then_observe(student, steps, observed_expressions)
    except StudentStopped as stopped:
        return ProgramReadings(failure=make_comparable_failure(stopped, "step"))


def split_trace_into_readings(trace: ProgramReadings) -> list[tuple[Seen, ...]]:
    """Return the readings of a trace, one for each observation."""
    found: list[tuple[Seen, ...]] = []
    start = 0
    for at, part in enumerate(trace.data):
        if part == END:
            found.append(trace.data[start:at])
            start = at + 1
    return found


def format_reading(tokens: Iterable[Seen]) -> str:
    """Return a reading as a student writes it: ``[4.0, 7.0]``."""
    return "".join(format_number(token) for token in tokens)


def _observed(student: StudentProxy, code: str, names: dict[str, Any]) -> list[Seen]:
    try:
        compiled, unknown = _compiled(code, "eval")
        names |= {name: student.get(name) for name in unknown if name not in names}
        return [*iterate_value_tokens(eval(compiled, names))][:MAX_PARTS]
    except (KitFault, StudentStopped):
        raise
    except Exception as error:
        return [f"raises {make_comparable_failure(error, 'read').exception_name}"]


def iterate_value_tokens(value: Any, max_depth: int = 4) -> Iterator[Seen]:
    """Yield a value as numbers and texts, the brackets around them included; the parts of a set in a fixed order."""
    if isinstance(value, StandIn):
        class_name = object.__getattribute__(value, "_class_name")
        made = {"list": list, "tuple": tuple, "set": set}.get(class_name)
        if made is None or not max_depth:
            yield "a generator" if class_name == "generator" else "an object"
            return
        value = made(value)
    kind: Any = type(value)
    if kind is str:
        yield repr(value)[:MAX_PARTS]
    elif kind in BRACKETS and max_depth:
        items = [[*iterate_value_tokens(item, max_depth - 1)] for item in [*value][:MAX_PARTS]]
        yield BRACKETS[kind][0]
        yield from _joined(sorted(items, key=repr) if kind in (set, frozenset) else items)
        yield f"{',' if kind is tuple and len(items) == 1 else ''}{BRACKETS[kind][1]}"
    elif kind is dict and max_depth:
        pairs = [*value.items()][:MAX_PARTS]
        entries = [
            [
                *iterate_value_tokens(key, max_depth - 1),
                ": ",
                *iterate_value_tokens(item, max_depth - 1),
            ]
            for key, item in pairs
        ]
        yield "{"
        yield from _joined(sorted(entries, key=repr))
        yield "}"
    else:
        yield convert_to_reading(value)


def _joined(items: Sequence[Sequence[Seen]]) -> Iterator[Seen]:
    for at, item in enumerate(items):
        if at:
            yield ", "
        yield from item


@functools.lru_cache(MOST_REMEMBERED)
def _compiled(text: str, mode: str) -> tuple[CodeType, tuple[str, ...]]:
    """Return code ready to be run, and the names that it expects to be there."""
    tree: Any = ast.parse(text, "<program>", mode)
    wanted = list_unassigned_names(tree)
    if mode == "exec":
        tree = ast.fix_missing_locations(_StudentSideDisplays().visit(tree))
    code: CodeType = compile(tree, "<program>", mode)
    return code, wanted


class _StudentSideDisplays(ast.NodeTransformer):
    """Has lists and sets that code writes down made in the student's process."""

    def visit_List(self, node: ast.List) -> ast.AST:
        """Replace a list."""
        self.generic_visit(node)
        return node if not isinstance(node.ctx, ast.Load) else ast.Call(ast.Name(LIST, ast.Load()), node.elts, [])

    def visit_Set(self, node: ast.Set) -> ast.AST:
        """Replace a set."""
        self.generic_visit(node)
        return ast.Call(ast.Name(SET, ast.Load()), node.elts, [])
