"""Pack the zip for "Upload multiple feedback files in a zip"; Moodle reads only the number in each file's name.

In an assignment for single students that is the participant's number. In one for teams it is the group's, since
MDL-77591 (June 2023), and the page goes to every member. Students in no team have no such number and get no page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograder.english_wording import format_abbreviated_list
from autograder.platforms.common.platform_model import SubmissionResult
from autograder.platforms.common.zip_packing import make_zip
from autograder.platforms.moodle.worksheet_student import WorksheetStudent
from autograder.platforms.moodle.worksheet_student_index import (
    WorksheetStudentIndex,
    find_moodle_person_or_team,
)
from autograder.reports.html_report import render_published_page
from autograder.safe_text import escape_name_unambiguously
from autograder.student_name_comparison import format_moodle_path_name

LONGEST_NAME = 60
SETTING = "group (default) or member: by whose number a team's page goes; Moodles before June 2023 read a member's"


def pack_feedback_pages(
    students: WorksheetStudentIndex,
    students_with_results: Iterable[tuple[WorksheetStudent, SubmissionResult]],
    team_pages_by_member: bool,
) -> tuple[bytes, tuple[str, ...]]:
    """Pack the pages of a class, and say who gets none and why.

    Args:
        students: of the worksheet.
        students_with_results: each student with the student's result.
        team_pages_by_member: whether a team's page goes to each member by the participant's number.
    """
    if students.of_teams and not team_pages_by_member:
        return _make_team_pages(students, students_with_results)
    files = {
        _format_page_path(_choose_page_name(student, result), student.participant_number): render_published_page(
            result.report
        )
        for student, result in students_with_results
    }
    return make_zip(files), ()


def _make_team_pages(
    students: WorksheetStudentIndex, students_with_results: Iterable[tuple[WorksheetStudent, SubmissionResult]]
) -> tuple[bytes, tuple[str, ...]]:
    """Make one page for each team whose number is known and whose members all have this result."""
    results: dict[str, SubmissionResult] = {}
    members: dict[str, list[WorksheetStudent]] = defaultdict(list)
    for student, result in students_with_results:
        results[result.name] = result
        members[result.name].append(student)
    files, unnumbered_teams, split_teams = {}, [], []
    for name, result in results.items():
        person = find_moodle_person_or_team(result.origin)
        if person is None or not person.id:
            unnumbered_teams.append(name)
        elif len(students.find_students_of_origin(result.origin) or ()) != len(members[name]):
            split_teams.append(name)
        else:
            files[_format_page_path(person.name, person.id)] = render_published_page(result.report)
    return make_zip(files), (*_iterate_notes(unnumbered_teams, split_teams, members),)


def _iterate_notes(
    unnumbered_teams: list[str], split_teams: list[str], members: dict[str, list[WorksheetStudent]]
) -> Iterator[str]:
    if unnumbered_teams:
        students = format_abbreviated_list([student.label for name in unnumbered_teams for student in members[name]])
        yield (
            f"no page for {format_abbreviated_list([*map(escape_name_unambiguously, unnumbered_teams)])}: "
            "in an assignment for teams, Moodle takes pages by the group's number, which is not known here. "
            f"Grade and comment still go to {students}"
        )
    if split_teams:
        yield (
            f"no page for {format_abbreviated_list([*map(escape_name_unambiguously, split_teams)])}: "
            "Moodle gives a page to every member of the team, and not every member has this result"
        )


def _format_page_path(name: str, number: str) -> str:
    """Return a path as Moodle reads it; the name in it is for people."""
    page_name = format_moodle_path_name(name)[:LONGEST_NAME].encode("utf-8", "replace").decode()
    return f"{page_name}_{number}_assignfeedback_file/feedback.html"


def _choose_page_name(student: WorksheetStudent, result: SubmissionResult) -> str:
    """Return the name as in the download if that is this participant's; otherwise as in the worksheet."""
    people = result.origin.people if result.origin else ()
    matching_names = [person.name for person in people if person.id == student.participant_number]
    return (matching_names or [student.full_name or student.participant_word])[0]
