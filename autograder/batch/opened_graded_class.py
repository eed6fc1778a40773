"""Open a graded class for the staff: its entries, marks and decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from autograder.batch.batch_location import BatchLocation
from autograder.batch.lms_deadline_override import apply_lms_deadlines_if_chosen
from autograder.batch.mark_changes import PointsAndBonus, get_final_points_and_bonus
from autograder.batch.personalized_reports import (
    PersonalizedEntry,
    iterate_entry_results,
    iterate_personalized_reports,
    load_report_context,
    personalize_report,
)
from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules
from autograder.decisions import Decision, DecisionProvenance
from autograder.decisions.decision_check import check_text_length
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.packed_result import unpack_report
from autograder.store.store import Store

FinalMarks = dict[str, PointsAndBonus]
"""Points that count in the end, and the bonus, by the submission's id."""


@dataclass(frozen=True, slots=True)
class OpenedGradedClass:
    """A class that was graded, with its open store."""

    store: Store
    stored_class: StoredGradedClass
    class_name: str
    assignment: Assignment

    @property
    def deadline_rules_before_decisions(self) -> DeadlineRules:
        """Return the deadlines without decisions: those of ``grading.yml``, or of an LMS."""
        return apply_lms_deadlines_if_chosen(
            self.store, self.class_name, self.assignment.name, self.assignment.deadline_rules
        )

    def load_personalized_entries(self) -> list[PersonalizedEntry]:
        """Return the results of the class as its staff sees them."""
        context = load_report_context(self.store, self.stored_class, self.assignment.deadline_rules)
        return [*iterate_personalized_reports(self.store, self.stored_class, context)]

    def preview_final_marks(self, *decision_histories: Iterable[Decision]) -> list[FinalMarks]:
        """Return the final marks that each of these histories gives, all of them from the same results.

        The results are read once, because a batch may add others meanwhile.
        """
        found = [*iterate_entry_results(self.store, self.stored_class)]
        entries, rules = [entry for entry, _, _ in found], self.assignment.deadline_rules
        contexts = [
            load_report_context(self.store, self.stored_class, rules, history, entries)
            for history in decision_histories
        ]
        marks: list[FinalMarks] = [{} for _ in contexts]
        for entry, result, _ in found:
            for context, by_id in zip(contexts, marks, strict=True):
                if result:
                    report = personalize_report(unpack_report(result.packed_report), entry.name, context)
                    by_id[report.submission.id] = get_final_points_and_bonus(report)
        return marks

    def load_decision_history(self) -> list[Decision]:
        """Return all decisions, in order."""
        return self.store.decisions.list_all_decisions(self.stored_class)

    def save_and_number_decisions(self, new_decisions: list[Decision]) -> list[Decision]:
        """Keep decisions, all of them or none, and return them with their numbers."""
        scores = {one.report.submission.id: one.report.final.score for one in self.load_personalized_entries()}
        before: dict[tuple[str, str], str] = {
            (one.kind, one.who): f"{scores[one.who]:g}"
            for one in new_decisions
            if one.kind == "override" and not one.subject and one.who in scores
        }
        return self.store.decisions.add_decisions(self.stored_class, self.class_name, new_decisions, before)

    def undo_decisions(self, decisions: list[Decision], provenance: DecisionProvenance, reason: str) -> None:
        """Undo decisions, all of them or none.

        Raises:
            CallerFault: the reason is too long.
        """
        check_text_length("reason", reason)
        self.store.decisions.undo_decisions(self.stored_class, self.class_name, decisions, provenance, reason)


@contextmanager
def open_graded_class(
    location: BatchLocation,
    assignment_name: str,
    get_assignment: Callable[[str], Assignment],
    *,
    dry_run: bool = False,
) -> Iterator[OpenedGradedClass]:
    """Open a class that was graded.

    Args:
        location: where it was graded.
        assignment_name: the assignment's name; the one that was graded last when empty.
        get_assignment: returns the assignment of the course that has a name.
        dry_run: whether nothing is put into the store.

    Raises:
        CallerFault: nothing was graded there.
    """
    with location.open_existing_store(dry_run=dry_run) as store:
        found = location.get_stored_class(store, assignment_name)
        yield OpenedGradedClass(store, found, location.class_key_in_store, get_assignment(found.rules.assignment))
