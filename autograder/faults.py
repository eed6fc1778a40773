"""Whose fault it is: the three kinds of error that the kit tells apart.

Everything that can go wrong is one of these (or the student's, which is a result and not an error: see
``bridge.errors``). The command line turns each into one line and an exit code. What grading can do without is a
``CourseWarning``, and the command line prints it.
"""

from __future__ import annotations

import warnings


class Fault(Exception):
    """An error that is told in one line: what, where, what to do next.

    Attributes:
        what: what is wrong, a sentence without a full stop.
        where: the file, line or key it is about; empty when there is none.
        advice: what to do next; empty when nothing can be said.
    """

    def __init__(self, what: str, where: str = "", advice: str = "") -> None:
        super().__init__(what, where, advice)
        self.what = what
        self.where = where
        self.advice = advice

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" ({self.advice})" if self.advice else ""
        return f"{place}{self.what}{advice}"


class CallerFault(Fault):
    """The caller's mistake: a missing folder, a bad zip, a wrong option. Exit code 2."""


class CourseFault(CallerFault):
    """A mistake in the course's own files: ``grading.yml``, a suite, a solution. Exit code 2."""


class KitFault(Fault):
    """The kit or the machine failed. Never costs a student a mark; nothing is scored. Exit code 1."""


class CourseWarning(UserWarning):
    """Something in the course's files or results that does not stop a command. Silent, unless a command prints it."""


warnings.simplefilter("ignore", CourseWarning, append=True)
