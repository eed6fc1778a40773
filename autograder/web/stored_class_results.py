"""Read a class's results from the store: the reports of one or all hand-ins, and the parts that students may see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from msgspec import structs

from autograder.batch.lms_deadline_override import apply_lms_deadlines_if_chosen
from autograder.batch.opened_graded_class import OpenedGradedClass
from autograder.batch.personalized_reports import (
    PersonalizedEntry,
    ReportPersonalizationContext,
    find_result_in_force,
    iterate_personalized_reports,
    load_report_context,
    personalize_report,
)
from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions import (
    ClassDecisionsInForce,
    Decision,
    apply_extension_decisions,
    map_students_to_reopened_attempts,
)
from autograder.lateness import compute_lateness_or_none
from autograder.reports import ScoreReport
from autograder.reports.report_visibility import Stage, filter_report_for_student, is_visible_at
from autograder.store.results.packed_result import unpack_report
from autograder.store.store import Store
from autograder.store.web.hand_in_table import HandIn


@dataclass(frozen=True)
class StoredClassResults:
    """The results of one assignment in one course."""

    store: Store
    course: str
    assignment: Assignment

    @cached_property
    def graded_class_if_any(self) -> OpenedGradedClass | None:
        """Return the class; None until one of its hand-ins was graded."""
        found = self.store.classes.find_last_graded_class(self.course, self.assignment.name)
        return OpenedGradedClass(self.store, found, self.course, self.assignment) if found else None

    @cached_property
    def class_report_context(self) -> ReportPersonalizationContext:
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
        return ClassDecisionsInForce.from_history(self._history).in_force

    @cached_property
    def _history(self) -> list[Decision]:
        return self.graded_class_if_any.load_decision_history() if self.graded_class_if_any else []

    def find_full_report(self, hand_in: HandIn) -> ScoreReport | None:
        """Return the whole report of a hand-in; None until it was graded."""
        if self.graded_class_if_any is None or hand_in.state != "graded":
            return None
        stored = self.graded_class_if_any.stored_class
        entry = self.store.classes.find_entry(stored, hand_in.submission)
        if entry is None or not entry.submission_identity:
            return None
        found = find_result_in_force(self.store, stored, entry)
        if found is None:
            return None
        context = load_report_context(
            self.store, stored, self.assignment.deadline_rules, self._history, entries=[entry]
        )
        return personalize_report(unpack_report(found.packed_report), entry.name, context)

    @cached_property
    def entries_by_submission_id(self) -> dict[str, PersonalizedEntry]:
        """Return all results, by submission."""
        if self.graded_class_if_any is None:
            return {}
        found = iterate_personalized_reports(
            self.store, self.graded_class_if_any.stored_class, self.class_report_context
        )
        return {one.entry.name: one for one in found}

    def find_deadline_of_members(self, member_logins: Iterable[str]) -> datetime | None:
        """Return the deadline of a student or a team, with the extension of any member; None where there is none."""
        names = tuple((login,) for login in sorted(member_logins))
        owner = "+".join(login for (login,) in names)
        found = compute_lateness_or_none(self.effective_deadline_rules, owner, datetime.now(UTC), names)
        return found.deadline if found else None

    @cached_property
    def is_lms_deadline_in_force(self) -> bool:
        """Return whether the deadline is one that an LMS said, and not that of ``grading.yml``."""
        said = self.store.lti_deadlines
        name = self.assignment.name
        return said.get_deadline_source(self.course, name) == "LMS" and bool(
            said.list_platform_deadlines(self.course, name)
        )

    def find_last_reopened_at(self, member_logins: Iterable[str]) -> datetime | None:
        """Return when a student or any member of a team was last given another attempt; None if never."""
        names = [*member_logins]
        known = map_students_to_reopened_attempts(self.decisions_in_force)
        found = [known[name].since for name in (*names, "+".join(sorted(names))) if name in known]
        return max(found, default=None)

    @cached_property
    def published_at(self) -> datetime | None:
        """Return when the results were published; None while they are not."""
        return self.store.publications.find_published_at(self.course, self.assignment.name)

    @property
    def visibility_stage(self) -> Stage:
        """Return the stage of visibility now; ``due`` begins when the last deadline of any student is over."""
        if self.published_at is not None:
            return "published"
        due = self.effective_deadline_rules
        of_students = (moment for _, moment in (*due.extensions, *due.deadlines_of_students))
        last = max((due.deadline, *of_students), key=_when) if due.deadline else None
        return "due" if last is not None and datetime.now(UTC) > last else "handed in"

    def cut_report_for_student_or_none(self, report: ScoreReport) -> ScoreReport | None:
        """Return what the student may see of a report now; None if nothing yet.

        Running times of hidden tests are removed, too, because they are listed by test name.
        """
        if not is_visible_at(self.assignment.feedback.results, self.visibility_stage):
            return None
        cut = filter_report_for_student(report, self.visibility_stage)
        shown = {test.id for test in cut.tests}
        times = {name: seconds for name, seconds in cut.timing.tests.items() if name in shown}
        return structs.replace(cut, timing=structs.replace(cut.timing, tests=times))


def _when(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0
