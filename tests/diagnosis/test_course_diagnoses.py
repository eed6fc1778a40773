"""What the course's own assignments use of the diagnosis and of the bridge is there, and does what they expect."""

from __future__ import annotations

from itertools import islice

from autograder.bridge import Bridge, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment, load_course
from autograder.diagnosis import DiagnosisContext, ProgramRunner, load_diagnosis_or_none
from autograder.diagnosis.resources import ReferenceSolutionRunner, make_experiment_limits
from tests.course_modules import ROOT

MOST = 60


def test_every_reference_solution_is_right_on_the_first_programs(processes: ProcessPool) -> None:
    tried = {one.name: count_right_programs(one, processes) for one in load_course(ROOT).assignments}
    assert len(tried) == 4
    assert min(tried.values()) > 10, tried


def count_right_programs(assignment: Assignment, processes: ProcessPool) -> int:
    """Run the first small programs of an assignment on its reference solution, where all are right; count them."""
    source = assignment.solution_file.read_text(encoding="utf-8")

    def open_bridge() -> Bridge:
        program = SubmissionProgram((("value.py", source),), assignment.defines)
        return Bridge(program, processes, make_experiment_limits(assignment.limits))

    definition, reference = load_diagnosis_or_none(assignment), ReferenceSolutionRunner(open_bridge)
    assert definition is not None
    bridge = open_bridge()
    try:
        loaded = bridge.load_without_fatal_code()
        names = frozenset(loaded.kind_by_name).union(*loaded.attributes_by_class.values())
        family = definition.make_programs(DiagnosisContext(assignment, names, reference))
        run = ProgramRunner(family, bridge)
        programs = [*islice(family.enumerate_small_programs(), MOST)]
        assert [one.format_lines() for one in programs if not family.is_trace_correct(one, run(one))] == []
        return len(programs)
    finally:
        bridge.end_process()
        reference.end_process()
