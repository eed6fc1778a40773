"""Find the Canvas students that a submission belongs to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.platforms.canvas.reader import FileNameReading, make_canvas_owner_key, parse_possible_readings
from autograder.platforms.common.grade_column import match_results
from autograder.platforms.common.platform_model import SubmissionResult
from autograder.roster.row_fields import (
    ID_COLUMNS,
    LOGIN_COLUMNS,
    list_emails_not_chosen_by_students,
    list_nonempty_cells,
    list_student_name_variants,
    make_name_comparison_keys,
)
from autograder.text import escape_for_display, join_with_and, make_file_name_collision_key

CANVAS_IDS = ("canvas", "canvas_id", "canvas id", "canvas user id", "canvas_user_id")
SEVERAL_IDS = "the file name holds several numbers, and any of them may be the student's id"
HIDDEN_OWNER = "Canvas hides the student: let it show the names, and download the submissions again"


class UnmatchedSubmission(Exception):
    """A submission could not be matched with certainty to a Canvas student.

    The message gives the reason; it is shown after the submission's name and a colon.
    """


@dataclass(frozen=True, slots=True)
class CanvasStudent:
    """One student of a course."""

    id: str
    name: str
    """The name with the family name first, as Canvas sorts students."""
    sis_user_id: str = ""
    login: str = ""
    email: str = ""

    @property
    def label(self) -> str:
        """Return the name and id for people to read, made harmless."""
        return f"{escape_for_display(self.name, 80)} ({self.id})"

    @property
    def is_test_student(self) -> bool:
        """Return whether this is Canvas's own test student."""
        return self.name.replace(" ", "").casefold() == "student,test"


class CanvasStudentIndex:
    """Finds the students of a submission among those of a course."""

    def __init__(self, students: Iterable[CanvasStudent]) -> None:
        self.by_id: dict[str, CanvasStudent] = {}
        self._ids_by_key: defaultdict[str, set[str]] = defaultdict(set)
        self._ids_by_name: defaultdict[str, set[str]] = defaultdict(set)
        for student in students:
            self.by_id[student.id] = student
            for key in (student.id, student.sis_user_id, student.login, student.email):
                if key:
                    self._ids_by_key[make_file_name_collision_key(key)].add(student.id)
            for name in make_name_comparison_keys(student.name):
                self._ids_by_name[name].add(student.id)

    def require_students_of(self, result: SubmissionResult) -> list[CanvasStudent]:
        """Return the students of a submission; several for a group whose members the roster knows.

        Raises:
            UnmatchedSubmission: no student matches, or several do.
        """
        origin = result.origin
        if origin and origin.platform == "canvas" and origin.people:
            # not by the roster, whose numbers may mean other people
            return [self._get_by_file_names(origin.names)]
        students = [student for row in result.people if (student := self._find_by_row(row))]
        if students:
            return list({student.id: student for student in students}.values())
        if origin and origin.platform == "canvas":
            raise UnmatchedSubmission(HIDDEN_OWNER)
        if origin and origin.people:
            members = [
                self._get_by_unique_or_name([person.login, person.email], [person.name], "login, e-mail or name")
                for person in origin.people
            ]
            return list({student.id: student for student in members}.values())
        return [self._get_by_unique_or_name([result.name], [result.name], "id, login or name")]

    def _get_by_unique_or_name(self, keys: Iterable[str], names: Iterable[str], tried: str) -> CanvasStudent:
        if student := self._find_by_unique_or_name(keys, names):
            return student
        raise UnmatchedSubmission(f"no student in Canvas has this {tried}")

    def _get_by_file_names(self, names: tuple[str, ...]) -> CanvasStudent:
        """Return the student of the file whose name can be read in the fewest ways.

        A student may put numbers into a name to pass for another. If a name has several readings, the student's name
        must fit, too, unless only Canvas's own reading gives a known student.
        """
        readings = min(map(parse_possible_readings, names), key=len)
        possible_readings = [reading for reading in readings if reading.user_id in self.by_id]
        if possible_readings != readings[:1]:
            possible_readings = [reading for reading in possible_readings if self._is_owner(reading)]
        if len(possible_readings) == 1:
            return self.by_id[possible_readings[0].user_id]
        if readings and len(readings) == 1:
            raise UnmatchedSubmission(
                f"no student in Canvas has the id {readings[0].user_id}: they may have left the course"
            )
        raise UnmatchedSubmission(SEVERAL_IDS)

    def _is_owner(self, reading: FileNameReading) -> bool:
        return make_canvas_owner_key(reading.owner_key) == make_canvas_owner_key(self.by_id[reading.user_id].name)

    def _find_by_row(self, row: Mapping[str, str]) -> CanvasStudent | None:
        canvas_students = [self.by_id[cell] for cell in list_nonempty_cells(row, CANVAS_IDS) if cell in self.by_id]
        keys = [*list_nonempty_cells(row, (*ID_COLUMNS, *LOGIN_COLUMNS)), *list_emails_not_chosen_by_students(row)]
        return (
            canvas_students[0]
            if len(canvas_students) == 1
            else self._find_by_unique_or_name(keys, list_student_name_variants(row))
        )

    def _find_by_unique_or_name(self, keys: Iterable[str], names: Iterable[str]) -> CanvasStudent | None:
        """Find a student by unique keys, or else by names; all matches must be the same student."""
        for ids_by_key, lookup_keys in (
            (self._ids_by_key, map(make_file_name_collision_key, keys)),
            (self._ids_by_name, (key for name in names for key in make_name_comparison_keys(name))),
        ):
            student_ids = {student_id for key in lookup_keys if key for student_id in ids_by_key.get(key, ())}
            if len(student_ids) > 1:
                labels = join_with_and([self.by_id[student_id].label for student_id in sorted(student_ids)[:3]])
                raise UnmatchedSubmission(f"several students match: {labels}")
            if student_ids:
                return self.by_id[student_ids.pop()]
        return None


def match_results_to_students(
    results: Iterable[SubmissionResult], students: CanvasStudentIndex
) -> tuple[dict[str, SubmissionResult], list[str]]:
    """Return the result of each student, by id, and why others are not used; see ``match_results``."""

    def find_students(result: SubmissionResult) -> Iterator[tuple[str | None, str]]:
        try:
            yield from [(student.id, student.label) for student in students.require_students_of(result)]
        except UnmatchedSubmission as reason:
            yield None, str(reason)

    return match_results(results, find_students)
