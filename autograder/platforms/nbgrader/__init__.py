"""Read nbgrader's folder of submissions; write its table of grades and its folder of feedback."""

from autograder.platforms.common.platform_model import Platform
from autograder.platforms.nbgrader.reader import NAME, NbgraderReader
from autograder.platforms.nbgrader.writer import write_class_grades

platform = Platform(
    NAME,
    "nbgrader",
    reader=NbgraderReader(),
    class_writer=write_class_grades,
    settings={
        "assignment": "its name in nbgrader, where that is not the folder's",
        "duedate": "in UTC, as nbgrader writes it; empty by default",
    },
)
