"""Match results with students; an uncertain match is left out, since a wrong grade is worse than none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from autograder.english_wording import join_with_and
from autograder.platforms.common.platform_model import SubmissionResult
from autograder.platforms.moodle.worksheet_student import WorksheetStudent
from autograder.platforms.moodle.worksheet_student_index import (
    WorksheetStudentIndex,
    find_moodle_person_or_team,
)
from autograder.safe_text import escape_name_unambiguously


@dataclass(frozen=True, slots=True)
class MatchedResults:
    """Results matched with rows, and those without a match."""

    students_with_results: tuple[tuple[WorksheetStudent, SubmissionResult], ...]
    unmatched_submissions: tuple[str, ...]
    students_without_result: tuple[str, ...]


def match_results(
    students: WorksheetStudentIndex, results: Iterable[SubmissionResult], accept_number_alone: bool
) -> MatchedResults:
    """Match each result with its rows, several for a team.

    Args:
        students: the students of the worksheet.
        results: results of attempts; attempts that do not count are left out.
        accept_number_alone: whether a participant's number is enough where the sheet gives another name.
    """
    results_by_row: dict[int, list[SubmissionResult]] = defaultdict(list)
    unmatched = []
    for result in results:
        if result.attempt_counts:
            matched_students = students.list_students_of(result, accept_number_alone)
            for student in matched_students:
                results_by_row[student.row_index].append(result)
            if not matched_students:
                unmatched.append(_format_missing_row(students, result))
    unmatched += [
        _format_several_results(student, results_by_row[student.row_index])
        for student in students.all
        if len(results_by_row[student.row_index]) > 1
    ]
    matches = [
        (student, results_by_row[student.row_index][0])
        for student in students.all
        if len(results_by_row[student.row_index]) == 1
    ]
    missing = [student.label for student in students.all if len(results_by_row[student.row_index]) != 1]
    return MatchedResults(tuple(matches), tuple(unmatched), tuple(missing))


def _format_several_results(student: WorksheetStudent, results: Iterable[SubmissionResult]) -> str:
    names = join_with_and([escape_name_unambiguously(result.name) for result in results])
    return f"{names} all match {student.label}; none was written: grade that student by hand"


def _format_missing_row(students: WorksheetStudentIndex, result: SubmissionResult) -> str:
    """Explain why a result has no row."""
    name, person = escape_name_unambiguously(result.name), find_moodle_person_or_team(result.origin)
    if students.of_teams and result.origin and result.origin.platform == "moodle":
        return f"{name}: no team or several teams of the worksheet match; check that it is of the same assignment"
    if person is None:
        return f"{name}: no e-mail address and no team of the worksheet match"
    student = students.find_by_participant_number(person.id)
    if student is None:
        return f"{name}: the worksheet has no participant {escape_name_unambiguously(person.id, 20)}"
    return (
        f"{name}: participant {student.participant_number} of the worksheet is {student.label}; check that it is of "
        "the same assignment, and if only names are shown differently, say --set match=number"
    )
