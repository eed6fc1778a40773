"""Moodle's assignments: read "Download all submissions" and fill in the offline grading worksheet.

Documentation: https://docs.moodle.org/en/Assignment_activity, its page "Using Assignment" for the worksheet and the
zip of feedback files. What it leaves open follows the source, ``mod/assign`` in https://github.com/moodle/moodle.
"""

from autograder.platforms.common.platform_model import Platform
from autograder.platforms.moodle.reader import MoodleDownloadReader
from autograder.platforms.moodle.worksheet_export import CHOICES, make_class_export

platform = Platform(
    name="moodle",
    title="Moodle",
    reader=MoodleDownloadReader(),
    class_writer=make_class_export,
    settings={
        "grade_column": "header of the column for grades, where it is not found",
        "feedback_column": "header of the column for comments, where it is not found",
        "match": "name (default) or number: by the participant's number alone, whatever the name",
        "timezone": "yours in Moodle, such as Europe/Berlin, where it is not the server's",
    },
    choices=CHOICES,
)
