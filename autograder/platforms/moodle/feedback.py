"""Write the line beside a grade, and pack the zip of pages; Moodle reads only the number in each file's name.

In an assignment for single students that is the participant's number. In one for teams it is the group's (from
Moodle 4.2.1 on, MDL-77591), and the page goes to every member. Students in no team have no number and get no page.
"""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograder.platforms.common.export_files import make_zip
from autograder.platforms.common.platform_model import SubmissionResult
from autograder.platforms.moodle.worksheet_students import (
    WorksheetStudent,
    WorksheetStudentIndex,
    find_moodle_person_or_team,
)
from autograder.reports import ScoreReport
from autograder.reports.causes import UNTRIED_OUTCOMES, list_causes
from autograder.reports.html_report import render_published_page
from autograder.reports.report_model import filter_report_for_student
from autograder.reports.wording import iterate_decision_lines_for_student
from autograder.text import (
    escape_for_display,
    escape_name_unambiguously,
    format_abbreviated_list,
    format_moodle_path_name,
)

COMMENT_PREFIX = "Autograder: "
"""The beginning of each comment by the kit. A comment that begins otherwise was written by a person, and stays."""
LONGEST = 200


def format_grade_comment_as_html(report: ScoreReport, grade: str, max_grade: str, bonus_clause: str = "") -> str:
    """Return the line beside the grade, as HTML without a tag: points, and what to look at next.

    Args:
        report: the whole report.
        grade: the grade as it stands in the worksheet.
        max_grade: full marks there.
        bonus_clause: how much of the grade is bonus; see ``format_bonus_suffix``.
    """
    student_report = filter_report_for_student(report, "published")
    return html.escape(
        f"{COMMENT_PREFIX}{grade} of {max_grade} points{bonus_clause}. "
        f"{escape_for_display(_format_next_step(student_report), LONGEST)}",
        quote=False,
    )


def _format_next_step(report: ScoreReport) -> str:
    if decision_lines := " ".join(iterate_decision_lines_for_student(report)):
        return decision_lines
    if report.status.message:
        return report.status.message
    lateness_prefix = f"{report.lateness.message} " if report.lateness and report.lateness.percent_off else ""
    titles = [cause.suspects[0].title for cause in list_causes(report)]
    bonus_concepts = {concept.name for concept in report.concepts if concept.bonus}
    failed_tests = [test for test in report.tests if test.outcome != "passed"]
    failed_core_tests = [test for test in failed_tests if test.concept not in bonus_concepts]
    if titles:
        return f"{lateness_prefix}Look at this first: {titles[0]}"
    if failed_core_tests:
        # of an untried test, only the message says anything of the submission
        is_untried = failed_core_tests[0].outcome in UNTRIED_OUTCOMES
        return lateness_prefix + (
            failed_core_tests[0].message if is_untried else f"This does not hold yet: {failed_core_tests[0].sentence}"
        )
    if report.score < report.max_score:
        return f"{lateness_prefix}What lost points is not shown for this assignment."
    return lateness_prefix + (
        "All that was asked for holds; of the bonus something is left." if failed_tests else "Everything holds."
    )


LONGEST_NAME = 60


def pack_feedback_pages(
    students: WorksheetStudentIndex,
    students_with_results: Iterable[tuple[WorksheetStudent, SubmissionResult]],
) -> tuple[bytes, tuple[str, ...]]:
    """Pack the pages of a class, and say who gets none and why.

    Args:
        students: of the worksheet.
        students_with_results: each student with the student's result.
    """
    if students.of_teams:
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
