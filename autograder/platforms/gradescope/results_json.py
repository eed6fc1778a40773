"""Read a submission's metadata in Gradescope's container, and make ``results.json``, which Gradescope reads.

Nothing in it is ever ``hidden``: with a hidden entry, students may not see their total. Where a course hides its
tests, each concept is one entry that shows its points and no more.

Formats: https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/ and
https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from autograder.course.deadline_rules import DeadlineRules, InvalidTime, parse_time
from autograder.faults import KitFault, make_file_fault
from autograder.grading.results import OUTCOMES_WITH_FULL_POINTS
from autograder.lateness import Lateness, compute_lateness_or_none
from autograder.platforms.common.export_files import encode_json_file
from autograder.platforms.common.export_points import BONUS_RULES, compute_counted_points
from autograder.platforms.common.platform_model import ExportOptions
from autograder.reports import ScoreReport
from autograder.reports.causes import redirect_hints_to_first_fix
from autograder.reports.markdown_report import (
    escape_markdown,
    iterate_diagnosis_paragraphs,
    render_course_text_as_markdown,
    render_report_as_markdown,
)
from autograder.reports.report_model import (
    ReportedConcept,
    ReportedTest,
    filter_report_for_student,
    is_visible_at,
    limit_explanations_for_student,
)
from autograder.reports.wording import format_bonus_suffix, format_points
from autograder.text import format_count, normalize_student_name_keeping_case


class GradescopeStudent(Struct, frozen=True):
    """One of those who handed in; several in a group."""

    email: str | None = None
    name: str | None = None


class GradescopeSubmissionMetadata(Struct, frozen=True):
    """What is used of the file; everything else in it is left out."""

    id: int | str = ""
    created_at: str | None = None
    users: tuple[GradescopeStudent, ...] = ()

    @property
    def submission_name_from_id(self) -> str:
        """Return what the submission is called, in "Export submissions" too.

        >>> GradescopeSubmissionMetadata(id=123).submission_name_from_id
        'submission_123'
        """
        return f"submission_{self.id}" if self.id != "" else "submission"


def read_gradescope_metadata(path: Path) -> GradescopeSubmissionMetadata:
    """Read ``submission_metadata.json``.

    Raises:
        KitFault: the file is missing, or is not what the platform writes.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=GradescopeSubmissionMetadata)
    except OSError as error:
        raise make_file_fault(error, path, fault_class=KitFault) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise KitFault(f"the metadata is not as Gradescope writes it: {error}", where=str(path)) from error


def compute_submission_lateness_or_none(
    metadata: GradescopeSubmissionMetadata, deadline_rules: DeadlineRules
) -> Lateness | None:
    """Return how late the submission is; a group is as late as the member with the kindest deadline.

    Extensions go by the e-mail address, whatever its capitals, since students choose their names themselves.

    Raises:
        KitFault: there is a deadline, and the platform does not say when the submission was handed in.
    """
    if deadline_rules.deadline is None and not deadline_rules.extensions:
        return None
    try:
        handed_in = parse_time(metadata.created_at, deadline_rules.default_zone)
    except InvalidTime as error:
        raise KitFault(f"cannot read created_at: {error}", where="submission_metadata.json") from error
    student_by_email = {student.casefold(): student for student, _ in deadline_rules.extensions}
    emails = [normalize_student_name_keeping_case(user.email or "").casefold() for user in metadata.users]
    students = [student_by_email.get(email, "") for email in emails] or [""]
    latenesses = [
        lateness for student in students if (lateness := compute_lateness_or_none(deadline_rules, student, handed_in))
    ]
    return min(latenesses, key=lambda lateness: (lateness.percent_off, lateness.seconds_late), default=None)


def _format_summary_as_markdown(
    visible_report: ScoreReport, counted_points: float, points_in_entries: float, bonus_rule: str
) -> str:
    """Write the text above the tests.

    Args:
        visible_report: cut to what the student may see now.
        counted_points: the points that count.
        points_in_entries: the points that the entries below the text add up to.
        bonus_rule: how the bonus counts, one of ``BONUS_RULES``.
    """
    parts = []
    if bonus_suffix := format_bonus_suffix(visible_report, counted_points - visible_report.final.score):
        parts.append(f"**{format_points(counted_points)} points**{escape_markdown(bonus_suffix)}.")
    if counted_points != points_in_entries and not visible_report.status.message:
        bonus_clause = f": {BONUS_RULES[bonus_rule]}" if visible_report.bonus.max_score else ""
        lateness_clause = (
            ", and lateness is taken off" if visible_report.lateness and visible_report.lateness.percent_off else ""
        )
        parts.append(
            f"**{format_points(counted_points)} points count** of the {format_points(points_in_entries)} that the "
            "tests below add up to"
            f"{escape_markdown(bonus_clause)}{lateness_clause}."
        )
    faulty_tests = [test for test in visible_report.tests if test.outcome == "grader error"]
    if faulty_tests:
        parts.append(
            f"{format_count(len(faulty_tests), 'test')} could not be run. That costs no points: they count as passed."
        )
    return "\n\n".join([*parts, render_report_as_markdown(visible_report, include_tests=False)])


def _format_test_failure_as_markdown(test: ReportedTest) -> str:
    """Say what happened in one test; empty where it passed."""
    if test.outcome == "passed":
        return ""
    outcome_text = f"**{test.outcome}:** {escape_markdown(test.message)}" if test.message else f"**{test.outcome}**"
    return f"{outcome_text}  \nTry: {render_course_text_as_markdown(test.hint)}" if test.hint else outcome_text


Entry = dict[str, Any]
NAME = "results.json"


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make the file, and return it by its name.

    Raises:
        CallerFault: ``bonus`` is set to something other than capped, added or none.
        KitFault: a number in the report is infinite or not a number.
    """
    return {NAME: encode_results_json(report, options.settings.get("bonus") or "capped")}


def encode_results_json(report: ScoreReport, bonus_rule: str = "capped") -> bytes:
    """Return the content of ``results.json``, in ASCII.

    Args:
        report: the whole report, including what students see later or never.
        bonus_rule: what the bonus adds to the score: ``capped`` at full marks, ``added``, or ``none``.

    Raises:
        CallerFault: ``bonus_rule`` is none of the three.
        KitFault: a number in the report is infinite or not a number.
    """
    score = _round_points(compute_counted_points(report, bonus_rule))
    entries = list(_iterate_entries(report, bonus_rule))
    entry_points = sum(entry.get("score", 0) for entry in entries)
    data = {
        "score": score,
        "output": _format_summary_as_markdown(
            filter_report_for_student(report, "handed in"), score, _round_points(entry_points), bonus_rule
        ),
        "output_format": "md",
        "test_output_format": "md",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": entries,
        "extra_data": {
            "kit_version": report.kit_version,
            "assignment": report.assignment.name,
            "assignment_version": report.assignment.version,
            "outcome": report.status.outcome,
            "sha256": report.submission.sha256,
        },
    }
    try:
        return encode_json_file(data)
    except ValueError as error:
        raise KitFault(f"the report holds a number that JSON cannot: {error}", where=NAME) from error


def _iterate_entries(report: ScoreReport, bonus_rule: str) -> Iterator[Entry]:
    if report.status.message:
        yield _make_ungraded_entry(report)
        return
    report = redirect_hints_to_first_fix(report)
    for concept_number, concept in enumerate(report.concepts, start=1):
        concept_tests = [test for test in report.tests if test.concept == concept.name]
        counts = not (concept.bonus and bonus_rule == "none")
        hidden_tests = [test for test in concept_tests if test.visibility == "hidden"]
        if hidden_tests:
            yield _make_hidden_tests_entry(hidden_tests, concept, concept_number, counts=counts)
        shown_tests = [test for test in concept_tests if test.visibility != "hidden"]
        for test_number, test in enumerate(shown_tests, start=1):
            yield _make_test_entry(test, concept, f"{concept_number}.{test_number}", counts=counts)
    visibility = report.diagnosis.visibility
    text = "\n\n".join(iterate_diagnosis_paragraphs(limit_explanations_for_student(report), include_tests=False))
    if text and visibility != "hidden" and not is_visible_at(visibility, "handed in"):
        yield {"name": "What went wrong", "output": text, "visibility": visibility}


def _make_test_entry(test: ReportedTest, concept: ReportedConcept, number: str, *, counts: bool) -> Entry:
    entry = _make_entry(
        test.sentence,
        number,
        concept,
        is_passed=test.outcome in OUTCOMES_WITH_FULL_POINTS,
        visibility=test.visibility,
    )
    if counts:
        entry |= {"score": _round_points(test.score), "max_score": _round_points(test.max_score)}
    text = _format_test_failure_as_markdown(test)
    return entry | ({"output": text} if text else {})


def _make_hidden_tests_entry(
    tests: list[ReportedTest], concept: ReportedConcept, concept_number: int, *, counts: bool
) -> Entry:
    """Put a concept's tests that students never see into one entry, which shows their points alone."""
    score, max_score = (
        _round_points(sum(values)) for values in zip(*((test.score, test.max_score) for test in tests), strict=True)
    )
    entry = _make_entry(
        concept.name, str(concept_number), concept, is_passed=score >= max_score, visibility="visible"
    )
    return entry | ({"score": score, "max_score": max_score} if counts else {})


def _make_entry(name: str, number: str, concept: ReportedConcept, *, is_passed: bool, visibility: str) -> Entry:
    return {
        "name": f"{name} (bonus)" if concept.bonus else name,
        "number": number,
        "status": "passed" if is_passed else "failed",
        "tags": [concept.name],
        "visibility": visibility,
    }


def _make_ungraded_entry(report: ScoreReport) -> Entry:
    """Make the one entry of a submission that could not be graded; its score is 0, and the top says what to do."""
    return {
        "name": "Your submission can be graded",
        "number": "1",
        "status": "failed",
        "score": 0.0,
        "max_score": _round_points(report.max_score),
        "visibility": "visible",
    }


def _round_points(value: float) -> float:
    """Round points to hundredths: sums of floats carry more digits than points have."""
    return round(value, 2) + 0.0
