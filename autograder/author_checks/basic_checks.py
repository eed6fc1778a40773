"""Check the solution, the stub, the hints, the public suite and the template of an assignment."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from contextlib import closing
from itertools import islice
from typing import Any

from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.diagnosis_operation_checks import describe_broken_operations
from autograder.author_checks.public_suite_check import check_public_suite
from autograder.course import Assignment
from autograder.course.misconceptions import list_alternative_solutions
from autograder.diagnosis import Counterexample, load_diagnosis_or_none
from autograder.diagnosis.diagnosis_definition import AssignmentDiagnosis
from autograder.diagnosis.diagnosis_resources import AssignmentDiagnosisResources
from autograder.diagnosis.program_runner import ProgramRunner, trace_until_second_stop
from autograder.faults import CourseFault
from autograder.grading import Grader
from autograder.grading.suite.reference_suite_runs import read_reference_submission
from autograder.grading.suite.suite_runner import SuiteRunner
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from autograder.template import describe_template_differences, render_student_template_files

MOST_CHECKED = 200
"""How many small programs are tried on a right alternative."""


def run_basic_checks(assignment: Assignment, sandbox: SandboxConfig) -> list[CheckResult]:
    """Run the checks that apply to every assignment.

    Raises:
        CourseFault: the suite or the solution cannot be used at all.
        KitFault: no process can be started.
    """
    with Grader(assignment, sandbox) as grader:
        operations_check, diagnosis_check = (
            _check_operations(assignment, grader),
            _check_diagnosis(assignment, grader),
        )
        is_told_twice = diagnosis_check.problems and {*diagnosis_check.problems} <= {*operations_check.problems}
        return [
            _check_stub_passes_nothing(assignment, grader),
            _check_hints(grader),
            check_public_suite(assignment),
            _check_template_is_current(assignment),
            _check_solution_is_not_published(assignment),
            operations_check,
            *(() if is_told_twice else (diagnosis_check,)),
        ]


def check_solution_gets_full_marks(assignment: Assignment, sandbox: SandboxConfig) -> CheckResult:
    """Run the hidden suite on the reference solution.

    This does not use a ``Grader``, which needs a solution that passes.

    Raises:
        CourseFault: the suite cannot be used, or there is no solution.
        KitFault: no process can be started.
    """
    claim = "the solution gets full marks, bonus included"
    with closing(SuiteRunner(assignment, sandbox)) as runner:
        with runner.open_run_session(read_reference_submission(assignment)) as run:
            if run.ungradable_reason:
                return CheckResult(claim, (f"{assignment.solution_file}: {run.ungradable_reason.message}",))
            failures = [result for result in run.run_all_tests() if result.outcome != "passed"]
        record_by_test = {
            record["nodeid"]: record for record in runner.suite.get_last_pytest_record().get("tests", ())
        }
        locations = runner.suite.location_by_spec_id
        problems = [
            f"{failure.own_error} (fix the test)"
            if failure.own_error
            else f"{failure.spec.id}: {failure.outcome}: "
            f"{_describe_crash(record_by_test.get(locations[failure.spec.id].pytest_id, {})) or failure.message}"
            for failure in failures
        ]
    return CheckResult(claim, tuple(problems))


def _describe_crash(test: Mapping[str, Any]) -> str:
    """Return what a test failed with, and the line; empty if neither is known.

    The sentence that a student reads says less, and speaks of a mistake of theirs.
    """
    phases = (test.get(phase, {}) for phase in ("setup", "call", "teardown"))
    crash = next((phase["crash"] for phase in phases if "crash" in phase), None)
    if crash is None:
        return ""
    message = str(crash["message"]).partition("\n")[0][:200].rstrip(": ")
    return f"{message} ({crash['path']}:{crash['lineno']})"


def _check_stub_passes_nothing(assignment: Assignment, grader: Grader) -> CheckResult:
    """Check that no test passes on the stub as students get it, because such a test gives marks for nothing."""
    template = render_student_template_files(assignment)
    stub = Submission("stub", "", ("value.py",), (SourceUnit("value.py", template["value.py"]),))
    graded = grader.grade_submission(stub)
    problems = [
        f"{result.spec.id} gives the untouched stub marks"
        for result in graded.test_results
        if result.outcome == "passed"
    ]
    odd_results = [
        result for result in graded.test_results if result.outcome not in ("passed", "not attempted", "blocked")
    ]
    problems += [
        f"{result.own_error} on the untouched stub (fix the test)"
        if result.own_error
        else f"{result.spec.id} calls the untouched stub {result.outcome}"
        for result in odd_results
    ]
    return CheckResult("the untouched stub gets no marks, and its tests count as not attempted", tuple(problems))


def _check_hints(grader: Grader) -> CheckResult:
    locations = grader.location_by_spec_id
    problems = [
        f"{locations[spec.id].file}:{locations[spec.id].line}: {spec.id} has no hint (mark it with `hint(text)`)"
        for spec in grader.test_specs
        if not spec.hint
    ]
    return CheckResult("every hidden test has a sentence and a hint", tuple(problems))


def _check_template_is_current(assignment: Assignment) -> CheckResult:
    problems = [f"{line}: run `autograder template`" for line in describe_template_differences(assignment)]
    return CheckResult("the template is up to date", tuple(problems))


def _check_solution_is_not_published(assignment: Assignment) -> CheckResult:
    """Check that lines cut out of the solution are in no file of the template.

    Tests, but not their helpers, are exempt, because they call the same names; so are comments and short lines.
    """
    template = render_student_template_files(assignment)
    stub = {line.strip() for line in template["value.py"].splitlines()}
    solution = assignment.solution_file.read_text(encoding="utf-8").splitlines()
    cut = {line.strip() for line in solution if len(line.strip()) > 25} - stub
    problems = [
        f"{name} holds a line of the solution: {line}"
        for name, text in template.items()
        for line in sorted(cut)
        if line in text and not line.startswith("#") and not name.startswith("tests/test_")
    ]
    return CheckResult("nothing of the solution is in the template", tuple(problems))


def _check_diagnosis(assignment: Assignment, grader: Grader) -> CheckResult:
    """Check that the diagnosis finds no counterexample to right programs, except for those listed as disputed."""
    claim = "the diagnosis finds nothing wrong with the solution and the right alternatives"
    programs, counterexamples = AssignmentDiagnosisResources(grader), dict[str, Counterexample]()
    try:
        module = load_diagnosis_or_none(assignment)
        for path in (assignment.solution_file, *list_alternative_solutions(assignment)):
            if module is None:
                break
            counterexample = _find_counterexample(programs, module, path.read_text(encoding="utf-8"))
            if counterexample is not None:
                counterexamples[path.stem] = counterexample
    except CourseFault as fault:
        return CheckResult(claim, (str(fault),))
    disputed_names = module.disputed_wheats if module else frozenset()
    problems = [
        f"{name} differs from the solution here:\n{textwrap.indent(counterexamples[name].text, '  ')}"
        for name in counterexamples
        if name not in disputed_names
    ]
    problems += [
        f"{name} is listed as disputed, but the diagnosis finds nothing wrong with it"
        for name in sorted(disputed_names.difference(counterexamples))
    ]
    return CheckResult(claim, tuple(problems))


def _find_counterexample(
    resources: AssignmentDiagnosisResources, module: AssignmentDiagnosis, source_text: str
) -> Counterexample | None:
    """Return a counterexample to a right program; None if it is right on all programs tried.

    The programs tried are some small ones, first, because an author reads the first that differs, and those that
    submissions are compared on, up to the second that stops the process.
    """
    try:
        with resources.open_course_program(source_text) as (context, bridge):
            family = module.make_programs(context)
            tried = (*islice(family.enumerate_small_programs(), MOST_CHECKED), *family.draw_random_programs())
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
        resources.reference_runner.end_process()


def _check_operations(assignment: Assignment, grader: Grader) -> CheckResult:
    claim = "every operation of the diagnosis runs on the solution"
    try:
        return CheckResult(claim, tuple(describe_broken_operations(assignment, AssignmentDiagnosisResources(grader))))
    except CourseFault as fault:
        return CheckResult(claim, (str(fault),))
