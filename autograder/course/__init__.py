"""The course: ``grading.yml`` and the folders beside it, as typed data."""

from autograder.course.load_course import get_nearest_course_file, load_course
from autograder.course.model import Assignment, Concept, Conventions, Course, FeedbackSettings, Limits

__all__ = [
    "Assignment",
    "Concept",
    "Conventions",
    "Course",
    "FeedbackSettings",
    "Limits",
    "get_nearest_course_file",
    "load_course",
]
