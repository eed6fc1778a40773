"""Make the diagnosis of an assignment from a list of operations: what an author of a simple class writes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from autograder.course import Assignment
from autograder.course.given_code import load_solution_given_code
from autograder.diagnosis.call_programs.call_program_family import CallProgramFamily
from autograder.diagnosis.call_programs.counterexample_from_wrong_trace import DrawGraph
from autograder.diagnosis.call_programs.operation import Operation
from autograder.diagnosis.call_programs.program_vocabulary import ProgramVocabulary, Values, list_or_draw_values
from autograder.diagnosis.diagnosis_definition import AssignmentDiagnosis, DiagnosisContext
from autograder.diagnosis.diagnosis_module_loading import list_diagnosis_module_files
from autograder.faults import CourseFault


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
        return CallProgramFamily(
            vocabulary, _list_usable_operation_indices(vocabulary, context), context.reference, draw_graph
        )

    bonus = {name for one in operations if one.bonus for name in one.about}
    return AssignmentDiagnosis(
        make_programs=make_programs,
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
