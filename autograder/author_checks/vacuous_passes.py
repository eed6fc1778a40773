"""Find vacuous passes: a test that passes on a program that does nothing tests nothing, or says why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.do_nothing_programs import TRANSFORMATIONS, TransformedSolution, transform_solution
from autograder.author_checks.grading_pool import make_submission
from autograder.author_checks.typical_submissions import load_typical_submissions
from autograder.course import Assignment
from autograder.grading.result_model import TestSpec
from autograder.grading.suite_runner import SuiteRunner
from autograder.sandbox import Sandbox

ADVICE = "give it a positive control, or mark it with vacuous(why)"


def check_vacuous_passes(assignment: Assignment, sandbox: Sandbox) -> list[CheckResult]:
    """Run the hidden suite on programs that do nothing, and say which tests pass.

    Raises:
        CourseFault: the suite, the solution or ``typical.yml`` cannot be used.
        KitFault: no process can be started.
    """
    rightly = load_typical_submissions(assignment).rightly_passed
    runner = SuiteRunner(assignment, sandbox)
    try:
        passes: dict[str, list[str]] = {}
        for name in TRANSFORMATIONS:
            program = transform_solution(assignment, name)
            for test in _passed(runner, name, program, rightly.get(name, ())) if program else ():
                passes.setdefault(test, []).append(name)
        return [*compare_passes_with_markers(runner.suite.specs, passes), _known(runner.suite.specs, rightly)]
    finally:
        runner.close()


def compare_passes_with_markers(specs: tuple[TestSpec, ...], passes: Mapping[str, list[str]]) -> list[CheckResult]:
    """Compare what passes with what is marked.

    Args:
        specs: the hidden tests.
        passes: the programs on which each test passes, by the test's id.
    """
    unmarked = [
        f"{s.id} passes where {passes[s.id][0]} ({ADVICE})" for s in specs if s.id in passes and not s.vacuous
    ]
    needless = [
        f"{s.id} is marked as vacuous, and no program that does nothing passes it: take the mark off"
        for s in specs
        if s.vacuous and s.id not in passes
    ]
    return [
        CheckResult("no hidden test passes on a program that does nothing, or it says why", tuple(unmarked)),
        CheckResult("and every test that says so does", tuple(needless)),
    ]


def _known(specs: tuple[TestSpec, ...], rightly: Mapping[str, tuple[str, ...]]) -> CheckResult:
    known = {spec.id for spec in specs} | {spec.concept for spec in specs}
    unknown = (
        f"{name!r} is no concept and no test" for names in rightly.values() for name in names if name not in known
    )
    return CheckResult("what such a program passes rightly is there", tuple(unknown))


def _passed(runner: SuiteRunner, name: str, program: TransformedSolution, rightly: tuple[str, ...]) -> Iterator[str]:
    """Yield the ids of the tests that a program passes, among those about what it does not do."""
    with runner.start_submission_run(make_submission(name, program.source)) as run:
        if run.problem:
            return
        for result in run.run_all_tests():
            spec = result.spec
            about = not spec.about or not program.changed.isdisjoint(spec.about)
            if result.outcome == "passed" and about and not {spec.concept, spec.id} & {*rightly}:
                yield spec.id
