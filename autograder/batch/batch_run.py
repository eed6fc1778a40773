"""Run a batch: grade entries, save results, write reports and a gradebook; reuse results that still hold."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from autograder.batch.batch_coordinator import BatchConfig, BatchCoordinator
from autograder.batch.batch_location import REMEMBERED, WRITTEN_NAMES
from autograder.batch.batch_summary import BatchSummary
from autograder.batch.class_explanations import ClassExplanations
from autograder.batch.mark_changes import (
    MarkChangeAuditRecorder,
    find_replaced_deadline_rules,
    load_class_marks_before_run,
    record_deadline_changes,
)
from autograder.batch.output_files import StudentResultFilesWriter
from autograder.batch.personalized_reports import load_report_context
from autograder.faults import CallerFault, KitFault
from autograder.lateness import SubmissionTimes
from autograder.store.connection import DATABASE_FILE
from autograder.store.results.graded_class_table import StoredGradedClass, StoredSubmissionEntry
from autograder.store.results.result_model import make_grading_rules
from autograder.store.store import Store
from autograder.submissions import SubmissionEntry
from autograder.workers.grading_tasks import GradingExecutor
from autograder.workers.task_scheduler import run_tasks

OpenWorkers = Callable[[], AbstractContextManager[GradingExecutor]]
KIT_FILE_NAMES = ("", *WRITTEN_NAMES, REMEMBERED, DATABASE_FILE, f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm")


def run_batch(
    config: BatchConfig,
    entries: list[SubmissionEntry],
    *,
    submissions_path: Path | None = None,
    platform_name: str = "",
    submission_times: SubmissionTimes | None = None,
    roster: Sequence[Mapping[str, str]] | None = None,
) -> BatchSummary:
    """Grade every entry without a result by the present rules; reuse the parts of earlier results that still hold.

    A result by another version of the kit stays as it is; ``run_regrade`` brings it up to date.

    Args:
        config: how to grade.
        entries: the class.
        submissions_path: the folder or zip that the entries lie in; kept for a later regrade.
        platform_name: the platform that the submissions came from; kept likewise.
        submission_times: the students and times of submissions; the stored ones when None.
        roster: the course's roster, kept for later runs; the one of the last time stays when None.

    Raises:
        CallerFault: the folder or the store cannot be written, or students handed in to the assignment on the web:
            entries of theirs that are not among ``entries`` would lose their results.
        CourseFault: the assignment cannot be used.
        KitFault: the machine fails; the results until then are saved.
    """
    location = config.location
    own = {
        os.path.realpath(location.output_folder / name)
        for name in (*KIT_FILE_NAMES, location.store_url.database or "")
    }
    stored_entries = [
        StoredSubmissionEntry(entry.name, entry.path, entry.reading_problem, origin=entry.origin)
        for entry in entries
        if os.path.realpath(entry.path) not in own
    ]
    rules = make_grading_rules(config.assignment, config.sandbox.tier)
    with location.open_or_create_store() as store:
        if store.has_hand_ins(location.class_key_in_store, config.assignment.name):
            raise CallerFault(
                f"this folder holds what students handed in to {config.assignment.name} on the web",
                str(location.output_folder),
                "name another folder with --out, or bring the submissions in on the web",
            )
        has_new_times = submission_times is not None
        earlier_rules = (
            find_replaced_deadline_rules(store, location.class_key_in_store, config.assignment)
            if has_new_times
            else None
        )
        record_deadline_changes(store, location.class_key_in_store, config.assignment, with_marks=not has_new_times)
        marks_before = load_class_marks_before_run(
            store,
            location.class_key_in_store,
            config.assignment,
            submission_times_may_change=has_new_times,
            earlier_deadline_rules=earlier_rules,
        )
        stored_class = store.classes.record_class_and_replace_entries(
            location.class_key_in_store,
            submissions_path or _find_common_folder(entries),
            rules,
            stored_entries,
            platform_name,
        )
        record_deadline_changes(store, location.class_key_in_store, config.assignment)
        if roster is not None:
            store.classes.save_roster(stored_class, roster)
        if submission_times is not None:
            store.classes.replace_owners_and_times(stored_class, submission_times)
        recorder = MarkChangeAuditRecorder(store, stored_class, marks_before, "batch")
        to_grade = _ClassToGrade(store, stored_class, stored_entries, recorder)
        return _grade(config, to_grade, accept_other_kit_versions=True)


def run_regrade(
    config: BatchConfig,
    entries: list[SubmissionEntry],
    *,
    dry_run: bool = False,
    only_submissions: Container[str] | None = None,
) -> BatchSummary:
    """Update the results of a class: grade its stored entries by the present version of the assignment.

    Submissions that are gone or changed keep their stored results. The exceptions are those of
    ``run_batch``.

    Args:
        config: how to grade.
        entries: the class's submissions, as far as they are still present.
        dry_run: whether nothing is written: no result, no report, no gradebook.
        only_submissions: the submissions to bring up to date, by name; the whole class when None. The others keep
            their results.
    """
    location = config.location
    found = {entry.name: entry for entry in entries}
    rules = make_grading_rules(config.assignment, config.sandbox.tier)
    with location.open_existing_store(dry_run=dry_run) as store:
        class_before = location.get_stored_class(store, config.assignment.name)
        earlier_rules = find_replaced_deadline_rules(store, location.class_key_in_store, config.assignment)
        if not dry_run:
            record_deadline_changes(store, location.class_key_in_store, config.assignment)
        marks_before = load_class_marks_before_run(
            store,
            location.class_key_in_store,
            config.assignment,
            deadline_rules_for_change_list=earlier_rules,
        )
        stored_entries = [
            _relocate_entry(stored, found.get(stored.name)) for stored in store.classes.iterate_entries(class_before)
        ]
        stored_class = store.classes.record_class_and_replace_entries(
            location.class_key_in_store,
            class_before.submissions_path,
            rules,
            stored_entries,
            class_before.platform_name,
        )
        recorder = MarkChangeAuditRecorder(store, stored_class, marks_before, "regrade")
        to_grade = _ClassToGrade(store, stored_class, stored_entries, recorder)
        return _grade(config, to_grade, dry_run=dry_run, only=only_submissions)


@dataclass(frozen=True, slots=True)
class _ClassToGrade:
    store: Store
    stored_class: StoredGradedClass
    entries: list[StoredSubmissionEntry]
    mark_change_recorder: MarkChangeAuditRecorder


def _grade(
    config: BatchConfig,
    to_grade: _ClassToGrade,
    *,
    accept_other_kit_versions: bool = False,
    dry_run: bool = False,
    only: Container[str] | None = None,
) -> BatchSummary:
    """Grade the submissions of a class for which something must be run."""
    store, stored_class, entries = to_grade.store, to_grade.stored_class, to_grade.entries
    context = load_report_context(store, stored_class, config.assignment.deadline_rules)
    writer = StudentResultFilesWriter(config.location.output_folder, entries, context, dry_run=dry_run)
    explanations = (
        ClassExplanations(store, stored_class, writer, config.on_explained)
        if config.explains and config.assignment.feedback.repair_candidates and not dry_run
        else None
    )
    coordinator = BatchCoordinator(
        config,
        store,
        stored_class,
        writer,
        accept_other_kit_versions=accept_other_kit_versions,
        mark_change_recorder=to_grade.mark_change_recorder,
        explanations=explanations,
    )
    started = time.monotonic()
    chosen = entries if only is None else [stored for stored in entries if stored.name in only]
    with _open_workers_when_needed(config) as open_workers:
        for done in run_tasks(coordinator.iterate_tasks_and_settle_rest(chosen), open_workers, store.commit_if_due):
            coordinator.record_task_result(done)
        coordinator.commit_and_write_gradebook()
        coordinator.summary.seconds = time.monotonic() - started
        if explanations is not None:
            _explain(explanations, open_workers, store)
            coordinator.summary.explanation_failures = explanations.failures
    return coordinator.summary


def _explain(explanations: ClassExplanations, open_workers: OpenWorkers, store: Store) -> None:
    """Look for the repairs of wrong submissions; what fails there costs nothing else.

    Raises:
        CallerFault: the folder cannot be written.
    """
    try:
        for tasks in explanations.iterate_rounds():
            for done in run_tasks(tasks, open_workers, store.commit_if_due):
                explanations.record_task_result(done)
    except KitFault as fault:
        explanations.give_up(str(fault))
    finally:
        store.commit()


@contextmanager
def _open_workers_when_needed(config: BatchConfig) -> Iterator[OpenWorkers]:
    """Yield a function that opens the workers when it is first called; they end with the block."""
    with ExitStack() as resources:
        opened = cache(lambda: resources.enter_context(config.open_workers(config.assignment, config.sandbox)))
        yield lambda: nullcontext(opened())


def _relocate_entry(stored: StoredSubmissionEntry, entry: SubmissionEntry | None) -> StoredSubmissionEntry:
    """Return a stored entry with the path where its submission is now."""
    if entry is None:
        return stored
    return replace(stored, path=entry.path, problem=entry.reading_problem)


def _find_common_folder(entries: list[SubmissionEntry]) -> Path:
    return Path(os.path.commonpath([entry.path.parent for entry in entries])) if entries else Path()
