"""Small programs on the whole engine, for what shows only when its parts meet."""

from __future__ import annotations

from autograder.bridge import LocalStudent, Student
from autograder.course.model import SecondBackward
from autograder.diagnosis.engine import Expressions
from autograder.diagnosis.probes.reading import Lab, Stopped, canonical
from autograder.diagnosis.trace import STOPPED

CONVENTIONS: tuple[SecondBackward, ...] = ("interior kept", "leaves accumulate")
UNNAMED = "parts-do-not-fit"
"""What goes wrong only together has no general name."""


def probe_whole(lab: Lab, student: Student | LocalStudent, *, has: frozenset[str]) -> None:
    """Run random programs of the contract's operations.

    Args:
        lab: notes.
        student: the submission.
        has: what programs may use.
    """
    subject = Expressions(has, CONVENTIONS)
    for number, program in enumerate((*subject.leaking(), *subject.fresh())):
        trace = subject.run(student, program)
        right = subject.is_right(program, trace)
        said = trace.trouble and f"{trace.trouble.kind} in {trace.trouble.phase} {trace.trouble.step}"
        numbers = (*trace.data, *trace.grad)
        lab.lines.append(f"{number}: {'right' if right else said or ' '.join(map(canonical, numbers))}")
        if not right:
            lab.find(UNNAMED)
        if trace.trouble and trace.trouble.kind == STOPPED:
            raise Stopped
