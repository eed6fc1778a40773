"""Examine the course's own right and wrong programs in the same way as submissions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice

from autograder.course.misconceptions import Misconception, apply_misconceptions
from autograder.course.solution_styles import PLAIN
from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.diagnosis_definition import AssignmentDiagnosis
from autograder.diagnosis.diagnosis_resources import AssignmentDiagnosisResources
from autograder.diagnosis.naming.misconception_matching import format_wrong_part_digests
from autograder.diagnosis.naming.misconception_observations_file import Observed, can_learn_observations_on_demand
from autograder.diagnosis.part_examination import (
    ExaminationTimeout,
    PartResults,
    examine_parts,
    select_wrong_parts,
)
from autograder.diagnosis.program_runner import ProgramRunner, trace_until_second_stop

MOST_CHECKED = 200
"""How many small programs are tried on a right alternative."""


def compute_wrong_part_digests(
    diagnosis_resources: AssignmentDiagnosisResources, source_text: str, only_part_names: Collection[str] = ()
) -> str:
    """Return the wrong parts of one of the course's own programs, as the text that observations store.

    Args:
        diagnosis_resources: opens the program.
        source_text: the program's source.
        only_part_names: names of the parts to examine; all when empty.

    Raises:
        ExaminationTimeout: time ran out in two attempts.
        CourseFault: the diagnosis module cannot be used.
        KitFault: no process can be started.
    """
    definition = diagnosis_resources.definition_or_none
    if definition is None:
        return ""
    try:
        results = _examine(diagnosis_resources, definition, source_text, only_part_names)
    except ExaminationTimeout:
        results = _examine(diagnosis_resources, definition, source_text, only_part_names)
    return format_wrong_part_digests({name: result.digest for name, result in select_wrong_parts(results).items()})


def _examine(
    programs: AssignmentDiagnosisResources, module: AssignmentDiagnosis, source: str, only_parts: Collection[str]
) -> PartResults:
    with programs.open_course_program(source) as (context, bridge):
        wanted = [part for part in module.list_parts(context) if not only_parts or part.name in only_parts]
        return examine_parts(wanted, bridge, None, module.harmless_findings)


def try_observe_misconceptions(
    diagnosis_resources: AssignmentDiagnosisResources, catalogue: Collection[Misconception]
) -> Mapping[str, Observed] | None:
    """Observe misconceptions if that takes only seconds; return None if it would take longer.

    Misconceptions that look different on every run, or that use up their time, are left out.

    Raises:
        ExaminationTimeout: the machine was too busy.
        CourseFault: the diagnosis module cannot be used.
        KitFault: no process can be started.
    """
    if not can_learn_observations_on_demand(diagnosis_resources.assignment):
        return None
    known: dict[str, Observed] = {}
    for one in catalogue:
        try:
            if not one.nondeterministic:
                wrong = apply_misconceptions(diagnosis_resources.solution_source, one)
                known[one.id] = {PLAIN: compute_wrong_part_digests(diagnosis_resources, wrong)}
        except ExaminationTimeout as up:
            if not up.by_itself:  # another submission may find the machine less busy
                raise
    return known


def find_counterexample_to_course_program(
    diagnosis_resources: AssignmentDiagnosisResources, source_text: str
) -> Counterexample | None:
    """Return a counterexample to one of the course's own programs; None if it is right on all programs tried.

    The programs tried are those that submissions are compared on, and some small ones, up to the second that stops
    the process. A right program should have no counterexample. Without a diagnosis module, return None.

    Raises:
        CourseFault: the diagnosis module cannot be used.
        KitFault: no process can be started.
    """
    definition = diagnosis_resources.definition_or_none
    if definition is None:
        return None
    try:
        with diagnosis_resources.open_course_program(source_text) as (context, bridge):
            family = definition.make_programs(context)
            small = islice(family.enumerate_small_programs(), MOST_CHECKED)
            # the small ones first: an author reads the first that differs
            tried = (*small, *family.draw_random_programs())
            traces = trace_until_second_stop(ProgramRunner(family, bridge), tried)
            again = ProgramRunner(family, bridge, fresh_process_per_program=True)
            wrong = (
                family.make_counterexample(program, trace)
                for program, trace in zip(tried, traces, strict=False)
                if not family.is_trace_correct(program, trace)
                and not family.is_trace_correct(program, again(program))  # a busy machine may have stopped it
            )
            return next(wrong, None)
    finally:
        diagnosis_resources.reference_runner.end_process()
