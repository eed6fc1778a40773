"""Check the operations of a diagnosis on the reference solution; an operation that never runs there is of no use."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from autograder.author_checks.solution_names import SolutionNames
from autograder.course import Assignment
from autograder.diagnosis.call_programs.call_program_family import (
    CallProgramFamily,
    enumerate_programs_of_operation,
)
from autograder.diagnosis.call_programs.operation import Operation
from autograder.diagnosis.diagnosis_module_loading import list_diagnosis_module_files
from autograder.diagnosis.diagnosis_resources import AssignmentDiagnosisResources
from autograder.diagnosis.program_readings import RunFailure
from autograder.faults import format_did_you_mean_suffix

MOST_TRIED = 80
"""How many programs are tried for one operation, alone and after others; one that runs is enough."""
NEVER_MEANT = ("AttributeError", "NameError", "NotImplementedError")
"""Exceptions that no contract promises; a right solution may have to raise others."""
WRONG_CALL = re.compile(r"argument|not callable")


def describe_broken_operations(
    assignment: Assignment, diagnosis_resources: AssignmentDiagnosisResources
) -> list[str]:
    """Describe the operations that never run on the solution, and those with names that the solution does not have.

    Args:
        assignment: the assignment.
        diagnosis_resources: runs the assignment's solution.

    Returns:
        A sentence for each problem; none if the diagnosis is not made of operations.

    Raises:
        CourseFault: the diagnosis module cannot be used.
        KitFault: no process can be started.
    """
    if diagnosis_resources.definition_or_none is None:
        return []
    try:
        family = diagnosis_resources.definition_or_none.make_programs(
            diagnosis_resources.make_diagnosis_context(diagnosis_resources.reference_runner.implemented_names)
        )
        return (
            [*_find_problems(assignment, diagnosis_resources, family)]
            if isinstance(family, CallProgramFamily)
            else []
        )
    finally:
        diagnosis_resources.reference_runner.end_process()


def _find_problems(
    assignment: Assignment, resources: AssignmentDiagnosisResources, family: CallProgramFamily
) -> Iterator[str]:
    names, places = SolutionNames(resources.solution_source), _find_places(assignment)
    module = str(next(iter(list_diagnosis_module_files(assignment)), assignment.folder))
    for number, operation in enumerate(family.vocabulary.operations):
        operation_places = places.get(operation.code, [])
        place = operation_places.pop(0) if operation_places else module
        failure = _find_failure(family, resources, number)
        if failure is not None:
            yield (
                f"{place}: Operation({operation.code!r}) raises {failure.exception_name} on the solution in "
                f"every program that was tried: {failure.message} (correct it, or take it out)"
            )
        for name in _list_unknown_names(operation, names):
            yield (
                f"{place}: `about` of Operation({operation.code!r}) names {name!r}, which the solution does not have"
                f"{format_did_you_mean_suffix(name, names.known)} (write it as the hidden tests' marker does)"
            )


def _find_failure(
    family: CallProgramFamily, resources: AssignmentDiagnosisResources, number: int
) -> RunFailure | None:
    """Return the failure of an operation that fails in all programs tried.

    Return None if the operation runs in one of them, if only operations before it fail, or if the failure may be part
    of the contract.
    """
    if number not in family.usable:
        return None
    failure = None
    programs = enumerate_programs_of_operation(family.vocabulary, family.usable, number)
    for program in itertools.islice(programs, MOST_TRIED):
        new_failure = resources.reference_runner.trace_program(family, program).failure
        if new_failure is None:
            return None
        if new_failure.step == len(program.steps) - 1:  # otherwise an earlier operation raised it
            failure = failure or new_failure
    return failure if failure is not None and _is_never_meant(failure) else None


def _is_never_meant(failure: RunFailure) -> bool:
    return failure.exception_name in NEVER_MEANT or (
        failure.exception_name == "TypeError" and bool(WRONG_CALL.search(failure.message))
    )


def _list_unknown_names(operation: Operation, names: SolutionNames) -> list[str]:
    """Return the names in ``about`` that the solution lacks.

    Names that were derived from the operation's code are left out, because running the code checks them.
    """
    derived_names = Operation(operation.code, operation.gives).about
    return [name for name in operation.about if name not in derived_names and not names.may_define(name)]


def _find_places(assignment: Assignment) -> dict[str, list[str]]:
    """Return the places where operations are written, by their code; code that is not a plain literal is left out."""
    places_by_code: dict[str, list[str]] = {}
    for path in list_diagnosis_module_files(assignment):
        calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        for call in sorted(calls, key=lambda call: call.lineno):
            match call:
                case ast.Call(
                    func=ast.Name(id="Operation") | ast.Attribute(attr="Operation"),
                    args=[ast.Constant(value=str(code)), *_],
                ):
                    places_by_code.setdefault(code, []).append(f"{path}:{call.lineno}")
    return places_by_code
