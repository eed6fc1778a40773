"""Check the solution, the stub, the hints, the public suite, the template and the diagnosis of an assignment."""

from __future__ import annotations

import ast
import itertools
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from autograder.author_checks.hidden_test_checks import SolutionNames
from autograder.author_checks.results import CheckResult
from autograder.course import Assignment
from autograder.course.misconceptions import list_alternative_solutions
from autograder.diagnosis import Counterexample, load_diagnosis_or_none
from autograder.diagnosis.call_programs.composing import Operation
from autograder.diagnosis.call_programs.running import CallProgramFamily, enumerate_programs_of_operation
from autograder.diagnosis.definition import AssignmentDiagnosis, list_diagnosis_module_files
from autograder.diagnosis.program_runner import ProgramRunner, trace_until_second_stop
from autograder.diagnosis.readings import RunFailure
from autograder.diagnosis.resources import AssignmentDiagnosisResources
from autograder.faults import CourseFault, format_did_you_mean_suffix
from autograder.files import temporary_folder
from autograder.grading import Grader
from autograder.grading.reference_runs import read_reference_submission
from autograder.grading.suite_run import SuiteRunner
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from autograder.template import describe_template_differences, render_student_template_files

PYTEST_FAILED = 1
NOT_LOADED = "your code cannot be loaded"
"""What the template's ``conftest.py`` writes above the reason."""
XML_FILE = "results.xml"


@dataclass(frozen=True, slots=True)
class _PublicSuiteRun:
    """The public suite's results on one program."""

    exit_code: int
    summary: str
    """The last line, such as ``1 failed, 2 passed``."""
    problems: tuple[str, ...]
    """A line for each test that fails, and each file without any result."""


def check_public_suite(assignment: Assignment) -> CheckResult:
    """Check that the public suite passes the solution and that no test of it passes the stub."""
    with temporary_folder("template") as folder:
        for name, text in render_student_template_files(assignment).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        stubbed = _run_pytest(folder)
        shutil.copy(assignment.solution_file, folder / "value.py")
        solved = _run_pytest(folder)
    problems = [*(solved.problems or [f"the solution fails: {solved.summary}"])] if solved.exit_code != 0 else []
    if stubbed.exit_code != PYTEST_FAILED or " passed" in stubbed.summary:
        problems.append(f"the stub does not fail every test: {stubbed.summary}")
    return CheckResult("the public suite passes the solution and fails the stub", tuple(problems))


def _run_pytest(folder: Path) -> _PublicSuiteRun:
    command = [sys.executable, "-m", "pytest", "--disable-plugin-autoload", "-p", "no:cacheprovider"]
    process = subprocess.run(
        [*command, f"--junitxml={XML_FILE}"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    try:
        cases = [*ElementTree.parse(folder / XML_FILE).getroot().iter("testcase")]
    except (OSError, ElementTree.ParseError):  # pytest ended before it wrote anything
        cases = []
    problems, loaded_files = [], set()
    for case in cases:
        file = f"{case.get('classname', '').removeprefix('tests.').partition('.')[0]}.py"
        loaded_files.add(file)
        for fault in (*case.findall("failure"), *case.findall("error")):
            line = _first_line(fault.get("message", ""))
            problems.append(f"the solution fails public/{file}::{case.get('name', '')}: {line}")
    reason = _first_line(process.stdout.partition(NOT_LOADED)[2].partition("\n")[2]) or "it holds no test"
    problems += [
        f"public/{path.name} cannot be loaded with the solution: {reason}"
        for path in sorted((folder / "tests").glob("test_*.py"))
        if path.name not in loaded_files
    ]
    lines = [line for line in process.stdout.splitlines() if re.search(" passed| failed| error", line)]
    return _PublicSuiteRun(process.returncode, lines[-1].strip("= ") if lines else "no result", tuple(problems))


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:200]


MOST_TRIED = 80
"""How many programs are tried for one operation, alone and after others; one that runs is enough."""
NEVER_MEANT = ("AttributeError", "NameError", "NotImplementedError")
"""Exceptions that no contract promises; a right solution may have to raise others."""
WRONG_CALL = re.compile(r"argument|not callable")


def _check_operations(assignment: Assignment, grader: Grader) -> CheckResult:
    """Check that operations of a diagnosis run on the solution, and name what it has."""
    claim = "every operation of the diagnosis runs on the solution"
    resources = AssignmentDiagnosisResources(grader)
    try:
        if resources.definition_or_none is None:
            return CheckResult(claim, ())
        context = resources.make_diagnosis_context(resources.reference_runner.implemented_names)
        family = resources.definition_or_none.make_programs(context)
        if not isinstance(family, CallProgramFamily):
            return CheckResult(claim, ())
        return CheckResult(claim, tuple(_find_problems(assignment, resources, family)))
    except CourseFault as fault:
        return CheckResult(claim, (str(fault),))
    finally:
        resources.reference_runner.end_process()


def _find_problems(
    assignment: Assignment, resources: AssignmentDiagnosisResources, family: CallProgramFamily
) -> Iterator[str]:
    names, places = SolutionNames(resources.solution_source), _find_places(assignment)
    module = str(next(iter(list_diagnosis_module_files(assignment)), assignment.folder))
    for operation in family.vocabulary.operations:
        operation_places = places.get(operation.code, [])
        place = operation_places.pop(0) if operation_places else module
        failure = _find_failure(family, resources, operation)
        if failure is not None:
            yield (
                f"{place}: Operation({operation.code!r}) raises {failure.exception_name} on the solution in "
                f"every program that was tried: {failure.message} (correct it, or take it out)"
            )
        # running the code checks the names that were derived from it
        for name in operation.about:
            if name not in Operation(operation.code, operation.gives).about and not names.may_define(name):
                yield (
                    f"{place}: `about` of Operation({operation.code!r}) names {name!r}, which the solution does not "
                    f"have{format_did_you_mean_suffix(name, names.known)} (write it as the hidden tests' marker does)"
                )


def _find_failure(
    family: CallProgramFamily, resources: AssignmentDiagnosisResources, operation: Operation
) -> RunFailure | None:
    """Return the failure of an operation that fails in all programs tried.

    Return None if the operation runs in one of them, if only operations before it fail, or if the failure may be part
    of the contract.
    """
    if operation not in family.usable:
        return None
    failure = None
    programs = enumerate_programs_of_operation(family.vocabulary, family.usable, operation)
    for program in itertools.islice(programs, MOST_TRIED):
        new_failure = resources.reference_runner.trace_program(family, program).failure
        if new_failure is None:
            return None
        if new_failure.step == len(program.steps) - 1:  # otherwise an earlier operation raised it
            failure = failure or new_failure
    is_never_meant = failure is not None and (
        failure.exception_name in NEVER_MEANT
        or (failure.exception_name == "TypeError" and WRONG_CALL.search(failure.message))
    )
    return failure if is_never_meant else None


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


MOST_CHECKED = 200
"""How many small programs are tried on a right alternative."""


def run_basic_checks(assignment: Assignment, sandbox: SandboxConfig) -> list[CheckResult]:
    """Run the checks that apply to every assignment.

    Raises:
        CourseFault: the suite or the solution cannot be used at all.
        KitFault: no process can be started.
    """
    with Grader(assignment, sandbox) as grader:
        diagnosis_checks: list[CheckResult] = []
        if list_diagnosis_module_files(assignment):  # nothing is claimed of what there is not
            diagnosis_checks = [_check_operations(assignment, grader), _check_diagnosis(assignment, grader)]
            told, again = ({*one.problems} for one in diagnosis_checks)
            if again and again <= told:
                diagnosis_checks.pop()
        return [
            _check_stub_passes_nothing(assignment, grader),
            _check_hints(grader),
            check_public_suite(assignment),
            _check_template_is_current(assignment),
            _check_solution_is_not_published(assignment),
            *diagnosis_checks,
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
    problems = []
    for result in graded.test_results:
        if result.outcome == "passed":
            problems.append(f"{result.spec.id} gives the untouched stub marks")
        elif result.outcome not in ("not attempted", "blocked") and result.own_error:
            problems.append(f"{result.own_error} on the untouched stub (fix the test)")
        elif result.outcome not in ("not attempted", "blocked"):
            problems.append(f"{result.spec.id} calls the untouched stub {result.outcome}")
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
    problems = describe_template_differences(assignment)
    if problems:
        problems[-1] += f": run `autograder template {assignment.name}`"
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
