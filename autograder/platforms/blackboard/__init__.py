"""Blackboard Learn: its downloads of assignments, and its Grade Center's table.

The table: https://help.blackboard.com/Learn/Instructor/Original/Grade/Grading_Tasks/Work_Offline_With_Grade_Data. The
names in a download are undocumented; they are read as Blackboard was seen to write them.
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
