"""Make a new course from the one that comes with the kit, and new assignments in a course."""

from autograder.starter.writer import (
    MINIMAL_ASSIGNMENT,
    write_and_load_starter_assignment,
    write_and_load_starter_course,
)

__all__ = ["MINIMAL_ASSIGNMENT", "write_and_load_starter_assignment", "write_and_load_starter_course"]
