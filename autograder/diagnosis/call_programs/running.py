"""Run programs of operations on a submission, check them by the reference solution, and explain a wrong one."""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

from autograder.bridge import StandIn, StudentProxy, StudentStopped
from autograder.course import Assignment
from autograder.course.assignment_code import load_solution_given_code
from autograder.diagnosis.call_programs.composing import (
    CallProgram,
    CallProgramComposer,
    Operation,
    ProgramVocabulary,
    Steps,
    Values,
    enumerate_simpler_programs,
    find_makers,
    list_or_draw_values,
    list_unassigned_names,
    rotate_program_values,
)
from autograder.diagnosis.definition import (
    COMPARED,
    AssignmentDiagnosis,
    DiagnosisContext,
    ReferenceSolutionOracle,
    list_diagnosis_module_files,
)
from autograder.diagnosis.model import (
    Counterexample,
    Node,
    format_number,
    format_reading_pair,
    format_reading_table,
    mark_program_line,
)
from autograder.diagnosis.readings import (
    STUB,
    ProgramReadings,
    RunFailure,
    Seen,
    are_all_readings_close,
    are_traces_alike,
    convert_to_reading,
    describe_failure,
    make_comparable_failure,
    was_stopped,
)
from autograder.faults import CourseFault, KitFault

END = "\n"
"""Ends what was read of one expression in ``ProgramReadings.data``."""
MAX_PARTS = 200
"""Numbers, texts and brackets that are kept of one reading."""
LIST, SET = "_list_over_there", "_set_over_there"
BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: "{}"}
MOST_REMEMBERED_CODES = 20_000


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


def _trace_steps_or_failure(
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
            [*iterate_value_tokens(key, max_depth - 1), ": ", *iterate_value_tokens(item, max_depth - 1)]
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


@functools.lru_cache(MOST_REMEMBERED_CODES)
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


Readings = Mapping[str, Seen]
"""What was read, by the expression: a number, or the text of anything else."""
DrawGraph = Callable[[CallProgram, Readings, Readings], Sequence[Node]]
"""Given a program, what was expected and what was got; returns the nodes of its graph, in the order of making."""


def make_counterexample(
    program: CallProgram, trace: ProgramReadings, right_trace: ProgramReadings, draw_graph: DrawGraph | None = None
) -> Counterexample:
    """Return what a wrong trace shows.

    Args:
        program: the program that was run.
        trace: its trace.
        right_trace: what the reference solution gives.
        draw_graph: makes the nodes of the program's graph, where it has one.
    """
    expected, got = _readings(program, right_trace), _readings(program, trace)
    nodes = tuple(draw_graph(program, expected, got)) if draw_graph else ()
    if trace.failure is not None:
        return _explain_error(program, trace.failure, nodes)
    lines = program.format_lines()
    if right_trace.failure is not None:
        line = _last_line(program, right_trace.failure.step)
        remark = f"this should raise {right_trace.failure.exception_name}"
        text = "\n".join(mark_program_line(lines, line, remark))
        return Counterexample(kind="value", program=lines, nodes=nodes, remark=remark, text=text)
    rows, first = [], ""
    for name, wanted, given in zip(
        program.list_observed_expressions(),
        split_trace_into_readings(right_trace),
        split_trace_into_readings(trace),
        strict=False,
    ):
        wrong = not are_all_readings_close(wanted, given)
        first = first or (name if wrong else "")
        rows.append((name, *format_reading_pair(wanted, given), wrong))
    return Counterexample(
        kind="value",
        program=lines,
        nodes=nodes,
        first_wrong=next((node.name for node in nodes if node.data_wrong or node.grad_wrong), first),
        text="\n".join((*lines, "", *format_reading_table(rows))),
    )


def _explain_error(program: CallProgram, failure: RunFailure, nodes: tuple[Node, ...]) -> Counterexample:
    lines, line = program.format_lines(), _last_line(program, failure.step)
    text = "\n".join(mark_program_line(lines, line, f"this {describe_failure(failure)}"))
    return Counterexample(
        kind="error", program=lines, nodes=nodes, error=failure.exception_name, error_line=line, text=text
    )


def _last_line(program: CallProgram, step: int) -> int:
    """Return the index of the last line of a step; of the program, where the step is not known."""
    steps = program.format_steps()
    return sum(len(code.split("\n")) for code in steps[: step + 1 if step >= 0 else len(steps)]) - 1


def _readings(program: CallProgram, trace: ProgramReadings) -> dict[str, Seen]:
    found: dict[str, Seen] = {}
    for name, parts in zip(program.list_observed_expressions(), split_trace_into_readings(trace), strict=False):
        found[name] = parts[0] if len(parts) == 1 else format_reading(parts)
    return found


MOST_SMALL = 600
"""Small programs that are tried before larger ones."""
OFFSETS = 6
"""Choices of values for programs of one operation."""
MOST_REMEMBERED_TRACES = 32


class CallProgramFamily:
    """The programs of a vocabulary that use only operations of the submission; see ``DiagnosisProgramFamily``.

    The reference solution says what is right.
    """

    def __init__(
        self,
        vocabulary: ProgramVocabulary,
        usable: tuple[Operation, ...],
        reference: ReferenceSolutionOracle,
        draw_graph: DrawGraph | None = None,
    ) -> None:
        """Make nothing yet.

        Args:
            vocabulary: what programs are made of.
            usable: the operations that a submission has.
            reference: says what is right.
            draw_graph: see ``make_counterexample``.
        """
        self.vocabulary, self.usable = vocabulary, usable
        self._reference, self._draw_graph = reference, draw_graph

    def enumerate_small_programs(self) -> Iterator[CallProgram]:
        """See ``DiagnosisProgramFamily``."""
        return iter(_small(self.vocabulary, self.usable))

    def enumerate_state_leak_programs(self) -> Iterator[CallProgram]:
        """See ``DiagnosisProgramFamily``.

        Each operation twice, on new objects first, then on objects of the first time.
        """
        composer = CallProgramComposer(self.vocabulary, self.usable)
        for operation in self.usable:
            for once in composer.enumerate_extensions((), operation):
                for twice in composer.enumerate_extensions(once, operation, must_use_earlier_steps=False):
                    yield CallProgram(self.vocabulary, twice)

    def enumerate_simpler_programs(self, program: CallProgram) -> Iterator[CallProgram]:
        """See ``DiagnosisProgramFamily``."""
        return enumerate_simpler_programs(program)

    def draw_random_programs(self, count: int = COMPARED) -> tuple[CallProgram, ...]:
        """See ``DiagnosisProgramFamily``: 2 to 6 operations, each operation the last one of some."""
        return _draw_random_programs(self.vocabulary, self.usable, count)

    def make_programs_of_same_shape(self, program: CallProgram) -> tuple[CallProgram, ...]:
        """See ``DiagnosisProgramFamily``: with other values."""
        return tuple(dict.fromkeys(rotate_program_values(program, offset) for offset in range(OFFSETS)))

    def includes_program(self, program: CallProgram) -> bool:
        """See ``DiagnosisProgramFamily``."""
        return {step.operation for step in program.steps} <= {*self.usable}

    def run_program(self, student: StudentProxy, program: CallProgram) -> ProgramReadings:
        """See ``DiagnosisProgramFamily``."""
        return _trace_steps_or_failure(student, program.format_steps(), program.list_observed_expressions())

    def is_trace_correct(self, program: CallProgram, trace: ProgramReadings) -> bool:
        """Return whether a program gives what it gives with the reference solution, or raises what it raises there.

        A method that is not written yet is not a wrong answer.
        """
        right = self._reference.trace_program(self, program)
        if was_stopped(right) or (trace.failure is not None and trace.failure.exception_name == STUB):
            return True
        if right.failure is None or trace.failure is None:
            return are_traces_alike(trace, right)
        return (right.failure.exception_name, right.failure.step) == (
            trace.failure.exception_name,
            trace.failure.step,
        )

    def make_counterexample(self, program: CallProgram, trace: ProgramReadings) -> Counterexample:
        """See ``DiagnosisProgramFamily``."""
        right = self._reference.trace_program(self, program)
        return make_counterexample(program, trace, right, self._draw_graph)


def enumerate_programs_of_operation(
    vocabulary: ProgramVocabulary, usable: tuple[Operation, ...], operation: Operation
) -> Iterator[CallProgram]:
    """Yield programs that end with an operation: it alone, with several values, then after each operation."""
    composer = CallProgramComposer(vocabulary, usable)
    for offset in range(OFFSETS):
        for steps in composer.enumerate_extensions((), operation, offset):
            yield CallProgram(vocabulary, steps)
    for other in usable:
        for before in composer.enumerate_extensions((), other):
            for steps in composer.enumerate_extensions(before, operation):
                yield CallProgram(vocabulary, steps)


@functools.lru_cache(MOST_REMEMBERED_TRACES)
def _small(vocabulary: ProgramVocabulary, usable: tuple[Operation, ...]) -> tuple[CallProgram, ...]:
    programs = dict.fromkeys(_enumerate_small(CallProgramComposer(vocabulary, usable)))
    return tuple(CallProgram(vocabulary, steps) for steps in itertools.islice(programs, MOST_SMALL))


def _enumerate_small(composer: CallProgramComposer) -> Iterator[Steps]:
    """Yield programs of one operation, then of two and of three, each of which uses something of those before."""
    for offset in range(OFFSETS):
        for operation in composer.usable:
            yield from composer.enumerate_extensions((), operation, offset)

    def extend(programs: Iterable[Steps]) -> Iterator[Steps]:
        for before in programs:
            for operation in composer.usable:
                yield from composer.enumerate_extensions(before, operation)

    ones = [steps for first in composer.usable for steps in composer.enumerate_extensions((), first)]
    twos = [*extend(ones)]
    yield from twos
    yield from itertools.islice(extend(twos), MOST_SMALL)


@functools.lru_cache(MOST_REMEMBERED_TRACES)
def _draw_random_programs(
    vocabulary: ProgramVocabulary, usable: tuple[Operation, ...], count: int
) -> tuple[CallProgram, ...]:
    pick = random.Random(0)
    composer = CallProgramComposer(vocabulary, usable)
    drawn = (
        composer.draw_steps(pick, pick.randint(2, 6), usable[at % len(usable)])
        for at in range(count if usable else 0)
    )
    return tuple(CallProgram(vocabulary, steps) for steps in dict.fromkeys(drawn))


def make_call_diagnosis(
    operations: Sequence[Operation],
    *,
    values: Mapping[str, Values] | None = None,
    observe: Mapping[str, Sequence[str]] | None = None,
    draw_graph: DrawGraph | None = None,
) -> AssignmentDiagnosis:
    """Return a diagnosis whose programs are these operations, done one after the other in any order.

    A program is right if it gives what it gives with the reference solution. So operations and values must keep to
    what the contract says: every right solution gives the same on every program of them. ``autograder check`` tries
    this with the right alternatives (``wheats``).

    Args:
        operations: what programs do; those that make objects first.
        values: what to put into ``{name}``, the simplest first: a list, or a function that draws a value with the
            ``random.Random`` that it is given.
        observe: for each kind of object that operations give, the expressions to look at in the end, with ``{}`` for
            the object: ``{"Vector": ["{}.numbers"]}``.
        draw_graph: gives the nodes and edges of a program's graph for the picture in the report, where it has one.

    Raises:
        ValueError: a placeholder stands for nothing, or code is not Python.
    """
    looks = {kind: tuple(codes) for kind, codes in (observe or {}).items()}
    vocabulary = ProgramVocabulary(tuple(operations), list_or_draw_values(values or {}), looks)

    def make_programs(context: DiagnosisContext) -> CallProgramFamily:
        usable = _list_usable_operations(vocabulary, context)
        return CallProgramFamily(vocabulary, usable, context.reference, draw_graph)

    bonus = {name for one in operations if one.bonus for name in one.about}
    return AssignmentDiagnosis(
        make_programs=make_programs,
        optional_names=frozenset(bonus.difference(name for one in operations if not one.bonus for name in one.about)),
    )


def _list_usable_operations(vocabulary: ProgramVocabulary, context: DiagnosisContext) -> tuple[Operation, ...]:
    """Return the operations for which a submission has all that the reference solution has.

    Raises:
        CourseFault: an operation uses a name that the assignment does not define.
    """
    given = load_solution_given_code(context.assignment).definitions
    if unknown := vocabulary.names_expected_of_submission.difference(context.assignment.defines, given):
        raise CourseFault(
            f"the operations use {', '.join(sorted(unknown))}, neither given code nor listed under `defines` in "
            "grading.yml",
            where=_find_first_line(min(unknown), context.assignment),
            advice="list it there, or correct the name",
        )
    lacking = context.reference.implemented_names - context.implemented_names
    usable = [one for one in vocabulary.operations if lacking.isdisjoint(one.about)]
    available = {*vocabulary.values, *find_makers(usable, vocabulary.values)}
    return tuple(one for one in usable if available.issuperset(slot.name for slot in one.placeholders))


def _find_first_line(name: str, assignment: Assignment) -> str:
    """Return the first place of a name in an assignment's diagnosis module, as ``file:line``; else the module."""
    files = list_diagnosis_module_files(assignment)
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if re.search(rf"\b{re.escape(name)}\b", line):
                return f"{path}:{number}"
    return str(next(iter(files), assignment.folder))
