"""Store the graded classes with their submission entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from sqlalchemy import and_, bindparam, delete, func, insert, select, update

from autograder.lateness import StudentNames, SubmissionTime, SubmissionTimes
from autograder.store.results.result_model import GradingRules, SubmissionDigests, convert_rules_to_columns
from autograder.store.session import StoreSession
from autograder.store.tables import batches, members, utc_now
from autograder.submissions.origin import SubmissionOrigin
from autograder.text import escape_name_unambiguously, normalize_student_name_keeping_case


@dataclass(frozen=True, slots=True)
class StoredSubmissionEntry:
    """One submission of a class, as the store keeps it."""

    name: str
    path: Path
    problem: str = ""
    submission_identity: str = ""
    """The identity of its content; empty until it was read."""
    submission_time: SubmissionTime | None = None
    """Its students and its time; None until known."""
    origin: SubmissionOrigin | None = None
    """Where it came from; None if unknown."""
    last_result_id: int | None = None
    """The row of the result that counted last; None if unknown."""

    @property
    def names_of_each_student(self) -> tuple[StudentNames, ...]:
        """Return the students of the submission, each with all names; the group's name if no member is known."""
        if self.submission_time:
            return self.submission_time.members or ((self.submission_time.student,),)
        names = self.origin.student_identifiers if self.origin else ()
        return tuple((normalize_student_name_keeping_case(name),) for name in names if name.strip())


def convert_row_to_entry(row: Any) -> StoredSubmissionEntry:
    """Return the entry that a row describes."""
    submission_time = None
    if row.handed_in:
        submission_time = SubmissionTime(row.student, datetime.fromisoformat(row.handed_in), row.students)
    return StoredSubmissionEntry(
        row.name, Path(row.path), row.problem, row.identity, submission_time, row.origin, row.last_result
    )


def convert_entry_to_row(
    class_id: int, position: int, entry: StoredSubmissionEntry, previous_row: Any = None
) -> dict[str, Any]:
    """Return an entry's row.

    Args:
        class_id: the class's id.
        position: the entry's place in the class.
        entry: the entry; one without ``submission_time`` keeps that of the last time.
        previous_row: the row of the last time; None if there was none.
    """
    handed_in = _convert_submission_time_to_columns(entry.submission_time)
    if previous_row and not entry.submission_time:
        students = previous_row.students if previous_row.origin == entry.origin else ()  # else maybe others handed in
        handed_in = {"student": previous_row.student, "handed_in": previous_row.handed_in, "students": students}
    return {
        "batch": class_id, "name": entry.name, "position": position,
        "path": str(entry.path), "problem": entry.problem,
        "identity": previous_row.identity if previous_row else "",
        "sha256": previous_row.sha256 if previous_row else "",
        "last_result": previous_row.last_result if previous_row else None, "origin": entry.origin, **handed_in,
    }  # fmt: skip


def _convert_submission_time_to_columns(submission_time: SubmissionTime | None) -> dict[str, Any]:
    """Return whose a submission is and when it was handed in, as columns of a row."""
    if submission_time is None:
        return {"student": "", "handed_in": "", "students": ()}
    return {
        "student": submission_time.student,
        "handed_in": submission_time.handed_in.isoformat(),
        "students": submission_time.members,
    }


@dataclass(frozen=True, slots=True)
class StoredGradedClass:
    """A class that was graded."""

    id: int
    submissions_path: Path
    """The folder or zip of its submissions."""
    rules: GradingRules
    """The rules of the last grading."""
    platform_name: str = ""
    """The platform that its submissions came from; empty for a plain folder."""
    class_name: str = ""


class GradedClassTables:
    """The classes of a store, with their entries, rosters and deadline rules.

    Raises ``KitFault`` wherever the database fails.
    """

    def __init__(self, session: StoreSession) -> None:
        self._session = session
        dialect = import_module(f"sqlalchemy.dialects.{session.url.get_backend_name()}")
        self._insert_class_query: Any = dialect.insert(batches).on_conflict_do_nothing()

    def record_class_and_replace_entries(
        self,
        class_name: str,
        submissions_path: Path,
        grading_rules: GradingRules,
        entries: Iterable[StoredSubmissionEntry],
        platform_name: str = "",
    ) -> StoredGradedClass:
        """Record the entries of a class before it is graded; remove stored entries that are not among them.

        Args:
            class_name: the class's name; one store may hold many classes.
            submissions_path: the folder or zip that the submissions lie in.
            grading_rules: the rules that they are graded by.
            entries: the entries in order; one without ``submission_time`` keeps the stored one.
            platform_name: the platform that the submissions came from; empty for a plain folder.
        """
        values = {
            **convert_rules_to_columns(grading_rules),
            "submissions_path": str(submissions_path.resolve()),
            "platform": platform_name, "ran_at": utc_now(),
        }  # fmt: skip
        condition = and_(batches.c.name == class_name, batches.c.assignment == grading_rules.assignment)
        with self._session.transaction():
            # another batch may add the same class at this moment
            self._session.execute(self._insert_class_query, {"name": class_name, **values})
            self._session.execute(update(batches).where(condition).values(**values))
            class_id = self._session.execute(select(batches.c.id).where(condition)).scalar() or 0
            old_rows = self._session.fetch_all(select(members).where(members.c.batch == class_id))
            row_by_name = {row.name: row for row in old_rows}
            self._session.execute(delete(members).where(members.c.batch == class_id))
            rows = [
                convert_entry_to_row(class_id, position, entry, row_by_name.get(entry.name))
                for position, entry in enumerate(entries)
            ]
            if rows:
                self._session.execute(insert(members), rows)
        return StoredGradedClass(class_id, submissions_path, grading_rules, platform_name, class_name)

    def update_or_create_class(
        self, class_name: str, submissions_path_if_new: Path, grading_rules: GradingRules
    ) -> StoredGradedClass:
        """Record a class that grows while it is graded, and return it.

        A known class keeps its entries and its stored path, and gets these rules. The returned class always has the
        given path.
        """
        last_class = self.find_last_graded_class(class_name, grading_rules.assignment)
        if last_class is None:
            return self.record_class_and_replace_entries(class_name, submissions_path_if_new, grading_rules, [])
        with self._session.transaction():
            values = {**convert_rules_to_columns(grading_rules), "ran_at": utc_now()}
            self._session.execute(update(batches).where(batches.c.id == last_class.id).values(**values))
        return StoredGradedClass(
            last_class.id, submissions_path_if_new, grading_rules, last_class.platform_name, class_name
        )

    def add_entry_or_update_path(self, stored_class: StoredGradedClass, entry: StoredSubmissionEntry) -> None:
        """Add an entry to a class; a known entry gets the new path, and keeps its position and other data."""
        with self._session.group_statements():
            update_query = update(members).where(_is_entry(stored_class, entry.name)).values(path=str(entry.path))
            if not self._session.execute(update_query).rowcount:
                position_query = select(func.max(members.c.position)).where(members.c.batch == stored_class.id)
                last_position = self._session.execute(position_query).scalar()
                row = convert_entry_to_row(stored_class.id, 0 if last_position is None else last_position + 1, entry)
                self._session.execute(insert(members).values(**row))

    def record_submission_digests(
        self, stored_class: StoredGradedClass, submission_name: str, digests: SubmissionDigests
    ) -> None:
        """Record the digests of what was handed in for an entry of a class."""
        query = update(members).where(_is_entry(stored_class, submission_name))
        with self._session.group_statements():
            self._session.execute(query.values(identity=digests.identity, sha256=digests.sha256))

    def record_counted_result(self, stored_class: StoredGradedClass, submission_name: str, result_id: int) -> None:
        """Record which result of a submission counts, for runs that find none by later rules."""
        query = update(members).where(_is_entry(stored_class, submission_name))
        with self._session.group_statements():
            self._session.execute(query.values(last_result=result_id))

    def find_last_graded_class(self, class_name: str, assignment: str = "") -> StoredGradedClass | None:
        """Return a class by name, the one that was graded last; None if there is none.

        Args:
            class_name: the class's name.
            assignment: the assignment that it was graded for; any when empty.
        """
        query = select(batches).where(batches.c.name == class_name).order_by(batches.c.ran_at.desc())
        row = self._session.fetch_one(query.where(batches.c.assignment == assignment) if assignment else query)
        if row is None:
            return None
        rules = GradingRules(*(getattr(row, name) for name in GradingRules.__slots__))
        return StoredGradedClass(row.id, Path(row.submissions_path), rules, row.platform, class_name)

    def replace_owners_and_times(self, stored_class: StoredGradedClass, submission_times: SubmissionTimes) -> None:
        """Replace the owners and times of all entries; an entry missing in ``submission_times`` loses its own."""
        rows = [
            {
                "of": stored_class.id,
                "who": entry.name,
                **_convert_submission_time_to_columns(
                    submission_times.find_submission_time(escape_name_unambiguously(entry.name))
                ),
            }
            for entry in self.iterate_entries(stored_class)
        ]
        if rows:
            self._session.execute_and_commit(NOTE_SUBMISSION_TIME, rows)

    def save_roster(self, stored_class: StoredGradedClass, roster_rows: Sequence[Mapping[str, str]]) -> None:
        """Save the roster: one row per student, by column."""
        with self._session.group_statements():
            query = update(batches).where(batches.c.id == stored_class.id)
            self._session.execute(query.values(roster=[*map(dict, roster_rows)]))

    def load_roster_rows(self, stored_class: StoredGradedClass) -> list[dict[str, str]]:
        """Return the roster that was saved last; empty if none was."""
        return self._session.fetch_value(select(batches.c.roster).where(batches.c.id == stored_class.id)) or []

    def load_deadline_rules_json(self, stored_class: StoredGradedClass) -> str:
        """Return the deadlines that a class's marks follow, see ``deadline_rules_snapshot``; empty if not known."""
        query = select(batches.c.deadline_rules).where(batches.c.id == stored_class.id)
        return self._session.fetch_value(query) or ""

    def replace_deadline_rules_json(
        self, stored_class: StoredGradedClass, rules_json: str, *, expected_before: str
    ) -> bool:
        """Replace the deadlines of a class; return False if another process has changed them since they were read."""
        condition = and_(batches.c.id == stored_class.id, batches.c.deadline_rules == expected_before)
        with self._session.group_statements():
            result = self._session.execute(update(batches).where(condition).values(deadline_rules=rules_json))
        return bool(result.rowcount)

    def find_entry(self, stored_class: StoredGradedClass, submission_name: str) -> StoredSubmissionEntry | None:
        """Return the entry of this name; None if there is none."""
        row = self._session.fetch_one(select(members).where(_is_entry(stored_class, submission_name)))
        return convert_row_to_entry(row) if row else None

    def lock_entry_if_present(self, stored_class: StoredGradedClass, submission_name: str) -> bool:
        """Keep others from removing an entry until the open group is committed; return False if there is none."""
        is_entry = _is_entry(stored_class, submission_name)
        with self._session.group_statements():
            self._session.execute(update(members).where(is_entry).values(position=members.c.position))
            return self._session.fetch_one(select(members.c.name).where(is_entry)) is not None

    def iterate_entries(self, stored_class: StoredGradedClass) -> Iterator[StoredSubmissionEntry]:
        """Yield the entries of a class, in order; at most a thousand at a time are in memory."""
        start = -1
        while True:
            rows = self._session.fetch_all(MEMBERS, {"of": stored_class.id, "start": start})
            if not rows:
                return
            yield from map(convert_row_to_entry, rows)
            start = rows[-1].position

    def list_entries_without_origin(self, stored_class: StoredGradedClass) -> list[StoredSubmissionEntry]:
        """Return the entries of a class in order, without path, problem and origin: a fraction of the work."""
        rows = self._session.fetch_all(BRIEF, {"of": stored_class.id})
        no_path = Path()
        return [
            StoredSubmissionEntry(
                row.name,
                no_path,
                submission_identity=row.identity,
                submission_time=SubmissionTime(row.student, datetime.fromisoformat(row.handed_in), row.students)
                if row.handed_in
                else None,
                last_result_id=row.last_result,
            )
            for row in rows
        ]


def _is_entry(stored_class: StoredGradedClass, submission_name: str) -> Any:
    return and_(members.c.batch == stored_class.id, members.c.name == submission_name)


BRIEF = (
    select(*(members.c[name] for name in ("name", "identity", "student", "handed_in", "students", "last_result")))
    .where(members.c.batch == bindparam("of"))
    .order_by(members.c.position)
)
NOTE_SUBMISSION_TIME = (
    update(members)
    .where(members.c.batch == bindparam("of"), members.c.name == bindparam("who"))
    .values(**{name: bindparam(name) for name in ("student", "handed_in", "students")})
)
MEMBERS = (
    select(members)
    .where(members.c.batch == bindparam("of"), members.c.position > bindparam("start"))
    .order_by(members.c.position)
    .limit(1000)
)
