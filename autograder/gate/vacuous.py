"""Find vacuous passes: a test that passes on a program that does nothing tests nothing, or says why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograder.course import Assignment
from autograder.gate.do_nothing import TRANSFORMATIONS, Transformed, transformed
from autograder.gate.finding import Finding
from autograder.gate.pool import submission_of
from autograder.gate.typical import load_typical
from autograder.grading.hall import Hall
from autograder.grading.results import TestSpec
from autograder.sandbox import Sandbox

ADVICE = "give it a positive control, or mark it with vacuous(why)"


def check_vacuous(assignment: Assignment, sandbox: Sandbox) -> list[Finding]:
    """Run the hidden suite on programs that do nothing, and say which tests pass.

    Raises:
        CourseFault: the suite, the solution or ``typical.yml`` cannot be used.
        KitFault: no process can be started.
    """
    rightly = load_typical(assignment).rightly_passed
    hall = Hall(assignment, sandbox)
    try:
        passes: dict[str, list[str]] = {}
        for name in TRANSFORMATIONS:
            program = transformed(assignment, name)
            for test in _passed(hall, name, program, rightly.get(name, ())) if program else ():
                passes.setdefault(test, []).append(name)
        return [*findings(hall.suite.specs, passes), _known(hall.suite.specs, rightly)]
    finally:
        hall.close()


def findings(specs: tuple[TestSpec, ...], passes: Mapping[str, list[str]]) -> list[Finding]:
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
        Finding("no hidden test passes on a program that does nothing, or it says why", tuple(unmarked)),
        Finding("and every test that says so does", tuple(needless)),
    ]


def _known(specs: tuple[TestSpec, ...], rightly: Mapping[str, tuple[str, ...]]) -> Finding:
    known = {spec.id for spec in specs} | {spec.concept for spec in specs}
    unknown = (
        f"{name!r} is no concept and no test" for names in rightly.values() for name in names if name not in known
    )
    return Finding("what such a program passes rightly is there", tuple(unknown))


def _passed(hall: Hall, name: str, program: Transformed, rightly: tuple[str, ...]) -> Iterator[str]:
    """Yield the ids of the tests that a program passes, among those about what it does not do."""
    with hall.admit(submission_of(name, program.source)) as sitting:
        if sitting.problem:
            return
        for result in sitting.results():
            spec = result.spec
            about = not spec.about or not program.changed.isdisjoint(spec.about)
            if result.outcome == "passed" and about and not {spec.concept, spec.id} & {*rightly}:
                yield spec.id
