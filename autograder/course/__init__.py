"""The course: ``grading.yml`` and the folders beside it, as typed data."""

from autograder.course.course_loading import load_course, require_nearest_course_file
from autograder.course.model import AcceptedGradientConventions, Assignment, Concept, Course, FeedbackSettings, Limits

__all__ = [
    "AcceptedGradientConventions",
    "Assignment",
    "Concept",
    "Course",
    "FeedbackSettings",
    "Limits",
    "load_course",
    "require_nearest_course_file",
]
