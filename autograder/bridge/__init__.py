"""Let hidden tests use a student's objects: stand-ins here, the objects in the student's process."""

from autograder.bridge.bridge import Bridge
from autograder.bridge.errors import StudentError, StudentStopped, StudentTimeout
from autograder.bridge.local import LocalStudent
from autograder.bridge.program import Loaded, Program
from autograder.bridge.standin import StandIn
from autograder.bridge.student import Student

__all__ = [
    "Bridge",
    "Loaded",
    "LocalStudent",
    "Program",
    "StandIn",
    "Student",
    "StudentError",
    "StudentStopped",
    "StudentTimeout",
]
