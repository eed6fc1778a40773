"""Let hidden tests use a student's objects: stand-ins here, the objects in the student's process."""

from autograder.bridge.bridge import Bridge
from autograder.bridge.objects import StandIn
from autograder.bridge.student import LocalStudentProxy, StudentProxy
from autograder.bridge.student_exceptions import StudentError, StudentStopped, StudentTimeout
from autograder.bridge.submission_program import LoadResult, SubmissionProgram
from autograder.bridge.submission_time_budget import StopByLocation

__all__ = [
    "Bridge",
    "LoadResult",
    "LocalStudentProxy",
    "StandIn",
    "StopByLocation",
    "StudentError",
    "StudentProxy",
    "StudentStopped",
    "StudentTimeout",
    "SubmissionProgram",
]
