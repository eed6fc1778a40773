"""Apply ``visibility``: decide what a student may see of a report, and when."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Literal

from msgspec import structs

from autograder.course.model import Visibility
from autograder.diagnosis.diagnosis_model import NONE
from autograder.repair.repair_redaction import redact_repair
from autograder.reports.report_model import ReportedDecisions, ReportedDiagnosis, ScoreReport

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
    report = limit_repair_for_student(report)
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


def limit_repair_for_student(report: ScoreReport) -> ScoreReport:
    """Return the report with its repair told as far as ``feedback.repair`` lets students see it."""
    diagnosis = report.diagnosis
    repair = redact_repair(diagnosis.repair, diagnosis.repair_level) if diagnosis.repair else None
    is_pending = diagnosis.repair_pending and diagnosis.repair_level != "hidden"
    return structs.replace(report, diagnosis=structs.replace(diagnosis, repair=repair, repair_pending=is_pending))


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
