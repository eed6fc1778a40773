"""What the course's own assignments use of the diagnosis and of the bridge is there, and does what they expect."""

from __future__ import annotations

from autograder.bridge import Bridge, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment, load_course
from autograder.diagnosis import DiagnosisContext, load_diagnosis_or_none
from autograder.diagnosis.diagnosis_resources import make_experiment_limits
from autograder.diagnosis.part_examination import examine_parts, select_wrong_parts
from autograder.diagnosis.reference_runs import ReferenceSolutionRunner
from tests.course_modules import ROOT


def test_no_part_of_any_reference_solution_is_found_wrong(processes: ProcessPool) -> None:
    examined = {one.name: count_examined_parts(one, processes) for one in load_course(ROOT).assignments}
    assert len(examined) == 4
    assert min(examined.values()) > 1, examined


def count_examined_parts(assignment: Assignment, processes: ProcessPool) -> int:
    """Examine the parts of an assignment's reference solution, none of which may be wrong; count them."""
    source = assignment.solution_file.read_text(encoding="utf-8")

    def open_bridge() -> Bridge:
        program = SubmissionProgram((("value.py", source),), assignment.defines)
        return Bridge(program, processes, make_experiment_limits(assignment.limits))

    definition, runner, bridge = (
        load_diagnosis_or_none(assignment),
        ReferenceSolutionRunner(open_bridge),
        open_bridge(),
    )
    assert definition is not None
    try:
        loaded = bridge.load_without_fatal_code()
        names = set(loaded.kind_by_name).union(*loaded.attributes_by_class.values())
        parts = definition.list_parts(DiagnosisContext(assignment, frozenset(names), runner))
        results = examine_parts(tuple(parts), bridge)
    finally:
        bridge.end_process()
        runner.end_process()
    assert select_wrong_parts(results) == {}, assignment.name
    return len(results)
