"""Make the diagnosis of an assignment from a list of operations: what an author of a simple class writes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from autograder.course import Assignment
from autograder.course.given_code import load_solution_given_code
from autograder.diagnosis.call_programs.call_program import CallProgram
from autograder.diagnosis.call_programs.call_program_family import (
    CallProgramFamily,
    enumerate_single_operation_programs,
    enumerate_two_operation_programs,
)
from autograder.diagnosis.call_programs.counterexample_from_wrong_trace import DrawGraph
from autograder.diagnosis.call_programs.operation import Operation
from autograder.diagnosis.call_programs.program_vocabulary import ProgramVocabulary, Values, list_or_draw_values
from autograder.diagnosis.call_programs.step_tracing import run_steps_then_observe
from autograder.diagnosis.diagnosis_definition import AssignmentDiagnosis, DiagnosablePart, DiagnosisContext
from autograder.diagnosis.diagnosis_module_loading import list_diagnosis_module_files
from autograder.diagnosis.part_experiment_log import PartExperimentLog, format_reading_canonically
from autograder.faults import CourseFault

MOST_OF_A_PART = 40
"""Programs that look at one operation, alone or after others."""
DIFFERS = "gives-something-else"
"""The finding where an operation gives something else than the reference solution; ``general.yml`` may name it."""


RAISES = "raises-an-exception"
"""The finding where an operation raises an exception and should not; ``general.yml`` may name it, too."""


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
        operations: what programs do; those that make objects first, since the first wrong one is told as the cause.
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
        return CallProgramFamily(
            vocabulary, _list_usable_operation_indices(vocabulary, context), context.reference, draw_graph
        )

    def list_parts(context: DiagnosisContext) -> tuple[DiagnosablePart, ...]:
        return tuple(_list_parts(make_programs(context)))

    bonus = {name for one in operations if one.bonus for name in one.about}
    return AssignmentDiagnosis(
        make_programs=make_programs,
        list_parts=list_parts,
        optional_names=frozenset(bonus.difference(name for one in operations if not one.bonus for name in one.about)),
    )


def _list_usable_operation_indices(vocabulary: ProgramVocabulary, context: DiagnosisContext) -> tuple[int, ...]:
    """Return the numbers of the operations for which a submission has all that the reference solution has.

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
    usable = [at for at, one in enumerate(vocabulary.operations) if lacking.isdisjoint(one.about)]
    made = vocabulary.map_makeable_kinds_to_maker_index(usable)
    return tuple(
        at
        for at in usable
        if all(slot.name in vocabulary.values or slot.name in made for slot in vocabulary.operations[at].placeholders)
    )


def _find_first_line(name: str, assignment: Assignment) -> str:
    """Return the first place of a name in an assignment's diagnosis module, as ``file:line``; else the module."""
    files = list_diagnosis_module_files(assignment)
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if re.search(rf"\b{re.escape(name)}\b", line):
                return f"{path}:{number}"
    return str(next(iter(files), assignment.folder))


def _list_parts(programs: CallProgramFamily) -> Iterator[DiagnosablePart]:
    """Yield two parts for each operation, alone and after others, and one for all of them together.

    What an operation does after others is looked at once all of them are right alone.
    """
    vocabulary, usable = programs.vocabulary, programs.usable
    makers = vocabulary.map_makeable_kinds_to_maker_index(usable)
    names = {at: _unique_name(vocabulary, at) for at in usable}
    for at in usable:
        made_before = [makers[slot.name] for slot in vocabulary.operations[at].placeholders if slot.name in makers]
        after = tuple(dict.fromkeys(names[maker] for maker in made_before if maker != at))
        yield _make_part(programs, at, names[at], after, enumerate_single_operation_programs(vocabulary, usable, at))
    for at in usable:
        tried = enumerate_two_operation_programs(vocabulary, usable, at)
        yield _make_part(programs, at, f"{names[at]} after others", tuple(names.values()), tried)
    together = partial(_probe, programs=programs, tried=programs.draw_random_programs(), told="")
    yield DiagnosablePart("whole", "all of it", (), together, probes_everything=True)


def _make_part(
    programs: CallProgramFamily, at: int, name: str, after: tuple[str, ...], tried: Iterable[CallProgram]
) -> DiagnosablePart:
    operation = programs.vocabulary.operations[at]
    some = tuple(dict.fromkeys(itertools.islice(tried, MOST_OF_A_PART)))
    probe = partial(_probe, programs=programs, tried=some, told=operation.shown_name)
    return DiagnosablePart(name, operation.shown_name, operation.about, probe, after, is_required=not operation.bonus)


def _unique_name(vocabulary: ProgramVocabulary, at: int) -> str:
    """Return an operation's name, with a number where another one before it has the same."""
    name = vocabulary.operations[at].name.replace(",", "")
    same = sum(one.name.replace(",", "") == name for one in vocabulary.operations[:at])
    return f"{name} {same + 1}" if same else name


def _probe(
    log: PartExperimentLog, student: Any, *, programs: CallProgramFamily, tried: Sequence[CallProgram], told: str
) -> None:
    """Run programs, and note what each gives where it is not right."""
    for number, program in enumerate(tried):
        trace = run_steps_then_observe(student, program.format_steps(), program.list_observed_expressions())
        if programs.is_trace_correct(program, trace):
            log.lines.append(f"{number}: right")
            continue
        if trace.failure is not None:
            log.lines.append(
                f"{number}: {trace.failure.exception_name} in {trace.failure.step} {trace.failure.message}"
            )
            log.add_finding(RAISES, op=told, error=trace.failure.exception_name)
        else:
            log.lines.append(f"{number}: {' '.join(map(format_reading_canonically, trace.data))}")
            log.add_finding(DIFFERS, op=told)
