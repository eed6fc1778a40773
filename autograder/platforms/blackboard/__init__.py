"""Blackboard Learn: its downloads of assignments, and its Grade Center's table.

The table: https://help.blackboard.com/Learn/Instructor/Original/Grade/Grading_Tasks/Work_Offline_With_Grade_Data. The
names of files in a download follow samples from others.
"""

from autograder.platforms.blackboard.grades_export import make_class_export
from autograder.platforms.blackboard.reader import NAME, BlackboardDownloadReader
from autograder.platforms.common.platform_model import Platform

platform = Platform(
    NAME,
    "Blackboard",
    reader=BlackboardDownloadReader(),
    class_writer=make_class_export,
    settings={"column": "the assignment's column: its title, its id, or the header's whole cell"},
)
