"""Run one program step by step, so that it is known where its process was stopped."""

from __future__ import annotations

from collections.abc import Callable

from autograder.bridge import LocalStudent, Student
from autograder.bridge.endings import Ending
from autograder.bridge.scripts import Script
from autograder.diagnosis.trace import Trace, trouble_of
from autograder.faults import KitFault


def run_told(student: Student | LocalStudent, script: Script, trace_of: Callable[[Ending], Trace]) -> Trace:
    """Run a program's script, and follow every step; raise nothing of the student's.

    Args:
        student: what the student wrote.
        script: the program's script.
        trace_of: gives the trace that its ending tells of.

    Raises:
        KitFault: the kit or the machine failed.
    """
    at = 0

    def tell(step: int) -> None:
        nonlocal at
        at = step

    try:
        return trace_of(student.run_scripts([script], tell)[0])
    except KitFault:
        raise
    except Exception as error:
        return Trace(trouble=trouble_of(error, *script.places[at]))
