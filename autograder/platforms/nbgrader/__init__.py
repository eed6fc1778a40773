"""Read nbgrader's folder of submissions; write its table of grades and its folder of feedback.

Documentation: https://nbgrader.readthedocs.io/en/stable/. The folders are those of
https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html.
"""

from autograder.platforms.common.platform_model import Platform
from autograder.platforms.nbgrader.class_export import make_class_export
from autograder.platforms.nbgrader.reader import NAME, NbgraderDownloadReader

platform = Platform(
    NAME,
    "nbgrader",
    reader=NbgraderDownloadReader(),
    class_writer=make_class_export,
    settings={
        "assignment": "its name in nbgrader, where that is not the folder's",
        "duedate": "in UTC, as nbgrader writes it; empty by default",
    },
)
