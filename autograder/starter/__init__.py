"""Make a new course from the one that comes with the kit, and new assignments in a course."""

from autograder.starter.assignment import write_assignment
from autograder.starter.write import MINIMAL, write_course

__all__ = ["MINIMAL", "write_assignment", "write_course"]
