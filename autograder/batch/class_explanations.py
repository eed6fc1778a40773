"""Look for the repairs of wrong submissions once they have their marks, and add each to its report.

Programs with the same code share one search, and what most students handed in comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec import structs

from autograder.batch.output_files import StudentResultFilesWriter
from autograder.diagnosis.model import Diagnosis
from autograder.repair.sharing import SharedRepair
from autograder.reports import ScoreReport
from autograder.store.results.graded_class_table import StoredGradedClass, StoredSubmissionEntry
from autograder.store.results.result_model import pack_report, unpack_report
from autograder.store.store import Store
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult


@dataclass(frozen=True, slots=True)
class Explained:
    """One submission whose repair was looked for."""

    submission: str
    edit_count: int
    """How many places change; 0 where no repair was found."""
    done: int
    """How many submissions that is, in this run."""
    total: int
    failure: str = ""
    """Why nobody could look; empty if somebody did."""


ExplainedCallback = Callable[[Explained], None]


@dataclass(frozen=True, slots=True)
class _WrongSubmission:
    entry: StoredSubmissionEntry
    submission_identity: str
    program_key: str


class ClassExplanations:
    """Hands out the wrong submissions of a class, and saves their repairs.

    Attributes:
        failures: why nobody could look for the repair of a submission, by its name.
    """

    def __init__(
        self,
        store: Store,
        stored_class: StoredGradedClass,
        student_files_writer: StudentResultFilesWriter,
        on_explained: ExplainedCallback = lambda explained: None,
    ) -> None:
        """Begin with none.

        Args:
            store: where results are kept.
            stored_class: the class, with the rules it is graded by.
            student_files_writer: where reports go.
            on_explained: called for each submission whose repair was looked for.
        """
        self._store, self._stored_class = store, stored_class
        self._student_files_writer, self._on_explained = student_files_writer, on_explained
        self._waiting: dict[str, _WrongSubmission] = {}
        self._waiting_count_by_key: Counter[str] = Counter()
        self._repair_by_key: dict[str, SharedRepair] = {}
        self._done_count = 0
        self.failures: dict[str, str] = {}

    def add_if_unexplained(
        self, entry: StoredSubmissionEntry, submission_identity: str, report: ScoreReport, program_key: str = ""
    ) -> None:
        """Take a submission that has its marks, if it is wrong and nobody has looked for its repair.

        Args:
            entry: the submission; what was known of it before is forgotten.
            submission_identity: the identity of what was handed in.
            report: its report.
            program_key: the same for programs with the same code; if empty, only equal files count as equal.
        """
        self._remove(entry.name)
        if report.diagnosis.is_unexplained:
            key = program_key or report.submission.sha256
            self._waiting[entry.name] = _WrongSubmission(entry, submission_identity, key)
            self._waiting_count_by_key[key] += 1

    def iterate_rounds(self) -> Iterator[Iterator[GradingTask]]:
        """Yield the tasks in two rounds: one submission of each program, then the others, which are quick.

        The results of a round must be recorded before the next one begins.
        """
        first_by_key: dict[str, str] = {}
        for name, wrong in self._waiting.items():
            first_by_key.setdefault(wrong.program_key, name)
        firsts = sorted(first_by_key.items(), key=lambda pair: -self._waiting_count_by_key[pair[0]])
        yield self._iterate_tasks([name for _, name in firsts])
        yield self._iterate_tasks([*self._waiting])

    def take_next_task(self) -> GradingTask | None:
        """Return the task of the submission that waits longest; None if none does."""
        return next(self._iterate_tasks([*self._waiting]), None)

    def _iterate_tasks(self, names: Sequence[str]) -> Iterator[GradingTask]:
        for name in names:
            wrong = self._waiting[name]
            found = self._store.results.find_result(wrong.submission_identity, self._stored_class.rules)
            if found is None:  # erased meanwhile
                self._remove(name)
                continue
            yield GradingTask(
                name,
                wrong.entry.path,
                wrong.entry.problem,
                unexplained_report=found.packed_report,
                known_repair=self._repair_by_key.get(wrong.program_key),
            )

    def record_task_result(self, result: GradingTaskResult, *, gives_up: bool = False) -> None:
        """Add a repair to its report, and write the student's files.

        Args:
            result: of the task.
            gives_up: whether a report says no longer that somebody is going to look, if nobody could.
        """
        total = self._done_count + len(self._waiting)
        wrong = self._remove(result.name)
        if wrong is None:
            return
        self._done_count += 1
        if result.shared_repair and self._waiting_count_by_key[wrong.program_key]:
            self._repair_by_key[wrong.program_key] = result.shared_repair
        if result.kit_failure:
            self.failures[result.name] = result.kit_failure
        if result.explained is not None or gives_up:
            self._save(wrong, result.explained)
        edit_count = len(result.explained.repair.edits) if result.explained and result.explained.repair else 0
        self._on_explained(Explained(result.name, edit_count, self._done_count, total, result.kit_failure))

    def give_up(self, reason: str) -> None:
        """Say of all that wait why nobody can look for their repairs."""
        self.failures.update(dict.fromkeys(self._waiting, reason))

    def _save(self, wrong: _WrongSubmission, explained: Diagnosis | None) -> None:
        """Add a repair to the result of a submission, unless there is one or the submission was erased meanwhile."""
        with self._store.group():
            if not self._store.classes.lock_entry_if_present(self._stored_class, wrong.entry.name):
                return
            found = self._store.results.find_result(wrong.submission_identity, self._stored_class.rules)
            if found is None:
                return
            report = unpack_report(found.packed_report)
            if report.diagnosis.is_unexplained:
                diagnosis = explained or structs.replace(report.diagnosis, repair_pending=False)
                report = structs.replace(report, diagnosis=diagnosis)
                self._store.results.replace_report(found, pack_report(report))
        self._student_files_writer.update_student_files(
            wrong.entry.name,
            report,
            found.has_pytest_record,
            partial(self._store.results.load_packed_pytest_record, found),
        )

    def _remove(self, name: str) -> _WrongSubmission | None:
        wrong = self._waiting.pop(name, None)
        if wrong:
            self._waiting_count_by_key[wrong.program_key] -= 1
            if not self._waiting_count_by_key[wrong.program_key]:
                del self._waiting_count_by_key[wrong.program_key]
                self._repair_by_key.pop(wrong.program_key, None)
        return wrong
