"""Brightspace: its downloads of assignments, its import of grades, and feedback files for the same folders."""

from autograder.platforms.brightspace.grades import write_class
from autograder.platforms.brightspace.reader import NAME, BrightspaceReader
from autograder.platforms.model import Platform

platform = Platform(
    NAME,
    "Brightspace",
    reader=BrightspaceReader(),
    class_writer=write_class,
    settings={"column": "the grade item: its title, or the header's whole cell"},
)
