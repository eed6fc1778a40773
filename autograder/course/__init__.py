"""The course: ``grading.yml`` and the folders beside it, as typed data."""

from autograder.course.load_course import load_course, require_nearest_course_file
from autograder.course.model import Assignment, Concept, Conventions, Course, FeedbackSettings, Limits

__all__ = [
    "Assignment",
    "Concept",
    "Conventions",
    "Course",
    "FeedbackSettings",
    "Limits",
    "load_course",
    "require_nearest_course_file",
]
