"""The course: ``grading.yml`` and the folders beside it, as typed data."""

from autograder.course.load import find_course, load_course
from autograder.course.model import Assignment, Concept, Conventions, Course, Feedback, Limits

__all__ = ["Assignment", "Concept", "Conventions", "Course", "Feedback", "Limits", "find_course", "load_course"]
