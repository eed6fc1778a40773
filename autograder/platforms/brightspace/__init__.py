"""Brightspace: its downloads of assignments, its import of grades, and feedback files for the same folders."""

from autograder.platforms.brightspace.grades_export import render_class_grades
from autograder.platforms.brightspace.reader import NAME, BrightspaceReader
from autograder.platforms.common.platform_model import Platform

platform = Platform(
    NAME,
    "Brightspace",
    reader=BrightspaceReader(),
    class_writer=render_class_grades,
    settings={"column": "the grade item: its title, or the header's whole cell"},
)
