"""Define the score report, and what a student may see of it, and when."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from autograder.course.model import RepairLevel, Visibility
from autograder.diagnosis import Diagnosis
from autograder.diagnosis.model import NONE
from autograder.grading.results import Outcome
from autograder.grading.source_slips import writes_code_out
from autograder.repair.model import redact_repair

SCHEMA_VERSION = "1.7"

Sha256 = Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]
NonNegative = Annotated[float, Meta(ge=0)]


class ReportedAssignment(Struct, frozen=True, kw_only=True):
    """Which assignment, and which state of it."""

    name: str
    version: str
    """A hash over everything of the assignment that can change a verdict."""
    title: str = ""
    """Its name for people; empty in reports up to 1.3."""


class ReportedSubmission(Struct, frozen=True, kw_only=True):
    """Which submission it is: its id, its digest, and the names of its files."""

    id: str
    sha256: Sha256
    files: list[str]


class Status(Struct, frozen=True, kw_only=True):
    """Whether it could be graded at all."""

    outcome: str
    """``graded``, or a stable key of why not: ``syntax-error``, ``nothing-defined``, ``empty`` ..."""
    message: str
    """What is wrong and what to do, for the student; empty when it was graded."""
    provisional: bool = False
    """Whether a wall clock struck: on a quieter machine it may be another result, so it is graded again."""


class Points(Struct, frozen=True, kw_only=True):
    """Points reached, out of how many."""

    score: NonNegative
    max_score: NonNegative


class ReportedConcept(Struct, frozen=True, kw_only=True):
    """The points of one concept."""

    name: str
    score: NonNegative
    max_score: NonNegative
    bonus: bool


class ReportedTest(Struct, frozen=True, kw_only=True):
    """One hidden test."""

    __test__ = False

    id: str
    concept: str
    sentence: str
    """What the test holds the submission to."""
    outcome: Outcome
    cause: str
    """What stopped the student's process (``cpu``, ``sleep``, ``wall``, ``memory``, ``exit``, ``signal``, ``flood``,
    ``messages``, ``protocol``, ``submission``); empty when nothing did."""
    score: NonNegative
    max_score: NonNegative
    message: str
    """What happened, for the student; empty when the test passed."""
    hint: str
    """What to try, for the student; empty when the test passed. Of a test that follows another, it points there."""
    visibility: Visibility
    exempt: bool = False
    """Whether a person decided that it gives its points, whatever its outcome."""
    follows: str = ""
    """The id of a plainer test of the concept that failed, and needs nothing that this one does not: it is to be made
    to pass first. Empty where there is none."""


class ReportedDiagnosis(Diagnosis, frozen=True, kw_only=True):
    """The diagnosis in a report: the causes named for the failed tests, if any, and when students see it."""

    visibility: Visibility
    repair_level: RepairLevel = "line"
    """How far students see ``repair``, where they see the diagnosis."""


class FinalScore(Struct, frozen=True, kw_only=True):
    """The score that counts: the points after lateness and after the decisions of staff."""

    score: NonNegative
    """Without the bonus."""
    max_score: NonNegative
    bonus: NonNegative

    @property
    def total(self) -> float:
        """Return the points with the whole bonus, which may exceed ``max_score``; not part of the JSON."""
        return self.score + self.bonus


class ReportedLateness(Struct, frozen=True, kw_only=True):
    """When it was handed in, and what that costs."""

    handed_in: str
    """ISO 8601 with a time zone, as is ``deadline``."""
    deadline: str
    """The one that holds for the student."""
    extended: bool
    """Whether that is an extension."""
    seconds_late: Annotated[int, Meta(ge=0)]
    days_late: Annotated[int, Meta(ge=0)]
    """Days that have begun; 0 in time and within the time of grace."""
    percent_off: Annotated[float, Meta(ge=0, le=100)]
    """Off the points and off the bonus alike."""
    message: str
    """The same in a sentence, for the student."""
    extension_of: str = ""
    """Whose extension it is, of a group's members, say: for the staff alone; empty without one."""


class ReportedDecision(Struct, frozen=True, kw_only=True):
    """Something that a person decided about this submission."""

    kind: Literal["override", "comment", "exempt", "points"]
    subject: str
    """The concept, the test, or what the points are for; empty for the score as a whole."""
    value: str
    """The points, or the comment."""
    reason: str
    """For the staff alone, as are ``author`` and ``decided_at``."""
    author: str
    decided_at: str
    """UTC, ISO 8601."""
    outdated: bool = False
    """Whether other files were handed in since."""


class ReportedDecisions(Struct, frozen=True, kw_only=True):
    """What people decided, and the points that the tests alone gave."""

    score: NonNegative
    bonus: NonNegative
    decisions: list[ReportedDecision]


class Isolation(Struct, frozen=True, kw_only=True):
    """The isolation tier that the student's process ran in."""

    tier: str


class Timing(Struct, frozen=True, kw_only=True):
    """All times, in seconds, and what depends on them; everything else is the same on every run."""

    graded_at: str
    """UTC, ISO 8601."""
    seconds: dict[str, float]
    """``loading``, ``tests``, ``total``, and ``diagnosis`` where there was something to diagnose."""
    tests: dict[str, float]
    """By test id."""
    processes: int
    """Student processes that were started."""


class ScoreReport(Struct, frozen=True, kw_only=True):
    """The result of one submission."""

    schema_version: str
    kit_version: str
    """Its version and a digest of its code, ``0.2.0+5f0c9a1b2d3e``; the version alone up to 0.2.0."""
    python: str
    """Version of the interpreter that ran the submission."""
    assignment: ReportedAssignment
    submission: ReportedSubmission
    status: Status
    score: NonNegative
    """Without the bonus, and whenever it was handed in: what the program is worth."""
    max_score: NonNegative
    bonus: Points
    final: FinalScore
    lateness: ReportedLateness | None
    """None where it is not known when it was handed in, or there is no deadline."""
    concepts: list[ReportedConcept]
    tests: list[ReportedTest]
    diagnosis: ReportedDiagnosis
    notes: list[str]
    """What did not go well while the submission was loaded; costs nothing by itself."""
    isolation: Isolation
    timing: Timing
    decided: ReportedDecisions | None = None
    """None where no person decided anything: ``score``, ``bonus``, ``final`` and ``concepts`` are the tests' then."""
    fresh_look: str = ""
    """What is wrong with numbers that no test uses, where the marks are nearly full; for the staff alone."""

    @property
    def grader_error_count(self) -> int:
        """Return how many tests ended in a grader error, which is not the student's; not part of the JSON."""
        return sum(test.outcome == "grader error" for test in self.tests)


Stage = Literal["handed in", "due", "published"]
"""The stage of an assignment; each stage shows at least as much as the one before."""
FIRST_STAGE: dict[Visibility, Stage | None] = {
    "visible": "handed in",
    "after_due_date": "due",
    "after_published": "published",
    "hidden": None,
}
STAGES: tuple[Stage, ...] = ("handed in", "due", "published")


def is_visible_at(visibility: Visibility, stage: Stage) -> bool:
    """Return whether students see a part of this visibility at a stage."""
    first_stage = FIRST_STAGE[visibility]
    return first_stage is not None and STAGES.index(first_stage) <= STAGES.index(stage)


def get_first_visible_stage(visibilities: Iterable[Visibility]) -> Stage:
    """Return the stage at which students first see any of some parts; the last stage if they never see one."""
    stages = [STAGES.index(first_stage) for visibility in visibilities if (first_stage := FIRST_STAGE[visibility])]
    return STAGES[min(stages, default=-1)]


def filter_report_for_student(report: ScoreReport, stage: Stage) -> ScoreReport:
    """Return the report without what its student may not see; points stay as they are.

    Tests and the diagnosis are left out until students may see them. The holder of a group's extension is never
    shown, and neither are author and reason of a decision: the staff can tell a student something in a comment. What
    a look at fresh numbers found is for the staff, too.
    """
    report = limit_explanations_for_student(report)
    diagnosis = report.diagnosis
    if not is_visible_at(diagnosis.visibility, stage):
        diagnosis = ReportedDiagnosis(
            visibility=diagnosis.visibility, repair_level=diagnosis.repair_level, **structs.asdict(NONE)
        )
    tests = [test for test in report.tests if is_visible_at(test.visibility, stage)]
    lateness = structs.replace(report.lateness, extension_of="") if report.lateness else None
    reported_decisions = _cut_decisions(report.decided, {test.id for test in tests}) if report.decided else None
    return structs.replace(
        report, tests=tests, diagnosis=diagnosis, lateness=lateness, decided=reported_decisions, fresh_look=""
    )


def limit_explanations_for_student(report: ScoreReport) -> ScoreReport:
    """Return the report with names, hints and repair told as far as ``feedback.repair`` lets students see a change.

    A hint on a wrong result that writes code out tells the change. One on a message of Python's is in the template.
    """
    diagnosis = report.diagnosis
    level = diagnosis.repair_level
    causes = tuple(
        structs.replace(cause, misconceptions=tuple(one.limit_to_level(level) for one in cause.misconceptions))
        for cause in diagnosis.causes
    )
    tests = [
        structs.replace(test, hint="")
        if level != "change" and test.outcome == "failed" and not test.follows and writes_code_out(test.hint)
        else test
        for test in report.tests
    ]
    repair = redact_repair(diagnosis.repair, level) if diagnosis.repair else None
    is_pending = diagnosis.repair_pending and level != "hidden"
    diagnosis = structs.replace(diagnosis, causes=causes, repair=repair, repair_pending=is_pending)
    return structs.replace(report, tests=tests, diagnosis=diagnosis)


def _cut_decisions(reported_decisions: ReportedDecisions, test_ids: Container[str]) -> ReportedDecisions:
    """Return the decisions as a student may see them, without names of tests that the student does not see."""
    visible_decisions = [
        structs.replace(
            decision,
            subject="" if decision.kind == "exempt" and decision.subject not in test_ids else decision.subject,
            reason="",
            author="",
            decided_at="",
        )
        for decision in reported_decisions.decisions
    ]
    return structs.replace(reported_decisions, decisions=visible_decisions)
