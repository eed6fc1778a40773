"""Fill in the offline grading worksheet, and pack the feedback zip.

Every other byte of the worksheet stays as Moodle wrote it. An uncertain match is left out, since a wrong grade is
worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal

from autograder.course.deadline_rules import InvalidTime, require_time_zone
from autograder.faults import CallerFault
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.common.grade_column import match_results
from autograder.platforms.common.manual_mark_protection import (
    infer_shown_decimals,
    is_same_mark_or_comment,
    protect_manual_entries,
)
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.platforms.moodle.feedback import COMMENT_PREFIX, format_grade_comment_as_html, pack_feedback_pages
from autograder.platforms.moodle.worksheet_columns import (
    ADVICE,
    ENGLISH,
    WorksheetColumns,
    format_number,
    identify_worksheet_columns,
    is_no_in_known_language,
    require_participant_rows,
    try_parse_english_date,
    try_parse_number,
)
from autograder.platforms.moodle.worksheet_students import (
    WorksheetStudent,
    WorksheetStudentIndex,
    find_moodle_person_or_team,
)
from autograder.reports.wording import format_bonus_suffix
from autograder.tables import EditableCsv
from autograder.text import (
    choose_by_count,
    escape_name_unambiguously,
    format_abbreviated_list,
    format_count,
)


def _explain_missing_row(students: WorksheetStudentIndex, result: SubmissionResult) -> str:
    person = find_moodle_person_or_team(result.origin)
    if students.of_teams and result.origin and result.origin.platform == "moodle":
        return "no team or several teams of the worksheet match; check that it is of the same assignment"
    if person is None:
        return "no e-mail address and no team of the worksheet match"
    student = students.find_by_participant_number(person.id)
    if student is None:
        return f"the worksheet has no participant {escape_name_unambiguously(person.id, 20)}"
    return (
        f"participant {student.participant_number} of the worksheet is {student.label}; check that it is of "
        "the same assignment, and if only names are shown differently, say --set match=number"
    )


NEVER = "-"
"""What Moodle writes where there is no grade yet."""
ZONED = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d [A-Z][\w+/-]+")
"""A date that an earlier export wrote with its zone."""


@dataclass
class WorksheetFilling:
    """The state of a worksheet while it is filled in."""

    sheet: EditableCsv
    columns: WorksheetColumns
    options: ExportOptions
    changes: list[ExportChange] = field(default_factory=list)
    comments: list[ExportChange] = field(default_factory=list)
    rows_to_leave_out: set[int] = field(default_factory=set)
    """Rows that hold decisions of people, and nothing new: Moodle would take the formatting from their comments."""
    changed_students: list[WorksheetStudent] = field(default_factory=list)
    """The students whose rows Moodle is to import."""
    decimals: int = 2
    """Decimals of grades that Moodle shows; the worksheet has them rounded."""
    capped: int = 0
    """Students with more than full marks."""
    kept_comments: int = 0
    """Comments of people beside marks that do not change."""
    ungraded_for_comment: list[str] = field(default_factory=list)
    """Students whose mark would change, and whose comment by a person stays."""

    @property
    def has_new_comments(self) -> bool:
        """Return whether a comment is written."""
        return any(change.has_new_value for change in self.comments)

    def has_comment_by_person(self, student: WorksheetStudent) -> bool:
        """Return whether a person wrote the comment in a student's row, and not the kit."""
        comment = student.get_cell(self.columns.feedback_comment)
        return bool(comment.strip()) and not comment.lstrip().startswith(COMMENT_PREFIX.strip())

    def fill_row(self, student: WorksheetStudent, result: SubmissionResult, max_points: float) -> None:
        """Write one student's cells, and note what changes."""
        columns, old_grade = self.columns, student.get_cell(self.columns.grade)
        full_marks = self._get_full_marks(student)
        uncapped_grade = rescale_points(result.points, max_points, full_marks)
        self.capped += uncapped_grade > full_marks
        grade = min(uncapped_grade, full_marks)
        decimal_mark = "," if _uses_decimal_comma(columns, student) else "."
        grade_text = format_number(grade, decimal_mark)
        if any(is_no_in_known_language(student.get_cell(one)) for one in columns.possible_grade_changeable_columns):
            self.changes.append(ExportChange(student.label, old_grade, old_grade, "locked in Moodle; left unchanged"))
            return
        change = self._protect(student, result, ExportChange(student.label, old_grade, grade_text))
        if change.wanted:
            self.changes.append(change)
            self.rows_to_leave_out.add(student.row_index)
            return  # the kit's comment would name another mark
        final = result.report.final
        core, bonus = (rescale_points(points, max_points, full_marks) for points in (final.score, final.bonus))
        bonus_clause = format_bonus_suffix(result.report, min(grade - core, bonus)).replace(".", decimal_mark)
        full_marks_text = format_number(full_marks, decimal_mark)
        new_comment = format_grade_comment_as_html(result.report, grade_text, full_marks_text, bonus_clause)
        old_comment = student.get_cell(columns.feedback_comment)
        comment = ExportChange(student.label, old_comment, old_comment, what="comment")
        if columns.feedback_comment is not None and not is_same_mark_or_comment("comment", old_comment, new_comment):
            comment = self._protect(student, result, replace(comment, after=new_comment))
            self.comments.append(comment)
        if comment.wanted:  # Moodle takes back every comment of a worksheet, and as plain text
            self.rows_to_leave_out.add(student.row_index)
            if change.has_new_value:
                self.ungraded_for_comment.append(student.label)
                note = f"kept because of a person's comment; the results say {change.after}"
                change = replace(change, after=change.before, note=note)
            else:
                self.kept_comments += 1
        self.changes.append(change)
        for column, one in ((columns.grade, change), (columns.feedback_comment, comment)):
            if one.has_new_value and column is not None:
                self.sheet.set_cell(student.row_index, column, one.after)
        if change.has_new_value or comment.has_new_value:
            self.changed_students.append(student)

    def _protect(self, student: WorksheetStudent, result: SubmissionResult, change: ExportChange) -> ExportChange:
        """Return the change of a mark or comment as it may be made; a mark's date shows if one was imported since."""
        return protect_manual_entries(
            replace(
                change,
                id=student.participant_number,
                submission=result.name,
                seen=student.get_cell(self.columns.grade_date).strip(" -"),
                decimals=self.decimals,
            ),
            self.options,
        )

    def make_grade_dates_readable(self) -> int:
        """Write the time zone beside the dates of grades, where it is not the server's.

        Moodle skips a row if the grade in Moodle is newer than the worksheet says. Moodle reads that date with PHP's
        strtotime, in the server's time zone although it is written in the teacher's, and treats a date that is not
        English as missing: then every row with a grade counts as outdated.

        Returns:
            How many of the students that Moodle is to take it treats as outdated.

        Raises:
            CallerFault: there is no such time zone.
        """
        zone_name = self.options.settings.get("timezone", "")
        try:
            require_time_zone(zone_name or "UTC")
        except InvalidTime as error:
            raise CallerFault(str(error), "--set timezone", error.advice) from error
        outdated_count = 0
        for student in self.changed_students:
            cell = student.get_cell(self.columns.grade_date)
            moment = try_parse_english_date(cell)
            if zone_name and moment and self.columns.grade_date is not None:
                self.sheet.set_cell(
                    student.row_index, self.columns.grade_date, f"{moment:%Y-%m-%d %H:%M} {zone_name}"
                )
            elif not moment and not ZONED.fullmatch(cell):
                outdated_count += bool(student.get_cell(self.columns.grade).strip()) or self._has_grade_date(student)
        return outdated_count

    def mark_rows_to_skip(self, all_students: Iterable[WorksheetStudent]) -> None:
        """Make Moodle skip rows with a person's comment and nothing new.

        Otherwise, Moodle would write the comment anew, as plain text. It takes no row that holds a grade and a date
        of never.
        """
        for student in all_students:
            is_kept = student not in self.changed_students and self.has_comment_by_person(student)
            if is_kept and self.columns.grade_date is not None and self._has_grade_date(student):
                self.sheet.set_cell(student.row_index, self.columns.grade_date, NEVER)

    def _has_grade_date(self, student: WorksheetStudent) -> bool:
        return bool(student.get_cell(self.columns.grade_date).strip(f" {NEVER}"))

    def _get_full_marks(self, student: WorksheetStudent) -> Decimal:
        """Return full marks of a row: its own, or what the caller says."""
        full_marks = try_parse_number(student.get_cell(self.columns.max_grade))
        if self.columns.max_grade is None and self.options.max_points is not None:
            full_marks = Decimal(str(self.options.max_points))
        if not full_marks:
            raise CallerFault(
                "the worksheet does not say what full marks are", self.sheet.name, "say it with --max-score"
            )
        return full_marks


def _uses_decimal_comma(columns: WorksheetColumns, student: WorksheetStudent) -> bool:
    """Return whether Moodle uses a decimal comma.

    Full marks tell it, because nobody types them; if they have no decimals, the grade does.
    """
    full_marks = student.get_cell(columns.max_grade)
    return "," in (full_marks if re.search("[.,]", full_marks) else student.get_cell(columns.grade))


REPLACE = "--overwrite STUDENT"


def _iterate_staff_notes(
    students: WorksheetStudentIndex, filling: WorksheetFilling, outdated_count: int
) -> Iterator[str]:
    """Yield sentences about a class; ``outdated_count`` counts the rows that Moodle treats as outdated."""
    columns = filling.columns
    if filling.capped:
        submissions = format_count(filling.capped, "submission")
        verb = choose_by_count(filling.capped, "has", "have")
        yield (
            f"{submissions} {verb} more than full marks; full marks were written, because Moodle skips higher grades"
        )
    if outdated_count:
        yield (
            f"Moodle will skip {format_count(outdated_count, 'student')} marked before, because the time "
            f"of that mark cannot be read: {ENGLISH}. "
            'Do not tick "Allow updating records ...": '
            "that also overwrites what was marked in Moodle in the meantime"
        )
    if filling.kept_comments:
        count = filling.kept_comments
        yield (
            f"{format_count(count, 'comment')} by a person {choose_by_count(count, 'stays', 'stay')}; "
            f"replace {choose_by_count(count, 'it', 'them')} with {REPLACE}"
        )
    if filling.ungraded_for_comment:
        yield (
            f"{format_count(len(filling.ungraded_for_comment), 'changed grade')} left out, because Moodle "
            f"would turn a person's comment into plain text; replace both with {REPLACE}: "
            f"{format_abbreviated_list(filling.ungraded_for_comment)}"
        )
    if filling.has_new_comments:
        yield (
            "download the worksheet just before the upload: if a grade was overridden or locked since then, Moodle "
            "skips its points but takes the comment, which names other points"
        )
    if columns.possible_grade_changeable_columns and columns.changeable is None:
        yield "locked grades cannot be recognised in this worksheet's language: check them in Moodle"
    if students.are_hidden:
        yield "names are hidden: the gradebook stays empty until you choose Reveal student identities in Moodle"
    if columns.has_marking_workflow:
        yield "marks have a workflow: the gradebook gets each one when its state in Moodle is Released"
    if columns.feedback_comment is None:
        yield "the worksheet has no column for comments: turn on Feedback comments, or say --set feedback_column"


CHOICES = {"match": ("name", "number")}
"""The words that settings may be, the default first."""


def make_class_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Fill in the worksheet, and pack a zip of pages for students.

    Raises:
        CallerFault: there is no worksheet, or its columns cannot be told apart.
    """
    if options.sheet is None:
        raise CallerFault("the assignment's worksheet is missing", "--gradebook", ADVICE)
    sheet = EditableCsv(options.sheet, options.sheet_name or "worksheet")
    rows = require_participant_rows(sheet)
    columns = identify_worksheet_columns(sheet, [row for _, row in rows], options.settings)
    students = WorksheetStudentIndex(rows, sheet.rows[0].cells, columns, (result.origin for result in results.rows))
    accepts_number_alone = options.get_choice_setting("match", *CHOICES["match"]) == "number"

    def find_rows(result: SubmissionResult) -> Iterator[tuple[int | None, str]]:
        found = students.list_students_of(result, accepts_number_alone)
        yield from ((student.row_index, student.label) for student in found)
        if not found:
            yield None, _explain_missing_row(students, result)

    result_by_row, unmatched = match_results(results.rows, find_rows)
    students_with_results = [
        (student, result_by_row[student.row_index]) for student in students.all if student.row_index in result_by_row
    ]
    filling = WorksheetFilling(sheet, columns, options)
    filling.decimals = _infer_decimals(filling, students.all)
    for student, result in students_with_results:
        filling.fill_row(student, result, results.max_points)
    outdated_count = filling.make_grade_dates_readable()
    filling.mark_rows_to_skip(students.all)
    feedback_zip, feedback_notes = pack_feedback_pages(students, students_with_results)
    return ExportResult(
        {"worksheet.csv": sheet.encode_without_rows(filling.rows_to_leave_out), "feedback.zip": feedback_zip},
        tuple(filling.changes),
        tuple(unmatched),
        tuple(student.label for student in students.all if student.row_index not in result_by_row),
        (*feedback_notes, *_iterate_staff_notes(students, filling, outdated_count)),
        tuple(filling.comments),
    )


def _infer_decimals(filling: WorksheetFilling, students: Iterable[WorksheetStudent]) -> int:
    """Return how many decimals Moodle shows of this assignment's grades: that is a setting of its grade item."""
    grades = {student.participant_number: student.row.cells[filling.columns.grade] for student in students}
    last_mark_by_number = {number: filling.options.written.get(("mark", "", number)) for number in grades}
    return infer_shown_decimals(
        grades.values(), ((grades[number], mark.after) for number, mark in last_mark_by_number.items() if mark)
    )
