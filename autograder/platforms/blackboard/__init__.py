"""Blackboard Learn: its downloads of assignments, and its Grade Center's table."""

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
