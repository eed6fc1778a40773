"""Reports for the tests of what shows them: a student's text may stand wherever it can stand in a real one."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from autograder.course.model import RepairLevel, Visibility
from autograder.diagnosis import Cause, EvidenceCounts, NamedMistake
from autograder.diagnosis.model import Counterexample
from autograder.repair.model import Edit, Repair
from autograder.reports import ScoreReport
from autograder.reports.report_model import (
    FinalScore,
    Isolation,
    Points,
    ReportedAssignment,
    ReportedConcept,
    ReportedDiagnosis,
    ReportedLateness,
    ReportedSubmission,
    ReportedTest,
    Status,
    Timing,
)
from tests.pictures.sample import called_twice, calls_again

SUSPECT = NamedMistake(
    id="overwrites",
    title="Gradients are assigned with `=`",
    explanation="In `c = a + a` the second payment erases the first.",
    hints=("How often is a paid?", "What is left of the first payment?"),
    origin="Often a sign was left out.",
    change="Add: `+=`.",
)
LATE = ReportedLateness(
    handed_in="2026-11-21T13:00:00+00:00",
    deadline="2026-11-21T12:00:00+00:00",
    extended=False,
    seconds_late=3600,
    days_late=1,
    percent_off=10.0,
    message="Handed in 1 hour after the deadline.",
)


def a_report(text: str = "zebra", *, status: str = "", late: bool = False, bonus: float = 1.0) -> ScoreReport:
    """A report with a passed, two failed and two untried tests, and a named mistake.

    Args:
        text: what the student could put wherever a student's text may stand.
        status: a message instead of a grading.
        late: whether it was late, at ten percent.
        bonus: points of the bonus, of 4.
    """
    share = 0.9 if late else 1.0
    score = 0.0 if status else 5.0
    extra = 0.0 if status else bonus
    return ScoreReport(
        schema_version="1.7",
        kit_version="0.1.0",
        python="3.11.7",
        assignment=ReportedAssignment(name="autograd-engine", version="0123456789abcdef"),
        submission=ReportedSubmission(id=text, sha256="", files=[text]),
        status=Status(outcome="syntax-error" if status else "graded", message=status),
        score=score,
        max_score=20.0,
        bonus=Points(score=extra, max_score=4.0),
        final=FinalScore(score=score * share, max_score=20.0, bonus=extra * share),
        lateness=LATE if late else None,
        concepts=[
            ReportedConcept(name="accumulation", score=score, max_score=15.0, bonus=False),
            ReportedConcept(name="tanh", score=0.0, max_score=5.0, bonus=False),
            ReportedConcept(name="robustness", score=extra, max_score=4.0, bonus=True),
        ],
        tests=[_blocked(test, status) for test in _tests(text)] if status else _tests(text),
        diagnosis=_diagnosis(text) if not status else ReportedDiagnosis(verdict="none", visibility="visible"),
        notes=[text],
        isolation=Isolation(tier="namespaces"),
        timing=Timing(graded_at="2026-11-21T13:00:05+00:00", seconds={"total": 1.5}, tests={}, processes=2),
    )


def with_each_test(report: ScoreReport, **parts: Any) -> ScoreReport:
    """A report of which every test has these parts."""
    return structs.replace(report, tests=[structs.replace(test, **parts) for test in report.tests])


def with_test(report: ScoreReport, number: int, **parts: Any) -> ScoreReport:
    """A report of which one test, counted from 0, has these parts."""
    changed = structs.replace(report.tests[number], **parts)
    return structs.replace(report, tests=[*report.tests[:number], changed, *report.tests[number + 1 :]])


def almost() -> ScoreReport:
    """A report of 18.2 points and a bonus that fills them up to 20."""
    final = FinalScore(score=18.2, max_score=20.0, bonus=1.8)
    return structs.replace(a_report(bonus=1.8), score=18.2, final=final)


def unnamed(report: ScoreReport) -> ScoreReport:
    """A report whose mistake has no name."""
    diagnosis = structs.replace(report.diagnosis, verdict="unknown", reason="It fits none.", causes=(), evidence=None)
    return structs.replace(report, diagnosis=diagnosis)


def with_picture(report: ScoreReport, text: str = "") -> ScoreReport:
    """A report whose counterexample has a graph and a replay; ``text`` is what a student put in place of a number."""
    example, replay = (called_twice(text), calls_again(text)) if text else (called_twice(), calls_again())
    diagnosis = structs.replace(report.diagnosis, counterexample=example, replay=replay)
    return structs.replace(report, diagnosis=diagnosis)


def named(report: ScoreReport, *causes: Cause) -> ScoreReport:
    """A report with these causes."""
    return structs.replace(report, diagnosis=structs.replace(report.diagnosis, causes=causes))


def cause_of(*tests: str, title: str = SUSPECT.title, **parts: Any) -> Cause:
    """A cause that explains these tests, with a ladder of its own."""
    suspect = structs.replace(SUSPECT, title=title, **parts)
    return Cause(misconceptions=(suspect,), concepts=("accumulation",), tests=tests)


def an_edit(text: str = "self.grad", **parts: Any) -> Edit:
    """An edit in which a name is not the right one; ``text`` is what the student wrote in its place."""
    edit = Edit(
        file="value.py",
        line=31,
        end_line=31,
        before=f"            self.grad += other.data * {text}",
        after="            self.grad += other.data * out.grad",
        kind="name",
        function="Value.__mul__._backward",
        old=text,
        new="out.grad",
        mends=("accumulation.second", "accumulation.third"),
    )
    return structs.replace(edit, **parts)


def repaired(report: ScoreReport, *edits: Edit, level: RepairLevel = "line", **parts: Any) -> ScoreReport:
    """A report with a repair, of a course that shows it to students so far; by default, it mends two failed tests."""
    chosen = edits or (an_edit(),)
    mends = tuple(dict.fromkeys(test for edit in chosen for test in edit.mends))
    repair = structs.replace(Repair(edits=chosen, mends=mends, proven=True, tried=412), **parts)
    return structs.replace(report, diagnosis=structs.replace(report.diagnosis, repair=repair, repair_level=level))


def provisional(report: ScoreReport) -> ScoreReport:
    """A report of a machine that was too busy."""
    return structs.replace(report, status=structs.replace(report.status, provisional=True))


def shown(report: ScoreReport, tests: Visibility, diagnosis: Visibility | None = None) -> ScoreReport:
    """A report of a course that shows tests from this stage on, and the diagnosis too where it is not said apart."""
    cut = structs.replace(report.diagnosis, visibility=diagnosis or tests)
    return structs.replace(with_each_test(report, visibility=tests), diagnosis=cut)


def _tests(text: str) -> list[ReportedTest]:
    def test(name: str, concept: str, outcome: str, points: float, message: str = "", hint: str = "") -> ReportedTest:
        return ReportedTest(
            id=f"{concept}.{name}",
            concept=concept,
            sentence=f"It holds that {name}, as in `a + a`.",
            outcome=outcome,  # type: ignore[arg-type]  # spelled as they are
            cause="",
            score=points if outcome == "passed" else 0.0,
            max_score=points,
            message=message,
            hint=hint,
            visibility="visible",
        )

    return [
        test("first", "accumulation", "passed", 5.0),
        test("second", "accumulation", "failed", 5.0, f"a.grad is 1.0 {text}", "Add to it."),
        test("third", "accumulation", "error", 5.0, text, "Add to it."),
        test("fourth", "tanh", "not attempted", 2.5, "`tanh` is not written yet.", "Write it."),
        test("fifth", "tanh", "blocked", 2.5, f"needs {text}", "Write it."),
        test("sixth", "robustness", "passed", 1.0),
        test("seventh", "robustness", "timeout", 3.0, "It took more than 1 s.", "Does it end?"),
    ]


def _blocked(test: ReportedTest, status: str) -> ReportedTest:
    return ReportedTest(
        id=test.id,
        concept=test.concept,
        sentence=test.sentence,
        outcome="blocked",
        cause="",
        score=0.0,
        max_score=test.max_score,
        message=status,
        hint="",
        visibility="visible",
    )


def _diagnosis(text: str) -> ReportedDiagnosis:
    example = Counterexample(
        kind="gradient",
        program=("a = Value(3.0)", "b = a + a", "b.backward()"),
        text=f"b = a + a\n\na.grad 2.0 1.0   <-- it goes wrong here\n{text}",
    )
    return ReportedDiagnosis(
        verdict="named",
        causes=(Cause(misconceptions=(SUSPECT,), concepts=("accumulation",), tests=("accumulation.second",)),),
        evidence=EvidenceCounts(tests=2, programs=36, failing_programs=24),
        counterexample=example,
        visibility="visible",
    )
