"""Let hidden tests use a student's objects: stand-ins here, the objects in the student's process."""

from autograder.bridge.bridge import Bridge
from autograder.bridge.errors import StudentError, StudentStopped, StudentTimeout
from autograder.bridge.local_student import LocalStudentProxy
from autograder.bridge.stand_in import StandIn
from autograder.bridge.student import StudentProxy
from autograder.bridge.submission_program import LoadResult, SubmissionProgram

Student, LocalStudent = StudentProxy, LocalStudentProxy  # names that suites of courses may import

__all__ = [
    "Bridge",
    "LoadResult",
    "LocalStudent",
    "LocalStudentProxy",
    "StandIn",
    "Student",
    "StudentError",
    "StudentProxy",
    "StudentStopped",
    "StudentTimeout",
    "SubmissionProgram",
]
