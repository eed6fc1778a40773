"""Keep the results of submissions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import and_, bindparam, delete, func, select, update

from autograder.faults import KitFault
from autograder.reports import ScoreReport
from autograder.store.results.result_model import (
    ANY_MISCONCEPTIONS_STATE,
    GradingRules,
    PackedResult,
    SubmissionDigests,
    convert_rules_to_columns,
    is_final_result,
)
from autograder.store.session import StoreSession
from autograder.store.tables import results


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A row of results, without its largest parts."""

    row_id: int
    assignment_version: str
    kit_version: str
    environment_hash: str
    misconceptions_state: str
    assignment_parts: str
    """Digests of what the result depends on, by name, as JSON; see ``assignment_changes``."""
    is_final: bool
    packed_report: bytes
    has_pytest_record: bool


@dataclass(frozen=True, slots=True)
class StoredResultSummary:
    """A result in a few columns."""

    id: int
    version: str
    kit: str
    graded_at: str
    score: float
    status: str
    final: bool


class StoredResultVersion(NamedTuple):
    """What tells the results of one submission apart. Two that are equal have the same report."""

    row_id: int
    identity: str
    version: str
    kit: str
    environment_hash: str
    misconceptions_state: str
    final: bool
    graded_at: str
    report_bytes: int

    def is_by(self, rules: GradingRules) -> bool:
        """Return whether it is by these rules, as ``find_result`` looks for it."""
        return (
            (self.version, self.kit, self.environment_hash) == (rules.version, rules.kit, rules.environment_hash)
            and self.misconceptions_state in (rules.misconceptions_state, ANY_MISCONCEPTIONS_STATE)
        )  # fmt: skip


def choose_result_in_force(
    versions: Iterable[StoredResultVersion], rules: GradingRules, last_counted_result_id: int | None
) -> StoredResultVersion:
    """Return the one of a submission's results that ``find_result`` finds, or else ``find_last_counted_result``."""

    def rank(one: StoredResultVersion) -> tuple[bool, bool, bool, int]:
        is_by_rules = one.is_by(rules)
        is_last_counted = not is_by_rules and one.row_id == last_counted_result_id
        return is_by_rules, is_by_rules and one.final, is_last_counted, one.row_id

    return max(versions, key=rank)


class ResultTable:
    """The results of grading. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession) -> None:
        self._session = session
        dialect = import_module(f"sqlalchemy.dialects.{session.url.get_backend_name()}")
        self._insert_query: Any = dialect.insert(results).on_conflict_do_nothing().returning(results.c.id)

    def find_result(self, submission_identity: str, grading_rules: GradingRules) -> StoredResult | None:
        """Return the result of what was handed in, by these rules; None if there is none yet.

        Args:
            submission_identity: the identity of what was handed in; see ``SubmissionDigests``.
            grading_rules: the rules that decide it.
        """
        key = {"identity": submission_identity, **convert_rules_to_columns(grading_rules)}
        return self._session.fetch_one_as(StoredResult, FIND, key)

    def find_latest_result(
        self, submission_identity: str, assignment_name: str, assignment_version: str = ""
    ) -> StoredResult | None:
        """Return the latest result by any rules; None if there is none.

        Args:
            submission_identity: the identity of what was handed in.
            assignment_name: the assignment's name.
            assignment_version: the assignment's version; any when empty.
        """
        query = LATEST.where(results.c.version == assignment_version) if assignment_version else LATEST
        key = {"identity": submission_identity, "assignment": assignment_name}
        return self._session.fetch_one_as(StoredResult, query, key)

    def find_last_counted_result(
        self, submission_identity: str, assignment_name: str, last_counted_result_id: int | None
    ) -> StoredResult | None:
        """Return the result that counts while there is none by the present rules; None if there is none at all.

        Args:
            submission_identity: the identity of what was handed in.
            assignment_name: the assignment's name.
            last_counted_result_id: the row of the result that counted last in the class. If it is None, deleted, or a
                result of something else that was handed in, the latest result counts.
        """
        bind_values = {"row": last_counted_result_id, "identity": submission_identity, "assignment": assignment_name}
        last_counted = self._session.fetch_one_as(StoredResult, LAST_COUNTED, bind_values)
        return last_counted or self.find_latest_result(submission_identity, assignment_name)

    def map_stored_results(self, assignment_name: str) -> dict[str, list[StoredResultVersion]]:
        """Return all results of an assignment without their reports, by the identity of what was handed in."""
        found: dict[str, list[StoredResultVersion]] = {}
        for row in self._session.fetch_all(VERSIONS, {"assignment": assignment_name}):
            found.setdefault(row.identity, []).append(StoredResultVersion._make(row))
        return found

    def load_packed_reports(self, row_ids: Sequence[int]) -> dict[int, bytes]:
        """Return the reports of some results, by their rows."""
        found: dict[int, bytes] = {}
        for start in range(0, len(row_ids), ROWS_AT_ONCE):
            query = select(results.c.id, results.c.report)
            some = results.c.id.in_(row_ids[start : start + ROWS_AT_ONCE])
            found |= {row.id: row.report for row in self._session.fetch_all(query.where(some))}
        return found

    def list_result_summaries(self, submission_identity: str, assignment: str) -> list[StoredResultSummary]:
        """Return every result of what was handed in, the oldest first, without its report."""
        key = {"identity": submission_identity, "assignment": assignment}
        return self._session.fetch_all_as(StoredResultSummary, HISTORY, key)

    def load_packed_result(self, stored_result: StoredResult) -> PackedResult:
        """Return everything that is kept of a result."""
        query = select(results.c.report, results.c.pytest_record).where(results.c.id == stored_result.row_id)
        row = self._session.fetch_one(query)
        if row is None:
            raise KitFault(
                "a stored result no longer exists",
                where=self._session.url.render_as_string(),
                advice="run the same command again",
            )
        return PackedResult(row.report, row.pytest_record)

    def load_packed_pytest_record(self, stored_result: StoredResult) -> bytes:
        """Return what is kept of pytest's record of a result."""
        return self.load_packed_result(stored_result).packed_pytest_record

    def save_result_unless_final(
        self,
        submission_digests: SubmissionDigests,
        grading_rules: GradingRules,
        assignment_parts: Mapping[str, str],
        report: ScoreReport,
        packed_result: PackedResult,
    ) -> int | None:
        """Keep a result unless a final one is kept already; return its row, and None if it was not kept.

        The result is on the disk after ``commit``.
        """
        key = {"identity": submission_digests.identity, **convert_rules_to_columns(grading_rules)}
        if report.diagnosis.verdict == "none":
            key["misconceptions_state"] = ANY_MISCONCEPTIONS_STATE
        row = {
            **key, "sha256": submission_digests.sha256, "final": is_final_result(report),
            "status": report.status.outcome, "score": report.score, "graded_at": report.timing.graded_at,
            "report": packed_result.packed_report,
            "assignment_parts": msgspec.json.encode(assignment_parts).decode(),
            "pytest_record": packed_result.packed_pytest_record,
        }  # fmt: skip
        with self._session.group_statements():
            self._session.execute(FORGET, key)
            saved_row = self._session.fetch_one(self._insert_query, row)
        return saved_row.id if saved_row else None

    def replace_report(self, stored_result: StoredResult, packed_report: bytes) -> None:
        """Keep a report with an explanation in place of the same report without."""
        query = update(results).where(results.c.id == stored_result.row_id)
        self._session.execute(query.values(report=packed_report))

    def list_versions_with_results(self, assignment_name: str) -> list[str]:
        """Return the versions that have results, in the order of their first results."""
        query = select(results.c.version).where(results.c.assignment == assignment_name).group_by(results.c.version)
        return [row.version for row in self._session.fetch_all(query.order_by(func.min(results.c.id)))]


def _make_equality_conditions(*names: str) -> Any:
    return and_(*(results.c[name] == bindparam(name) for name in names))


FOUND = select(
    results.c.id.label("row_id"),
    results.c.version.label("assignment_version"),
    results.c.kit.label("kit_version"),
    results.c.environment_hash,
    results.c.misconceptions_state,
    results.c.assignment_parts,
    results.c.final.label("is_final"),
    results.c.report.label("packed_report"),
    (func.length(results.c.pytest_record) > 0).label("has_pytest_record"),
)
SAME = ("identity", "assignment", "kit", "environment_hash")
HOLDS = results.c.misconceptions_state.in_([bindparam("misconceptions_state"), ANY_MISCONCEPTIONS_STATE])
FIND = (
    FOUND.where(_make_equality_conditions(*SAME, "version"), HOLDS)
    .order_by(results.c.final.desc(), results.c.id.desc())
    .limit(1)
)
LATEST = FOUND.where(_make_equality_conditions("identity", "assignment")).order_by(results.c.id.desc()).limit(1)
LAST_COUNTED = FOUND.where(results.c.id == bindparam("row"), _make_equality_conditions("identity", "assignment"))
HISTORY = (
    select(*(results.c[name] for name in ("id", "version", "kit", "graded_at", "score", "status", "final")))
    .where(_make_equality_conditions("identity", "assignment"))
    .order_by(results.c.id)
)
VERSIONS = select(
    results.c.id,
    *(results.c[name] for name in StoredResultVersion._fields[1:-1]),
    func.length(results.c.report),
).where(results.c.assignment == bindparam("assignment"))
ROWS_AT_ONCE = 500
"""Reports of so many results are loaded with one query."""
FORGET = delete(results).where(
    _make_equality_conditions(*SAME, "version", "misconceptions_state"), results.c.final.is_(False)
)
