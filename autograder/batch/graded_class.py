"""Open a graded class for the staff, and write its reports and gradebook again from the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from autograder.batch.batch_location import GRADEBOOK, BatchLocation, lock_output_folder
from autograder.batch.mark_changes import (
    MarkChangeAuditRecorder,
    PointsAndBonus,
    find_replaced_deadline_rules,
    get_final_points_and_bonus,
    load_class_marks_before_run,
    record_deadline_changes,
)
from autograder.batch.output_files import StudentResultFilesWriter, write_gradebook
from autograder.batch.personalized_reports import (
    PersonalizedEntry,
    apply_lms_deadlines_if_chosen,
    iterate_entry_results,
    iterate_personalized_reports,
    load_report_context,
    personalize_report,
)
from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules
from autograder.course.model import Concept
from autograder.decisions import Decision, DecisionProvenance
from autograder.decisions.decision_sheet import check_text_length
from autograder.faults import CallerFault
from autograder.lateness import SubmissionTimes
from autograder.reports import ScoreReport
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.result_model import unpack_report
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


ReadSubmissionTimes = Callable[[Store, StoredGradedClass, Assignment], SubmissionTimes]


@dataclass(slots=True)
class RewriteSummary:
    """The reports that were written."""

    version: str
    versions_with_results: list[str] = field(default_factory=list)
    """The assignment versions with results."""
    submission_count: int = 0
    written_count: int = 0
    outdated_count: int = 0
    """Reports by other rules than the class was graded by last, and by the same kit."""
    other_kit_count: int = 0
    """Reports by another version of the kit than the class was graded by last."""
    wrote_student_pages: bool = False
    """Whether students' pages were written too."""
    extensions_without_submission: list[str] = field(default_factory=list)
    """Students with an extension but no known submission time."""


@dataclass(frozen=True, slots=True)
class RewriteOptions:
    """From which results reports are written anew, and where."""

    assignment_version: str = ""
    """The assignment's version; the one that the class was graded by last when empty."""
    read_new_submission_times: ReadSubmissionTimes | None = None
    """Returns new students and times of a class's submissions; the stored ones stay when None."""
    with_student_pages: bool = False
    """Whether to write every student's web page too, even if there are none yet."""
    other_output_folder: Path | None = None
    """Where to write; the class's folder when None."""


def rewrite_reports_and_gradebook(
    location: BatchLocation,
    assignment_name: str,
    get_assignment: Callable[[str], Assignment],
    options: RewriteOptions = RewriteOptions(),
) -> RewriteSummary:
    """Write every report, record and the gradebook of a class anew, without grading.

    Deadlines that changed and new submission times are kept in the store, and the audit log gets the marks that
    change with them.

    Args:
        location: where the class was graded.
        assignment_name: the assignment's name; the one that was graded last when empty.
        get_assignment: returns the assignment of the course that has a name.
        options: what is written from which results, and where.

    Raises:
        CallerFault: nothing was graded there, there are no results of that version, or the folder cannot be
            written.
    """
    out = options.other_output_folder or location.output_folder
    with lock_output_folder(out), location.open_existing_store() as store:
        stored_class = location.get_stored_class(store, assignment_name)
        known = store.results.list_versions_with_results(stored_class.rules.assignment)
        if options.assignment_version and options.assignment_version not in known:
            raise CallerFault(
                f"there are no results of version '{options.assignment_version}'",
                advice=f"choose from {', '.join(known)}" if known else "run `autograder batch` first",
            )
        done = RewriteSummary(options.assignment_version or stored_class.rules.version, known)
        assignment = _restore_concepts_of_version(
            get_assignment(stored_class.rules.assignment), store, stored_class, done.version
        )
        if options.read_new_submission_times:
            _save_deadlines_and_times(store, stored_class, assignment, options.read_new_submission_times)
        else:
            record_deadline_changes(store, location.class_key_in_store, assignment)
        context = load_report_context(store, stored_class, assignment.deadline_rules)
        done.extensions_without_submission = (
            context.submission_times.list_extensions_without_submission(context.deadline_rules)
            if context.submission_times
            else []
        )
        output_folder = StudentResultFilesWriter(
            out, store.classes.iterate_entries(stored_class), context, with_student_pages=options.with_student_pages
        )
        done.wrote_student_pages = output_folder.has_student_pages
        written = _iterate_written_reports(store, stored_class, output_folder, options.assignment_version, done)
        reports = (personalize_report(report, name, context) for name, report in written)
        write_gradebook(reports, assignment, out / GRADEBOOK, context)
        return done


def _save_deadlines_and_times(
    store: Store, stored_class: StoredGradedClass, assignment: Assignment, read_new_times: ReadSubmissionTimes
) -> None:
    """Store the assignment's deadlines and new submission times, and record the marks that change with them."""
    earlier_rules = find_replaced_deadline_rules(store, stored_class.class_name, assignment)
    record_deadline_changes(store, stored_class.class_name, assignment, with_marks=False)
    earlier = load_class_marks_before_run(
        store,
        stored_class.class_name,
        assignment,
        submission_times_may_change=True,
        earlier_deadline_rules=earlier_rules,
    )
    store.classes.replace_owners_and_times(stored_class, read_new_times(store, stored_class, assignment))
    context = load_report_context(store, stored_class, assignment.deadline_rules)
    MarkChangeAuditRecorder(store, stored_class, earlier, "report").record_changes_of_reused_results(
        stored_class, context
    )


def _iterate_written_reports(
    store: Store,
    stored_class: StoredGradedClass,
    output_folder: StudentResultFilesWriter,
    version: str,
    done: RewriteSummary,
) -> Iterator[tuple[str, ScoreReport]]:
    """Yield each submission's name and result, once its report is written."""
    for entry, found, current in iterate_entry_results(store, stored_class, version):
        done.submission_count += 1
        if found is None:
            continue
        report = unpack_report(found.packed_report)
        output_folder.update_student_files(
            entry.name, report, found.has_pytest_record, partial(store.results.load_packed_pytest_record, found)
        )
        done.written_count += 1
        other_kit = not current and found.kit_version != stored_class.rules.kit
        done.other_kit_count += other_kit
        done.outdated_count += not (current or other_kit)
        yield entry.name, report


def _restore_concepts_of_version(
    assignment: Assignment, store: Store, stored_class: StoredGradedClass, version: str
) -> Assignment:
    """Return an assignment with the concepts of an earlier version; unchanged if the class has no result of it."""
    for _, found, _ in iterate_entry_results(store, stored_class, version):
        if found:
            concepts = unpack_report(found.packed_report).concepts
            return replace(
                assignment, concepts=tuple(Concept(one.name, one.max_score, one.bonus) for one in concepts)
            )
    return assignment
