"""Match results with students: a grade for the wrong student is worse than none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from autograder.platforms.common.platform_model import StudentResult
from autograder.platforms.moodle.worksheet_students import WorksheetStudent, WorksheetStudents, get_person_in_download
from autograder.safe_text import clean_name, join_with_and


@dataclass(frozen=True, slots=True)
class MatchedResults:
    """Who gets what."""

    found: tuple[tuple[WorksheetStudent, StudentResult], ...]
    unmatched: tuple[str, ...]
    missing: tuple[str, ...]


def match_results(students: WorksheetStudents, results: Iterable[StudentResult], by_number: bool) -> MatchedResults:
    """Match each result with its rows, several for a team.

    Args:
        students: the students of the worksheet.
        results: results of attempts; attempts that do not count are left out.
        by_number: whether a participant's number is enough where the sheet gives another name.
    """
    claims: dict[int, list[StudentResult]] = defaultdict(list)
    unmatched = []
    for result in results:
        if result.attempt_counts:
            rows = students.find_students_of(result, by_number)
            for one in rows:
                claims[one.place].append(result)
            if not rows:
                unmatched.append(_why(students, result))
    unmatched += [_several(one, claims[one.place]) for one in students.all if len(claims[one.place]) > 1]
    found = [(one, claims[one.place][0]) for one in students.all if len(claims[one.place]) == 1]
    missing = [one.label for one in students.all if len(claims[one.place]) != 1]
    return MatchedResults(tuple(found), tuple(unmatched), tuple(missing))


def _several(student: WorksheetStudent, results: Iterable[StudentResult]) -> str:
    names = join_with_and([clean_name(result.name) for result in results])
    return f"{names} are all {student.label}'s: none is written, grade that student by hand"


def _why(students: WorksheetStudents, result: StudentResult) -> str:
    """Explain why a result has no row."""
    name, person = clean_name(result.name), get_person_in_download(result.origin)
    if students.of_teams and result.origin and result.origin.platform == "moodle":
        return f"{name}: no team, or more than one, is called so in the worksheet; is it of the same assignment?"
    if person is None:
        return f"{name}: no e-mail address of the worksheet, and no team in it, is this one's"
    same = students.find_student_by_number(person.id)
    if same is None:
        return f"{name}: the worksheet has no participant {clean_name(person.id, 20)}"
    return (
        f"{name}: participant {same.number} of the worksheet is another, {same.label}; is it of the same "
        "assignment? If only names are shown differently: --set match=number"
    )
