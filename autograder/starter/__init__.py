"""Make a new course from the one that comes with the kit."""

from autograder.starter.write import MINIMAL, write_course

__all__ = ["MINIMAL", "write_course"]
