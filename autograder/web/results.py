"""Read a class's results from the store: the reports of one or all hand-ins, and the parts that students may see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from autograder.batch.graded_class import OpenedGradedClass
from autograder.batch.personalized_reports import (
    PersonalizedEntry,
    ReportPersonalizationContext,
    apply_lms_deadlines_if_chosen,
    find_result_in_force,
    iterate_personalized_reports,
    load_report_context,
    personalize_report,
)
from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions import (
    Decision,
    apply_extension_decisions,
    map_reopened_attempts_by_student,
    select_decisions_in_force,
)
from autograder.lateness import (
    CountingReason,
    Lateness,
    ReopenedAttempt,
    SubmissionTimes,
    compute_lateness_or_none,
    explain_counting_submissions,
)
from autograder.reports import ScoreReport
from autograder.reports.report_model import Stage, filter_report_for_student, is_visible_at
from autograder.store.results.result_model import unpack_report
from autograder.submissions.origin import TOGETHER
from autograder.text import escape_for_sentence
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.server_store import ServerStore


@dataclass(frozen=True)
class EffectiveClassResults:
    """The results of one assignment in one course."""

    store: ServerStore
    course: str
    assignment: Assignment

    @cached_property
    def graded_class_if_any(self) -> OpenedGradedClass | None:
        """Return the class; None until one of its hand-ins was graded."""
        stored_class = self.store.classes.find_last_graded_class(self.course, self.assignment.name)
        return OpenedGradedClass(self.store, stored_class, self.course, self.assignment) if stored_class else None

    @cached_property
    def report_personalization_context(self) -> ReportPersonalizationContext:
        """Return the deadlines in force, the submission times, and the staff's decisions.

        This reads all entries of the class; for one student, use ``effective_deadline_rules``.
        """
        if self.graded_class_if_any is None:
            return ReportPersonalizationContext(self.effective_deadline_rules)
        return load_report_context(self.store, self.graded_class_if_any.stored_class, self.assignment.deadline_rules)

    @cached_property
    def effective_deadline_rules(self) -> DeadlineRules:
        """Return the deadlines in force, the LMS's if the staff chose them, with the staff's decisions applied."""
        rules = apply_lms_deadlines_if_chosen(
            self.store, self.course, self.assignment.name, self.assignment.deadline_rules
        )
        return apply_extension_decisions(rules, self.decisions_in_force)

    @cached_property
    def decisions_in_force(self) -> tuple[Decision, ...]:
        """Return the staff's decisions that were not undone."""
        return select_decisions_in_force(self._decision_history)

    @cached_property
    def _decision_history(self) -> list[Decision]:
        return self.graded_class_if_any.load_decision_history() if self.graded_class_if_any else []

    def find_full_report(self, hand_in: HandIn) -> ScoreReport | None:
        """Return the whole report of a hand-in; None until it was graded."""
        if self.graded_class_if_any is None or hand_in.state != "graded":
            return None
        stored_class = self.graded_class_if_any.stored_class
        entry = self.store.classes.find_entry(stored_class, hand_in.submission)
        if entry is None or not entry.submission_identity:
            return None
        result = find_result_in_force(self.store, stored_class, entry)
        if result is None:
            return None
        context = load_report_context(
            self.store, stored_class, self.assignment.deadline_rules, self._decision_history, entries=[entry]
        )
        return personalize_report(unpack_report(result.packed_report), entry.name, context)

    def find_counting_reasons(
        self, hand_ins: Iterable[HandIn], reports: Mapping[str, ScoreReport]
    ) -> dict[str, tuple[CountingReason, ...]]:
        """Return the key of the attempt of a student that counts, with the reasons why it does.

        There are several if the student's team changed, and none without a result.

        Args:
            hand_ins: all hand-ins of the student.
            reports: those of their reports that may be seen, by key.
        """
        if self.graded_class_if_any is None or not reports:
            return {}
        stored_class, classes = self.graded_class_if_any.stored_class, self.store.classes
        key_by_submission = {one.submission: one.key for one in hand_ins if one.key in reports}
        entries = [entry for name in key_by_submission if (entry := classes.find_entry(stored_class, name))]
        rules = self.assignment.deadline_rules
        context = load_report_context(self.store, stored_class, rules, self._decision_history, entries=entries)
        points = [(name, reports[key].final.total) for name, key in key_by_submission.items()]
        counting = explain_counting_submissions(
            points, context.submission_times or SubmissionTimes(), rules.which_attempt_counts
        )
        return {key_by_submission[name]: reasons for name, reasons in counting.items()}

    @cached_property
    def entries_by_submission_id(self) -> dict[str, PersonalizedEntry]:
        """Return all results, by submission."""
        if self.graded_class_if_any is None:
            return {}
        personalized_entries = iterate_personalized_reports(
            self.store, self.graded_class_if_any.stored_class, self.report_personalization_context
        )
        return {item.entry.name: item for item in personalized_entries}

    def compute_lateness_now(self, member_logins: Iterable[str]) -> Lateness | None:
        """Return how late a hand-in of a student or a team would be now; None where nothing can be late.

        The deadline has the extension of any member; after an attempt was reopened, it is that attempt's.
        """
        logins = sorted(member_logins)
        reopening = self._find_last_reopening(logins)
        rules = self.effective_deadline_rules
        return compute_lateness_or_none(
            reopening.make_deadline_rules(rules) if reopening else rules,
            TOGETHER.join(logins),
            datetime.now(UTC),
            tuple((login,) for login in logins),
        )

    @cached_property
    def is_lms_deadline_in_force(self) -> bool:
        """Return whether the deadline is one that an LMS said, and not that of ``grading.yml``."""
        deadlines, name = self.store.lti_deadlines, self.assignment.name
        return deadlines.get_deadline_source(self.course, name) == "LMS" and bool(
            deadlines.list_platform_deadlines(self.course, name)
        )

    def find_last_reopened_at(self, member_logins: Iterable[str]) -> datetime | None:
        """Return when a student or any member of a team was last given another attempt; None if never."""
        reopening = self._find_last_reopening(member_logins)
        return reopening.since if reopening else None

    def _find_last_reopening(self, member_logins: Iterable[str]) -> ReopenedAttempt | None:
        logins = [*member_logins]
        students = {*logins, TOGETHER.join(sorted(logins))}
        reopened_by_student = map_reopened_attempts_by_student(self.decisions_in_force)
        reopened_attempts = (one for student, one in reopened_by_student.items() if student in students)
        return max(reopened_attempts, key=lambda attempt: attempt.since, default=None)

    @cached_property
    def published_times(self) -> dict[int | None, datetime | None]:
        """Return since when results are published, for the class (None) and for single students, by account."""
        return self.store.publications.map_published_times(self.course, self.assignment.name)

    def get_visibility_stage(self, account: int | None = None) -> Stage:
        """Return the stage of visibility now, for a student or, with None, the class.

        ``due`` begins when the last deadline of any student is over.
        """
        if self.published_times.get(account, self.published_times[None]) is not None:
            return "published"
        rules, now = self.effective_deadline_rules, datetime.now(UTC)
        student_deadlines = (moment for _, moment in (*rules.extensions, *rules.deadlines_of_students))
        is_over = all(moment is None or now > moment for moment in (rules.deadline, *student_deadlines))
        return "due" if rules.deadline and is_over else "handed in"

    def cut_report_for_student_or_none(self, report: ScoreReport, account: int) -> ScoreReport | None:
        """Return what a student may see of a report now; None if nothing yet.

        Running times of hidden tests are removed, too, because they are listed by test name.
        """
        stage = self.get_visibility_stage(account)
        if not is_visible_at(self.assignment.feedback.results, stage):
            return None
        visible_report = filter_report_for_student(report, stage)
        visible_test_ids = {test.id for test in visible_report.tests}
        times = {name: seconds for name, seconds in visible_report.timing.tests.items() if name in visible_test_ids}
        return structs.replace(visible_report, timing=structs.replace(visible_report.timing, tests=times))


def get_graded_file_name(hand_in: HandIn) -> str:
    """Return the name under which a hand-in's file is graded, by which texts of its report call it."""
    return f"{hand_in.submission}{Path(hand_in.file_name).suffix}"


def put_own_file_name(report: ScoreReport, hand_in: HandIn) -> ScoreReport:
    """Return a report with the student's own file name in all texts.

    It is for the students of the hand-in alone: a file's name may tell whose it is.
    """
    graded_name = re.escape(escape_for_sentence(get_graded_file_name(hand_in), 100))
    pattern = re.compile(rf"(?<![\w.+@-]){graded_name}(?!\w)")
    renamed: ScoreReport = _map_texts(report, lambda text: pattern.sub(lambda _: hand_in.file_name, text))
    return renamed


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a part of a report with each of its texts changed, but for the keys of dicts."""
    match value:
        case str():
            return change(value)
        case list():
            return [_map_texts(item, change) for item in value]
        case tuple():
            return tuple(_map_texts(item, change) for item in value)
        case dict():
            return {key: _map_texts(item, change) for key, item in value.items()}
        case Struct():
            names = value.__struct_fields__
            return structs.replace(value, **{name: _map_texts(getattr(value, name), change) for name in names})
    return value
