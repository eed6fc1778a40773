"""Handle lateness: who handed in what when, what it costs, which attempt counts. Pure, exact, applied to views."""

from autograder.lateness.attempts import counting
from autograder.lateness.extensions import Names, members_of
from autograder.lateness.hand_ins import HandIn, HandIns, read_hand_ins
from autograder.lateness.late import Lateness, lateness_of
from autograder.lateness.view import with_lateness

__all__ = [
    "HandIn",
    "HandIns",
    "Lateness",
    "Names",
    "counting",
    "lateness_of",
    "members_of",
    "read_hand_ins",
    "with_lateness",
]
