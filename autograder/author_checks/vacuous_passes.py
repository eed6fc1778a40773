"""Find vacuous passes: a test that passes on a program that does nothing must be marked with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.author_checks.results import CheckResult
from autograder.author_checks.stubbing import TRANSFORMATIONS, StubbedSolution, try_transform_solution
from autograder.author_checks.typical import load_typical_submissions_file
from autograder.course import Assignment
from autograder.grading.results import HiddenTestResult, HiddenTestSpec
from autograder.grading.suite_run import SuiteRunner
from autograder.sandbox import SandboxConfig

ADVICE = "give it a positive control, or mark it with vacuous(why)"


def check_do_nothing_programs_fail(assignment: Assignment, sandbox: SandboxConfig) -> list[CheckResult]:
    """Run the hidden suite on programs that do nothing, and check which tests pass.

    Raises:
        CourseFault: the suite, the solution or ``typical.yml`` cannot be used.
        KitFault: no process can be started.
    """
    rightly = load_typical_submissions_file(assignment).rightly_passed
    with closing(SuiteRunner(assignment, sandbox)) as runner:
        passes: dict[str, list[str]] = {}
        own_errors: dict[str, str] = {}
        for name in TRANSFORMATIONS:
            program = try_transform_solution(assignment, name)
            if program is None:
                continue
            for result in _run_tests(runner, name, program.source):
                if _is_wrongly_passed(result, program, rightly.get(name, ())):
                    passes.setdefault(result.spec.id, []).append(name)
                own_errors.setdefault(result.own_error, name)
        return [
            *_check_vacuous_passes_match_markers(runner.suite.test_specs, passes),
            _require_known_test_ids(runner.suite.test_specs, rightly),
            CheckResult(
                "no hidden test fails on such a program by a mistake of its own",
                tuple(f"{error} where {name} (fix the test)" for error, name in own_errors.items() if error),
            ),
        ]


def _check_vacuous_passes_match_markers(
    test_specs: tuple[HiddenTestSpec, ...], passing_programs_by_test: Mapping[str, list[str]]
) -> list[CheckResult]:
    """Check that exactly the tests that pass on a program that does nothing are marked as vacuous.

    Args:
        test_specs: the hidden tests.
        passing_programs_by_test: the programs on which each test passes, by the test's id.

    Returns:
        Two results: every test that passes is marked, and every test that is marked passes.
    """
    unmarked = [
        f"{s.id} passes where {passing_programs_by_test[s.id][0]} ({ADVICE})"
        for s in test_specs
        if s.id in passing_programs_by_test and not s.reason_vacuous
    ]
    needless = [
        f"{s.id} is marked as vacuous, and no program that does nothing passes it: take the marker off"
        for s in test_specs
        if s.reason_vacuous and s.id not in passing_programs_by_test
    ]
    return [
        CheckResult("no hidden test passes on a program that does nothing, unless it says why", tuple(unmarked)),
        CheckResult("every test marked as vacuous passes on such a program", tuple(needless)),
    ]


def _require_known_test_ids(
    specs: tuple[HiddenTestSpec, ...], rightly_passed: Mapping[str, tuple[str, ...]]
) -> CheckResult:
    known_names = {spec.id for spec in specs} | {spec.concept for spec in specs}
    unknown = (
        f"{name!r} is neither a concept nor a test"
        for names in rightly_passed.values()
        for name in names
        if name not in known_names
    )
    return CheckResult("every concept and test that such a program passes rightly exists", tuple(unknown))


def _run_tests(runner: SuiteRunner, name: str, source: str) -> tuple[HiddenTestResult, ...]:
    with runner.open_run_session(make_submission_from_source(name, source)) as run:
        return () if run.ungradable_reason else run.run_all_tests()


def _is_wrongly_passed(result: HiddenTestResult, program: StubbedSolution, rightly: tuple[str, ...]) -> bool:
    """Return whether a test passes that is about a stubbed function of the program, or about none."""
    spec = result.spec
    about = not spec.tested_names or not program.stubbed_names.isdisjoint(spec.tested_names)
    return result.outcome == "passed" and about and not {spec.concept, spec.id} & {*rightly}
