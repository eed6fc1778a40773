"""Plan an upload: for each student in Canvas, the score and the comment that differ from those in Canvas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from autograder.platforms.canvas.current_grade import CanvasGradeAndComments
from autograder.platforms.canvas.gradebook_export import KEPT_SCORES, plan_score_change
from autograder.platforms.canvas.number_format import format_score
from autograder.platforms.canvas.score_comment import format_score_comment
from autograder.platforms.common.manual_mark_protection import protect_manual_entries
from autograder.platforms.common.platform_model import ExportChange, ExportOptions, SubmissionResult


@dataclass(frozen=True, slots=True)
class StudentScoreUploadPlan:
    """The score and the comment to send to Canvas for one student, as far as they are not there yet."""

    change: ExportChange
    entry: CanvasGradeAndComments
    comment: str
    """Empty if it is there already."""
    comment_to_whole_group: bool
    """Whether the comment goes to the student's whole group, because only this member is known."""

    @property
    def changes_to_send(self) -> list[ExportChange]:
        """Return the changes to send, a score, a comment or both; none if the student is left out for a reason."""
        if self.change.note:
            return []
        comment_change = replace(self.change, what="comment", before="", after=self.comment, overwrites=False)
        return [*([self.change] if self.new_score_or_empty else []), *([comment_change] if self.comment else [])]

    @property
    def new_score_or_empty(self) -> str:
        """Return the new score; empty if it is there already."""
        return self.change.after if self.change.has_new_value else ""


def plan_score_uploads(
    result_by_student_id: Mapping[str, SubmissionResult],
    entry_by_student_id: Mapping[str, CanvasGradeAndComments],
    rescale_points: Callable[[float], Decimal],
    without_comments: bool,
    canvas_assignment_id: str,
    options: ExportOptions,
) -> list[StudentScoreUploadPlan]:
    """Plan what to do for each student who has a result."""
    submission_counts = Counter(result.name for result in result_by_student_id.values())
    plans = []
    for id_, result in result_by_student_id.items():
        change = _plan_score_change(entry_by_student_id[id_], format_score(rescale_points(result.points)))
        change = replace(
            change,
            id=id_,
            place=canvas_assignment_id,
            submission=result.name,
            seen=entry_by_student_id[id_].graded_at,
        )
        change = protect_manual_entries(change, options)
        comment = "" if without_comments else _make_new_comment(entry_by_student_id[id_], result)
        plans.append(
            StudentScoreUploadPlan(
                change, entry_by_student_id[id_], comment, comment_to_whole_group=submission_counts[result.name] == 1
            )
        )
    return plans


def _plan_score_change(entry: CanvasGradeAndComments, new_score: str) -> ExportChange:
    student = entry.student
    old_score = "" if entry.score is None else format_score(Decimal(repr(entry.score)))
    if entry.is_excused or not entry.is_assigned:
        return ExportChange(student.label, old_score, old_score, KEPT_SCORES["EX" if entry.is_excused else "N/A"])
    return plan_score_change(student, old_score, new_score)


def _make_new_comment(entry: CanvasGradeAndComments, result: SubmissionResult) -> str:
    """Return the comment; empty if it is there already."""
    comment = format_score_comment(result.report)
    return "" if comment.split() in (old_comment.split() for old_comment in entry.comments) else comment
